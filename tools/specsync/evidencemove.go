package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// movement says which sentence a row answers from now on, and why its answer still holds.
type movement struct {
	document     string
	from, id     string // the section and the sentence that are gone
	to, sentence string // those that came
	reason       string
}

// parseMovements reads "DOCUMENT, SECTION, ID -> SECTION, ID", and wants a reason.
func parseMovements(list []string, reason string) ([]movement, error) {
	if len(list) > 0 && reason == "" {
		return nil, errors.New("-move needs a reason: give it with -because")
	}
	var out []movement
	for _, text := range list {
		left, right, arrow := strings.Cut(text, " -> ")
		document, left, comma := strings.Cut(left, ", ")
		from, id, first := lastCut(left, ", ")
		to, sentence, second := lastCut(right, ", ")
		if !arrow || !comma || !first || !second {
			return nil, fmt.Errorf("-move %q is not DOCUMENT, SECTION, ID -> SECTION, ID", text)
		}
		out = append(out, movement{document, from, strings.TrimSpace(id), to, strings.TrimSpace(sentence), reason})
	}
	return out, nil
}

// move moves rows to sentences that were edited, and keeps what they say.
func (o options) move(list []movement) error {
	for _, m := range list {
		tables := load.NewTables(os.DirFS(o.specs))
		files := tables.Evidence()
		i := slices.IndexFunc(files, func(e *load.Evidence) bool { return e.Spec == m.document })
		if i < 0 {
			return fmt.Errorf("-move: no file of evidence is about %s", m.document)
		}
		l := newLibrary()
		l.start()
		d, err := l.open(o.from, m.document)
		if err != nil {
			return err
		}
		if err := o.moveRow(m, files[i], lineUp(d, files[i])); err != nil {
			return fmt.Errorf("-move %q: %w", m.document+", "+m.from+", "+m.id, err)
		}
	}
	return nil
}

func (o options) moveRow(m movement, file *load.Evidence, l *matching) error {
	row := slices.IndexFunc(l.lost, func(r lostRow) bool { return r.section == m.from && r.ID == m.id })
	if row < 0 {
		return errors.New("no row without a sentence has that place")
	}
	at := slices.IndexFunc(l.sentences, func(n normativeSentence) bool { return n.section == m.to && n.id == m.sentence })
	if at < 0 {
		return fmt.Errorf("there is no sentence %s in %q", m.sentence, m.to)
	}
	if l.answered[place(m.to, m.sentence)] {
		return fmt.Errorf("another row answers %s", m.sentence)
	}
	name := filepath.Join(o.specs, strings.TrimPrefix(file.File, "specs/"))
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := strings.Split(string(data), "\n")
	line := l.lost[row].At.Line - 1
	moved, err := renameRow(text[line], m)
	if err != nil {
		return err
	}
	text = dropEmptySections(insert(slices.Delete(text, line, line+1), moved, m.to, at, l))
	return replaceFiles([]pendingFile{{name, []byte(strings.Join(text, "\n"))}})
}

var (
	sectionLine = regexp.MustCompile(`^  - section: ("(?:[^"\\]|\\.)*")$`)
	rowLine     = regexp.MustCompile(`^      - \{id: "([0-9a-f/]+)"`)
)

// insert puts the line of a row where the sentence with that index belongs, in a new section if need be.
func insert(text []string, moved, section string, at int, l *matching) []string {
	index := map[string]int{}
	for i, n := range l.sentences {
		index[place(n.section, n.id)] = i
	}
	current, best, within := "", -1, false
	for i, line := range text {
		if m := sectionLine.FindStringSubmatch(line); m != nil {
			current, _ = strconv.Unquote(m[1])
			if current == section {
				best, within = i+1, true // behind rows:
			}
		}
		if m := rowLine.FindStringSubmatch(line); m != nil && (current == section || !within) {
			if where, there := index[place(current, m[1])]; there && where < at {
				best = i
			}
		}
		if line == "sections:" {
			best = i
		}
	}
	if within {
		return slices.Insert(text, best+1, moved)
	}
	for best+1 < len(text) && strings.HasPrefix(text[best+1], "      - ") {
		best++ // the rest of the section before it
	}
	return slices.Insert(text, best+1, fmt.Sprintf("  - section: %q", section), "    rows:", moved)
}

// dropEmptySections drops the sections whose last row moved away.
func dropEmptySections(text []string) []string {
	var out []string
	for i, line := range text {
		empty := i+1 == len(text) || !strings.HasPrefix(text[i+1], "      ")
		if line == "    rows:" && empty {
			out = out[:len(out)-1]
			continue
		}
		out = append(out, line)
	}
	return out
}

var movedColumn = regexp.MustCompile(`, moved: "(?:[^"\\]|\\.)*"`)

// renameRow returns the line of a row with another sentence and the reason.
func renameRow(line string, m movement) (string, error) {
	id := fmt.Sprintf("id: %q", m.id)
	body, closed := strings.CutSuffix(movedColumn.ReplaceAllString(line, ""), "}")
	if !closed || strings.Count(body, id) != 1 {
		return "", errors.New("the row does not stand in one line: move it by hand")
	}
	return strings.Replace(body, id, fmt.Sprintf("id: %q", m.sentence), 1) + ", moved: " + strconv.Quote(m.reason) + "}", nil
}
