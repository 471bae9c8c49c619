package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pins is the file UPSTREAM: the commit that the tables follow, for each document its sections, each with its
// fingerprint and the fingerprints of its sentences, and the fingerprints of files of data. The text itself stays
// upstream.
type pins struct {
	path      string
	head      []string // comments and the repository
	commit    string
	documents []pinnedDocument
}

// pinnedDocument is a document, or a file of data with one section.
type pinnedDocument struct {
	path     string
	sections []pinnedSection
}

type pinnedSection struct {
	name, fingerprint string
	depth             int // how many sections are around it
	hashes            []string
	reason            string // why the last change needed no further work
}

// title returns the heading of a section without the headings around it.
func (s pinnedSection) title() string {
	if i := strings.LastIndex(s.name, " / "); i >= 0 {
		return s.name[i+3:]
	}
	return s.name
}

func (d pinnedDocument) kind() string {
	if isDocument(d.path) {
		return "document"
	}
	return "file"
}

// readPins reads UPSTREAM; a directory of tables without one pins nothing.
func readPins(specs string) (*pins, error) {
	p := &pins{path: filepath.Join(specs, "UPSTREAM")}
	data, err := os.ReadFile(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		if err := p.line(lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", p.path, number, err)
		}
	}
	return p, lines.Err()
}

func (p *pins) line(line string) error {
	text := strings.TrimLeft(line, " ")
	word, rest, _ := strings.Cut(text, " ")
	var last *pinnedDocument
	if n := len(p.documents); n > 0 {
		last = &p.documents[n-1]
	}
	switch {
	case last == nil && (text == "" || word == "#" || word == "repository"):
		p.head = append(p.head, line)
	case line == text && word == "commit":
		p.commit = rest
	case line == text && word == "document":
		p.documents = append(p.documents, pinnedDocument{path: rest})
	case line == text && word == "file":
		name, fingerprint, _ := strings.Cut(rest, " ")
		p.documents = append(p.documents, pinnedDocument{path: name, sections: []pinnedSection{
			{name: wholeDocument, fingerprint: fingerprint},
		}})
	case last != nil && word == "because" && len(last.sections) > 0:
		last.sections[len(last.sections)-1].reason = rest
	case last != nil && line != text:
		s := pinnedSection{fingerprint: word, depth: (len(line)-len(text))/2 - 1}
		end := strings.LastIndex(rest, `"`)
		if end < 1 || rest[0] != '"' {
			return errors.New("the name of a section must be in quotation marks")
		}
		s.name, s.hashes = rest[1:end], strings.Fields(rest[end+1:])
		last.sections = append(last.sections, s)
	default:
		return fmt.Errorf("%q is neither a commit, a document, a file nor a section", line)
	}
	return nil
}

func (p *pins) position(path string) (int, bool) {
	return slices.BinarySearchFunc(p.documents, path, func(d pinnedDocument, path string) int { return strings.Compare(d.path, path) })
}

// find returns the part about one document, or nil.
func (p *pins) find(path string) *pinnedDocument {
	if i, found := p.position(path); found {
		return &p.documents[i]
	}
	return nil
}

func (p *pins) add(d pinnedDocument) {
	i, _ := p.position(d.path)
	p.documents = slices.Insert(p.documents, i, d)
}

func (d *pinnedDocument) find(name string) *pinnedSection {
	for i := range d.sections {
		if d.sections[i].name == name {
			return &d.sections[i]
		}
	}
	return nil
}

// text returns the file as it is written.
func (p *pins) text() []byte {
	var b bytes.Buffer
	for _, line := range p.head {
		b.WriteString(line + "\n")
	}
	if p.commit != "" {
		b.WriteString("commit " + p.commit + "\n")
	}
	for _, d := range p.documents {
		if d.kind() == "document" {
			b.WriteString("document " + d.path + "\n")
		}
		for _, s := range d.sections {
			indent := strings.Repeat("  ", s.depth+1)
			if s.name == wholeDocument {
				b.WriteString("file " + d.path + " " + s.fingerprint + "\n")
			} else {
				line := fmt.Sprintf("%s%s \"%s\" %s", indent, s.fingerprint, s.name, strings.Join(s.hashes, " "))
				b.WriteString(strings.TrimRight(line, " ") + "\n")
			}
			if s.reason != "" {
				b.WriteString(indent + "  because " + s.reason + "\n")
			}
		}
	}
	return b.Bytes()
}
