package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

const readingTable = "sync/readings.yaml"

// listReadings reads the list of readings. Without the file there is none.
func listReadings(specs string) ([]load.Reading, error) {
	if _, err := os.Stat(filepath.Join(specs, filepath.FromSlash(readingTable))); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	tables := load.NewTables(os.DirFS(specs))
	out := tables.SyncReadings()
	var problems []error
	for _, p := range tables.Problems() {
		problems = append(problems, errors.New(p.String()))
	}
	return out.Rows, errors.Join(problems...)
}

// readReadings reads what readings.yaml lists. Each row names a place of upstream and the pattern of a row there, so
// a table of facts needs no reader of its own.
func readReadings(specs string, l *library) reader {
	return func(open openFunc) ([]table, error) {
		rows, err := listReadings(specs)
		if err != nil {
			return nil, err
		}
		var out []table
		var problems []error
		for _, r := range rows {
			t, err := readReading(r, specs, l, open)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", r.At, err))
				continue
			}
			out = append(out, t)
		}
		return out, errors.Join(problems...)
	}
}

func readReading(r load.Reading, specs string, l *library, open openFunc) (table, error) {
	says, err := regexp.Compile(r.Says)
	if err != nil {
		return table{}, err
	}
	d, err := open(r.Document)
	if err != nil {
		return table{}, err
	}
	var found [][]string
	if len(r.Columns) > 0 {
		found, err = d.readCells(r, says)
	} else {
		found, err = d.readText(r, says)
	}
	if err != nil {
		return table{}, err
	}
	out := table{
		file: r.File, within: factPlace(r.Within), list: r.List, key: r.Key, partial: r.Partial || r.Row != "" || r.Mark != "",
		source: fmt.Sprintf("%s, %q", r.Document, r.Section),
	}
	if out.list == "" {
		out.list = "rows"
	}
	if out.key == "" {
		out.key = "name"
	}
	if r.Row != "" {
		out.rows = []row{joinedRow(r, found)}
		return out, nil
	}
	for _, m := range found {
		x, err := rowOf(r, says, out.key, m)
		if err != nil {
			return table{}, d.errorf(1, "%s, %v", r.Section, err)
		}
		if indexOf(out.rows, x.key) < 0 {
			out.rows = append(out.rows, x)
		}
	}
	if r.Mark != "" {
		err = addUnmarked(r, &out, specs, l)
	}
	return out, err
}

// rowOf returns the row that a match says.
func rowOf(r load.Reading, says *regexp.Regexp, key string, m []string) (row, error) {
	var out row
	var keys []string
	for i, column := range says.SubexpNames() {
		if column == "" {
			continue
		}
		value := m[i]
		ours, known := r.Words.Get(value)
		if slices.Contains(strings.Split(key, "+"), column) {
			if ours, known = r.Names.Get(value); !known && len(r.Names) > 0 {
				return row{}, fmt.Errorf("%q has no name in specs/%s", value, readingTable)
			}
		}
		if known {
			value = ours
		}
		out.facts = addFact(out.facts, fact{column, value})
	}
	for name := range strings.SplitSeq(key, "+") {
		i := slices.IndexFunc(out.facts, func(f fact) bool { return f.column == name })
		if i < 0 {
			return row{}, fmt.Errorf("%q says nothing of the column %s", r.Says, name)
		}
		keys = append(keys, out.facts[i].value)
	}
	out.key = strings.Join(keys, " ")
	if r.Mark != "" {
		out.facts = append(out.facts, fact{r.Mark, "true"})
	}
	return out, nil
}

// addFact adds a fact. A pattern with several forms has a group for the same column in each, and one of them matches.
func addFact(facts []fact, f fact) []fact {
	for i := range facts {
		if facts[i].column == f.column {
			facts[i].value += f.value
			return facts
		}
	}
	return append(facts, f)
}

// joinedRow returns the one row whose list holds everything that was found.
func joinedRow(r load.Reading, found [][]string) row {
	var names []string
	for _, m := range found {
		names = append(names, strings.Join(m[1:], ""))
	}
	return row{key: r.Row, facts: []fact{{r.Column, "[" + strings.Join(names, ", ") + "]"}}}
}

// addUnmarked adds the rows of the table that the place does not name: they must not have the mark.
func addUnmarked(r load.Reading, t *table, specs string, l *library) error {
	f, err := l.openFile(specs, r.File)
	if err != nil {
		return err
	}
	holder, err := f.holder(*t)
	if err != nil || holder == nil {
		return err
	}
	for _, n := range column(holder, t.list).Content {
		if key := keyOf(n, t.key); indexOf(t.rows, key) < 0 && !isOverridden(n, "row") {
			t.rows = append(t.rows, row{key: key, facts: []fact{{r.Mark, ""}}})
		}
	}
	return nil
}

// readText finds the pattern everywhere in a section, or in a declaration there.
func (d *document) readText(r load.Reading, says *regexp.Regexp) ([][]string, error) {
	text, at, err := d.sectionText(r.Section)
	if r.Of != "" && err == nil {
		text, at, err = d.declarationText(r.Section, r.Of)
	}
	if err != nil {
		return nil, err
	}
	if r.Inside != "" {
		inside, err := regexp.Compile(r.Inside)
		if err != nil {
			return nil, err
		}
		m := inside.FindAllStringSubmatch(text, -1)
		if len(m) != 1 || len(m[0]) != 2 {
			return nil, d.errorf(at, "the section %q says %q %d times, not once", r.Section, r.Inside, len(m))
		}
		text = m[0][1]
	}
	found := says.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil, d.errorf(at, "the section %q no longer says %q", r.Section, r.Says)
	}
	return found, nil
}

// readCells reads each row of a table with the pattern: the cells, with " | " between them.
func (d *document) readCells(r load.Reading, says *regexp.Regexp) ([][]string, error) {
	rows, err := d.tableOf(r)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, x := range rows {
		text := strings.Join(x.cells, " | ")
		if skipped, err := regexp.MatchString(r.Skip, text); err != nil {
			return nil, err
		} else if r.Skip != "" && skipped {
			continue
		}
		m := says.FindStringSubmatch(text)
		if m == nil {
			d.note(d.errorf(x.line, "the row %q does not say %q", text, r.Says))
			continue
		}
		out = append(out, m)
	}
	return out, nil
}

// tableOf returns the one table of a section that has the columns, and that holds a text if the reading wants one.
func (d *document) tableOf(r load.Reading) ([]mdRow, error) {
	_, at, err := d.sectionText(r.Section)
	if err != nil {
		return nil, err
	}
	end := len(d.lines)
	for _, s := range d.sections() {
		if s.from == at {
			end = s.to
		}
	}
	var found [][]mdRow
	for i := at; i+2 < end; i++ {
		if d.kind(i) != prose || !isTableLine(d.lines[i]) || !isSeparator(d.lines[i+1]) {
			continue
		}
		header, first := d.header(i)
		rows, _ := d.readRows(first, len(header))
		if slices.Equal(header, r.Columns) && (r.Holds == "" || slices.ContainsFunc(rows, func(x mdRow) bool {
			return strings.Contains(strings.Join(x.cells, " | "), r.Holds)
		})) {
			found = append(found, rows)
			if d.tables != nil {
				d.tables[i] = true
			}
		}
	}
	if len(found) != 1 {
		return nil, d.errorf(at, "the section %q has %d tables with the columns %q %s, not one", r.Section, len(found), r.Columns, r.Holds)
	}
	return found[0], nil
}

// header returns the header of a table, and the line of its first row. Some tables have an empty header, and bold names in the
// first row instead.
func (d *document) header(at int) (names []string, first int) {
	names = splitCells(strings.ReplaceAll(d.lines[at], "**", ""))
	if strings.Join(names, "") == "" {
		return splitCells(strings.ReplaceAll(d.lines[at+2], "**", "")), at + 3
	}
	return names, at + 2
}

var (
	lineComment  = regexp.MustCompile(`//.*`)
	blockComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
)

// declarationText returns the inside of the one declaration of a name in a section, in one line and without comments.
func (d *document) declarationText(section, name string) (string, int, error) {
	_, from, err := d.sectionText(section)
	if err != nil {
		return "", 0, err
	}
	for _, at := range d.starts(name) {
		if d.sectionAt(at.line) != d.sectionAt(from) {
			continue
		}
		end := at.line
		for end < len(d.lines) && !strings.HasPrefix(d.lines[end], at.indent+"}") {
			end++
		}
		text := lineComment.ReplaceAllString(strings.Join(d.lines[at.line:end], "\n"), "")
		return strings.Join(strings.Fields(blockComment.ReplaceAllString(text, "")), " "), at.line, nil
	}
	return "", 0, d.errorf(from, "the section %q has no declaration of %s", section, name)
}
