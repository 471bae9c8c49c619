package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

const sessionDoc = "sessions/driver-sessions.md"

// opening is a line that opens the declaration of a type, in a block of code.
var opening = regexp.MustCompile(`^ *(?:(?:class|interface|enum) (\w+)\b[^.;]*|type (\w+) = .*)$`)

// readNothingElse yields no table. It looks through all documents of a checkout for what the other readers miss.
func readNothingElse(from, specs string, l *library) reader {
	return func(open func(string) (*document, error)) ([]table, error) {
		paths, err := l.specifications(from)
		if err != nil {
			return nil, err
		}
		var documents []*document
		for _, path := range paths {
			d, err := open(path)
			if err != nil {
				return nil, err
			}
			if !isAboutTests(path) {
				d.problems = append(d.problems, d.strangeForms()...)
			}
			d.toLast = true
			documents = append(documents, d)
		}
		rows, err := readUnread(specs)
		if err != nil {
			return nil, nil // noteUnreadTables reports it
		}
		readings, err := listReadings(specs)
		if err != nil {
			return nil, nil // readReadings reports it
		}
		return nil, checkDeclared(documents, rows.Declarations, readings)
	}
}

// checkDeclared reports the declarations of a checkout that no table mirrors and no row lists. It also reports rows whose
// declarations no longer exist or that a table mirrors after all.
func checkDeclared(documents []*document, rows []load.UnreadDeclaration, readings []load.Reading) error {
	var problems []error
	mirrored, reasons := map[string]bool{}, map[string]load.Pos{}
	for _, d := range slices.Concat(declaredTypes, declaredEnums, declaredCommands) {
		for _, part := range append([]mirroredDeclaration{d}, d.more...) {
			for _, name := range part.names {
				mirrored[part.path+" "+name] = true
			}
		}
	}
	mirrored[cursorDoc+" GetMoreCommand"] = true
	for _, r := range readings {
		mirrored[r.Document+" "+r.Of] = true
	}
	for _, r := range rows {
		for _, name := range r.Names {
			key := r.Document + " " + name
			if first, twice := reasons[key]; twice {
				problems = append(problems, fmt.Errorf("%s: %s has a reason in %s already", r.At, key, first))
			}
			reasons[key] = r.At
		}
	}
	found := map[string]bool{}
	empty := map[string]bool{}
	for _, r := range rows {
		for _, name := range r.Names {
			empty[r.Document+" "+name] = r.Empty
		}
	}
	for _, d := range documents {
		for _, x := range d.declarations() {
			key := d.path + " " + x.name
			if _, all := reasons[d.path+" *"]; all {
				key = d.path + " *"
			}
			found[key] = true
			if err := d.checkEmpty(x); empty[key] && err != nil {
				problems = append(problems, err)
			}
			if _, listed := reasons[key]; !mirrored[key] && !listed && !isEvent(d, x) {
				problems = append(problems, d.errorf(x.line, "no table mirrors %s", x.name))
			}
		}
	}
	for key, at := range reasons {
		if !found[key] || mirrored[key] {
			problems = append(problems, fmt.Errorf("%s: the reason why nothing mirrors %s is out of date", at, key))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(problems...)
}

// isEvent reports whether readEvents reads a declaration.
func isEvent(d *document, x openingLine) bool {
	return slices.Contains(eventDocuments, d.path) && interfaceStart.MatchString(d.lines[x.line-1])
}

// openingLine is the opening line of a declaration.
type openingLine struct {
	name string
	line int
}

// declarations lists the declarations in a document's blocks of code.
func (d *document) declarations() []openingLine {
	return remember(d, "declarations", d.findDeclarations)
}

func (d *document) findDeclarations() []openingLine {
	var out []openingLine
	for i, line := range d.lines {
		if d.kind(i) != code {
			continue
		}
		if m := opening.FindStringSubmatch(line); m != nil {
			out = append(out, openingLine{m[1] + m[2], i + 1})
		}
	}
	return out
}

// checkEmpty reports the first member of a declaration that has none, as a row of unread.yaml says.
func (d *document) checkEmpty(x openingLine) error {
	if strings.Contains(d.lines[x.line-1], "}") {
		return nil
	}
	comment := false
	for i := x.line; i < len(d.lines) && d.kind(i) == code; i++ {
		line := strings.TrimSpace(d.lines[i])
		comment = comment || strings.HasPrefix(line, "/*")
		switch {
		case comment:
			comment = !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "}"):
			return nil
		case line != "" && !strings.HasPrefix(line, "//"):
			return d.errorf(i+1, "%s has the member %q, and specs/%s says that it has none", x.name, line, unreadFile)
		}
	}
	return nil
}
