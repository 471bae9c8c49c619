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

// pins is the file UPSTREAM: the commit that the tables follow, and for each document the sections, each with its
// fingerprint and those of its sentences. The text itself stays upstream.
type pins struct {
	path      string
	head      []string // comments and the repository
	commit    string
	documents []pinnedDocument
}

type pinnedDocument struct {
	path     string
	sections []pinnedSection
}

type pinnedSection struct {
	name, fingerprint string
	uncited           bool
	hashes            []string
	reason            string // why the last change needed no further work
	line              int
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
		if err := p.line(lines.Text(), number); err != nil {
			return nil, err
		}
	}
	return p, lines.Err()
}

func (p *pins) line(line string, number int) error {
	text := strings.TrimSpace(line)
	switch {
	case text == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "repository "):
		if len(p.documents) == 0 && text != "" {
			p.head = append(p.head, line)
		}
	case strings.HasPrefix(line, "commit "):
		p.commit = strings.TrimPrefix(line, "commit ")
	case strings.HasPrefix(line, "document "):
		p.documents = append(p.documents, pinnedDocument{path: strings.TrimPrefix(line, "document ")})
	case strings.HasPrefix(text, "because ") && len(p.documents) > 0 && len(p.last().sections) > 0:
		d := p.last()
		d.sections[len(d.sections)-1].reason = strings.TrimPrefix(text, "because ")
	case strings.HasPrefix(line, "  ") && len(p.documents) > 0:
		s, err := parseSection(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", p.path, number, err)
		}
		s.line = number
		d := p.last()
		d.sections = append(d.sections, s)
	default:
		return fmt.Errorf("%s:%d: %q is neither a commit, a document nor a section", p.path, number, line)
	}
	return nil
}

func (p *pins) last() *pinnedDocument { return &p.documents[len(p.documents)-1] }

// parseSection reads a fingerprint, perhaps the word uncited, the name in quotation marks, and the sentences.
func parseSection(text string) (pinnedSection, error) {
	var s pinnedSection
	var rest string
	var ok bool
	if s.fingerprint, rest, ok = strings.Cut(text, " "); !ok {
		return s, errors.New("a section wants a fingerprint and a name")
	}
	rest, s.uncited = strings.CutPrefix(rest, "uncited ")
	end := strings.LastIndex(rest, `"`)
	if end < 1 || rest[0] != '"' {
		return s, errors.New("the name of a section stands in quotation marks")
	}
	s.name = rest[1:end]
	s.hashes = strings.Fields(rest[end+1:])
	return s, nil
}

// document is the part about one document; it is added when it is new.
func (p *pins) document(path string) *pinnedDocument {
	i, found := slices.BinarySearchFunc(p.documents, path, func(d pinnedDocument, path string) int { return strings.Compare(d.path, path) })
	if !found {
		p.documents = slices.Insert(p.documents, i, pinnedDocument{path: path})
	}
	return &p.documents[i]
}

func (d *pinnedDocument) find(name string) *pinnedSection {
	for i := range d.sections {
		if d.sections[i].name == name {
			return &d.sections[i]
		}
	}
	return nil
}

// save writes the file in one step.
func (p *pins) save() error {
	var b bytes.Buffer
	for _, line := range p.head {
		b.WriteString(line + "\n")
	}
	if p.commit != "" {
		b.WriteString("commit " + p.commit + "\n")
	}
	for _, d := range p.documents {
		b.WriteString("document " + d.path + "\n")
		for _, s := range d.sections {
			uncited := ""
			if s.uncited {
				uncited = "uncited "
			}
			fmt.Fprintf(&b, "  %s %s%q %s\n", s.fingerprint, uncited, s.name, strings.Join(s.hashes, " "))
			if s.reason != "" {
				b.WriteString("    because " + s.reason + "\n")
			}
		}
	}
	return replaceFile(p.path, b.Bytes())
}
