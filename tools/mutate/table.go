package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
)

// table is one file of specs.
type table struct {
	name    string // below specs
	text    string
	starts  []int // offset of each line
	mutants []*mutant
}

// mutant is one change to one table.
type mutant struct {
	table      *table
	start, end int // the range of the text to replace
	with       string
	what       string // what kind of change it is
}

func (m *mutant) line() int {
	i, found := slices.BinarySearch(m.table.starts, m.start)
	if found {
		i++
	}
	return i
}

func (m *mutant) String() string {
	return fmt.Sprintf("specs/%s:%d: %s: %s -> %s", m.table.name, m.line(), m.what, shorten(m.table.text[m.start:m.end]), shorten(m.with))
}

// fate returns a record of the mutant that has no verdict yet.
func (m *mutant) fate() *fate {
	line, _, _ := strings.Cut(m.table.text[m.table.starts[m.line()-1]:], "\n")
	return &fate{
		File: "specs/" + m.table.name, Line: m.line(), Row: strings.TrimSpace(line), Change: m.what,
		Was: shorten(m.table.text[m.start:m.end]), Is: shorten(m.with),
	}
}

// text returns the whole table with the change.
func (m *mutant) text() string { return m.table.text[:m.start] + m.with + m.table.text[m.end:] }

// shorten shortens a text to one line of limited length.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 70 {
		return string(r[:67]) + "..."
	}
	if s == "" {
		return "nothing"
	}
	return s
}

// readTables reads the tables of a module and finds what can be changed in them.
func readTables(root, patterns string) ([]*table, error) {
	specs := os.DirFS(filepath.Join(root, "specs"))
	var tables []*table
	err := fs.WalkDir(specs, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(load.FilesWithoutBehaviour(), name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !strings.HasSuffix(name, ".yaml") || !matches(name, patterns):
			return nil
		}
		text, err := fs.ReadFile(specs, name)
		if err != nil {
			return err
		}
		t, err := newTable(name, string(text))
		tables = append(tables, t)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	return tables, nil
}

func matches(name, patterns string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(p string) bool { return strings.Contains(name, p) })
}

func newTable(name, text string) (*table, error) {
	t := &table{name: name, text: text}
	for i := 0; i < len(text); {
		t.starts = append(t.starts, i)
		next := strings.IndexByte(text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &finder{table: t, columns: map[string][]string{}, uses: map[string]int{}}
	f.collect(&doc, "")
	f.walk(&doc, "")
	return t, nil
}

// sample puts the mutants in a random order that takes one of each table in turn.
func sample(tables []*table, seed uint64) []*mutant {
	r := rand.New(rand.NewPCG(seed, seed))
	rest := make([][]*mutant, len(tables))
	for i, t := range tables {
		rest[i] = slices.Clone(t.mutants)
		r.Shuffle(len(rest[i]), func(a, b int) { rest[i][a], rest[i][b] = rest[i][b], rest[i][a] })
	}
	r.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
	var order []*mutant
	for more := true; more; {
		more = false
		for i, of := range rest {
			if len(of) > 0 {
				order, rest[i], more = append(order, of[0]), of[1:], true
			}
		}
	}
	return order
}
