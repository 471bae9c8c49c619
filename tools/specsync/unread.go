package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// unreadFile lists the tables and declarations of upstream that no reader reads, with the reasons.
const unreadFile = "sync/unread.yaml"

// readUnread reads the list. Without the file nothing is passed over.
func readUnread(specs string) (*load.Unread, error) {
	if _, err := os.Stat(filepath.Join(specs, filepath.FromSlash(unreadFile))); errors.Is(err, fs.ErrNotExist) {
		return &load.Unread{}, nil
	}
	tables := load.NewTables(os.DirFS(specs))
	out := tables.SyncUnread()
	for _, r := range out.Tables {
		checkReason(tables, r.At, r.Why)
	}
	for _, r := range out.Declarations {
		checkReason(tables, r.At, r.Why)
		if len(r.Names) == 0 {
			tables.Problemf(r.At, "the row names no declaration")
		}
	}
	var problems []error
	for _, p := range tables.Problems() {
		problems = append(problems, errors.New(p.String()))
	}
	return out, errors.Join(problems...)
}

// checkReason refuses a row whose reason is no sentence.
func checkReason(tables *load.Tables, at load.Pos, why string) {
	if len(strings.Fields(why)) < 2 || !strings.HasSuffix(why, ".") {
		tables.Problemf(at, "why is a sentence that ends with a full stop, not %q", why)
	}
}

// noteUnreadTables notes in each document the tables that no reader has read and no row lists. It returns an error that names the
// rows that list nothing.
func noteUnreadTables(from, specs string, documents map[string]*document) error {
	rows, err := readUnread(specs)
	if err != nil {
		return err
	}
	p := unreadList{rows: rows.Tables, needed: map[string]bool{}}
	for _, d := range documents {
		p.noteDocument(d)
	}
	var problems []error
	for _, r := range rows.Tables {
		d := documents[r.Document]
		if d != nil && !d.toLast || d == nil && hasDocument(from, r.Document) {
			continue // this run has few readers
		}
		problems = append(problems, p.checkIdle(r))
		if d != nil && len(d.tables) > 0 && len(r.Columns) == 0 {
			problems = append(problems, fmt.Errorf("%s: other tables of %s are read; name the columns of those that are not",
				r.At, r.Document))
		}
	}
	return errors.Join(problems...)
}

// hasDocument reports whether a checkout has a document.
func hasDocument(from, path string) bool {
	_, err := os.Stat(filepath.Join(from, "source", filepath.FromSlash(path)))
	return err == nil
}

// unreadList is the list of tables that no reader reads. It remembers which of its rows are needed, and which of their sections.
type unreadList struct {
	rows   []load.UnreadTable
	needed map[string]bool
}

// noteDocument notes the tables of a document that are neither read nor listed. Some runs have few readers: they pass
// over a document if nobody reads a table of it.
func (p unreadList) noteDocument(d *document) {
	if len(d.tables) == 0 && !d.toLast {
		return
	}
	for i := 0; i < len(d.lines); i++ {
		if d.kind(i) != prose || !isTableLine(d.lines[i]) {
			continue
		}
		p.noteTable(d, i)
		for i+1 < len(d.lines) && isTableLine(d.lines[i+1]) {
			i++
		}
	}
}

// noteTable notes an error if the table that begins at a line has no header, or is neither read nor listed.
func (p unreadList) noteTable(d *document, at int) {
	var header []string
	if at+1 < len(d.lines) && isSeparator(d.lines[at+1]) {
		header, _ = d.header(at)
	}
	switch {
	case d.tables[at]:
	case p.isListed(d.path, d.sectionAt(at), header):
	case header == nil:
		d.note(d.errorf(at+1, "rows of a table without a header"))
	default:
		d.note(d.errorf(at+1, "no reader reads the table with the columns %s", strings.Join(header, "|")))
	}
}

// isListed reports whether a row lists a table, and remembers all rows that do.
func (p unreadList) isListed(path, section string, header []string) bool {
	found := false
	for _, r := range p.rows {
		if r.Document != path || len(r.Columns) > 0 && !slices.Equal(r.Columns, header) {
			continue
		}
		switch {
		case len(r.Sections) == 0:
			p.needed[need(r, "")], found = true, true
		case slices.Contains(r.Sections, section):
			p.needed[need(r, section)], found = true, true
		}
	}
	return found
}

// checkIdle returns an error if no table needs a row, or one of its sections.
func (p unreadList) checkIdle(r load.UnreadTable) error {
	if len(r.Sections) == 0 && !p.needed[need(r, "")] {
		return fmt.Errorf("%s: %s has no table that this row could list", r.At, r.Document)
	}
	var problems []error
	for _, section := range r.Sections {
		if !p.needed[need(r, section)] {
			problems = append(problems, fmt.Errorf("%s: the section %q of %s has no table that this row could list",
				r.At, section, r.Document))
		}
	}
	return errors.Join(problems...)
}

func need(r load.UnreadTable, section string) string { return r.At.String() + " " + section }
