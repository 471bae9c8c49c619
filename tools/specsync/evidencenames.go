package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite"
	"gopkg.in/yaml.v3"
)

// naming knows what rows may name: functions, tests, cases, tables, anchors and other rows. It reads folders and tables
// when a row names something in them.
type naming struct {
	from, specs, module string
	library             *library
	code                *goCode
	tables              *load.Tables
	byPath              map[string]*load.Evidence // by the document that the rows are about

	tests    map[string]bool
	mutants  map[string]bool            // by name; nil until a row names one
	words    map[string]map[string]bool // by table
	anchors  map[string]bool
	unpinned bool                       // there is no file of pins
	pins     map[string]suite.Pin       // the files of upstream's cases; nil until a row names one
	cases    map[string]map[string]bool // the names of the cases in them
}

func (k *naming) start() (err error) {
	k.tests, err = k.code.tests()
	k.words, k.anchors = map[string]map[string]bool{}, map[string]bool{}
	for _, r := range k.tables.Documentation().Rows {
		k.anchors[r.Anchor] = true
	}
	return err
}

// missingNames lists what a row names although it does not exist.
func (k *naming) missingNames(file *load.Evidence, r load.EvidenceRow) []string {
	var out []string
	say := func(there bool, what string) {
		if !there {
			out = append(out, what)
		}
	}
	for _, name := range r.Function {
		say(k.declares(name), "function "+name)
	}
	for _, name := range r.Witness {
		if name != "none" {
			say(k.hasWitness(name), "test or case "+name)
		}
	}
	if r.Mutant != "" {
		say(k.hasMutant(r.Mutant), "mutant "+r.Mutant)
	}
	if r.Table != "" {
		name, row, _ := strings.Cut(r.Table, " ")
		say(k.holds(name, row), "row or table "+r.Table)
	}
	if r.Same != "" {
		say(k.answers(file, r.Same), "row "+r.Same)
	}
	if r.Users != "" {
		say(k.anchors[r.Users] || k.declares(r.Users), "anchor or declaration "+r.Users)
	}
	if r.Departs != "" {
		say(slices.ContainsFunc(k.tables.Departures().Rows, func(d load.Departure) bool { return d.Anchor == r.Departs }),
			"departure "+r.Departs)
	}
	return out
}

// namedMutants is the table of mistakes that tools/mutate can plant by name.
const namedMutants = "tools/mutate/named.yaml"

// hasMutant reports whether the table of mistakes has one of that name.
func (k *naming) hasMutant(name string) bool {
	if k.mutants == nil {
		k.mutants = map[string]bool{}
		data, err := os.ReadFile(filepath.Join(k.module, namedMutants))
		if err != nil {
			return false
		}
		var table struct{ Rows []struct{ Name string } }
		if yaml.Unmarshal(data, &table) != nil {
			return false
		}
		for _, r := range table.Rows {
			k.mutants[r.Name] = true
		}
	}
	return k.mutants[name]
}

// hasWitness reports whether the name is that of a Go test, of a file of cases, or of a case in one: FILE, CASE.
func (k *naming) hasWitness(name string) bool {
	if k.tests[name] {
		return true
	}
	file, which, one := strings.Cut(name, ", ")
	if strings.HasPrefix(file, "cases/") {
		return !one && exists(os.DirFS(k.specs), file)
	}
	if folder, test, found := lastCut(name, "."); found && strings.HasPrefix(test, "Example") {
		return k.declares(folder + "." + test)
	}
	if k.pins == nil {
		k.readCases()
	}
	_, pinned := k.pins[file]
	return (pinned || k.unpinned) && (!one || k.cases[file] == nil || k.cases[file][which])
}

// readCases reads which files of cases UPSTREAM-TESTS pins, and the names of the cases in those that the checkout has. The pins
// report what upstream removes; a row turns red once they have moved.
func (k *naming) readCases() {
	k.pins, k.cases = map[string]suite.Pin{}, map[string]map[string]bool{}
	data, err := os.ReadFile(filepath.Join(k.specs, testPins))
	if k.unpinned = err != nil; k.unpinned {
		return // nothing is pinned, and nothing can be compared
	}
	if pins, err := suite.ParsePins(string(data)); err == nil {
		k.pins = pins.Files
	}
	files, err := k.library.testFiles(k.from)
	if err != nil {
		return
	}
	for _, f := range files {
		k.cases[f.Path] = map[string]bool{}
		for _, c := range f.NamedCases() {
			k.cases[f.Path][c.Name] = true
		}
	}
}

func lastCut(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

var goPath = regexp.MustCompile(`^((?:[\w-]+/)*[\w-]+)\.(\w+(?:\.\w+)?)$`)

// declares reports whether a Go package of ours declares FOLDER.Name or FOLDER.Type.Method.
func (k *naming) declares(name string) bool {
	m := goPath.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	return k.code.declarations(m[1])[m[2]]
}

// holds reports whether a table below specs exists and, if a row is named, has a column or a value of that name.
func (k *naming) holds(name, row string) bool {
	if path.Ext(name) != ".yaml" {
		return row == "" && exists(os.DirFS(k.specs), name)
	}
	if k.words[name] == nil {
		f, err := k.library.openFile(k.specs, name)
		if err != nil {
			return false
		}
		k.words[name] = map[string]bool{"": true}
		collectTexts(f.root, k.words[name])
	}
	return k.words[name][row]
}

func collectTexts(n *yaml.Node, out map[string]bool) {
	if n.Kind == yaml.ScalarNode {
		out[n.Value] = true
	}
	for _, below := range n.Content {
		collectTexts(below, out)
	}
}

// answers reports whether a row answers that sentence itself. The row is in this document, or in the one named before the id.
func (k *naming) answers(file *load.Evidence, same string) bool {
	row := k.rowOf(file, same)
	return row != nil && row.Same == ""
}

// rowOf returns the row of that sentence, in this document or in the one named before the id; nil if there is none.
func (k *naming) rowOf(file *load.Evidence, same string) *load.EvidenceRow {
	if document, id, other := strings.Cut(same, " "); other {
		if file = k.byPath[document]; file == nil {
			return nil
		}
		same = id
	}
	var found *load.EvidenceRow
	for _, s := range file.Sections {
		for i := range s.Rows {
			if r := &s.Rows[i]; same != "" && r.ID == same && (found == nil || found.Same != "") {
				found = r
			}
		}
	}
	return found
}

// exists reports whether a file is there.
func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}
