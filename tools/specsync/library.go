package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite"
)

// library opens the documents of a checkout and our tables. It parses each once while its text stays the same.
// Consecutive runs may share it.
type library struct {
	volumes map[string]*volume
	tables  map[string]parsedTable // by their names below specs
	files   map[string]printedFile // files that are not documents
	walked  map[string][]string    // the files of a checkout, for one run
	fresh   map[string]bool        // the documents that this run has read
	suites  map[string][]*suite.File
}

// printedFile is a file and its fingerprint.
type printedFile struct {
	size        int64
	changed     time.Time
	fingerprint string
}

type volume struct {
	data     []byte
	document *document
	titles   []caption       // nil until somebody asks
	pinned   []pinnedSection // the sections with their fingerprints, nil until somebody asks
}

// parsedTable is a table as YAML. Nothing changes the tree: edits change lines.
type parsedTable struct {
	data []byte
	root *yaml.Node
}

func newLibrary() *library {
	return &library{volumes: map[string]*volume{}, tables: map[string]parsedTable{}, files: map[string]printedFile{},
		fresh: map[string]bool{}}
}

// filesOf lists files of a checkout, below source.
func (l *library) filesOf(from string, wanted func(string) bool) ([]string, error) {
	all, known := l.walked[from]
	if !known {
		var err error
		if all, err = filesOf(filepath.Join(from, "source"), func(string) bool { return true }); err != nil {
			return nil, err
		}
		if l.walked != nil {
			l.walked[from] = all
		}
	}
	var out []string
	for _, name := range all {
		if wanted(name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// specifications lists the documents of a checkout.
func (l *library) specifications(from string) ([]string, error) { return l.filesOf(from, isDocument) }

// openFile opens a table for reading and for edits.
func (l *library) openFile(specs, name string) (*file, error) {
	path := filepath.Join(specs, filepath.FromSlash(name))
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, known := l.tables[name]
	if !known || !bytes.Equal(t.data, data) {
		root, err := parseTable(path, data)
		if err != nil {
			return nil, err
		}
		t = parsedTable{data, root}
		l.tables[name] = t
	}
	return newFile(name, path, data, t.root), nil
}

// references returns the references of all tables, as load.Tables.References does.
func (l *library) references(specs string) ([]load.Reference, error) {
	names, err := filesOf(specs, func(name string) bool { return path.Ext(name) == ".yaml" && !strings.HasPrefix(name, "cases/") })
	if err != nil {
		return nil, err
	}
	var out []load.Reference
	for _, name := range names {
		f, err := l.openFile(specs, name)
		if err != nil {
			return nil, err
		}
		out = load.ReferencesIn(out, "specs/"+name, f.root)
	}
	return out, nil
}

// open reads a document. It returns a copy that has no marks yet.
func (l *library) open(root, path string) (*document, error) {
	v := l.volumes[path]
	if v == nil || !l.fresh[path] {
		data, err := os.ReadFile(filepath.Join(root, "source", filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		if v == nil || !bytes.Equal(v.data, data) {
			v = &volume{data: data, document: parse(path, data)}
			v.document.sections()
			v.document.memory = map[string]any{}
			l.volumes[path] = v
		}
		l.fresh[path] = true
	}
	d := *v.document
	d.tables = map[int]bool{}
	return &d, nil
}

// testFiles returns the test files of a checkout. It reads them once: a run on another state of the checkout needs another
// library.
func (l *library) testFiles(root string) ([]*suite.File, error) {
	if l.suites == nil {
		l.suites = map[string][]*suite.File{}
	}
	if l.suites[root] == nil {
		files, err := suite.Find(os.DirFS(filepath.Join(root, "source")), nil)
		if err != nil {
			return nil, err
		}
		l.suites[root] = slices.DeleteFunc(files, func(f *suite.File) bool { return !isAboutTests(f.Path) })
	}
	return l.suites[root], nil
}

// start forgets what may have changed between two runs: files come and go.
func (l *library) start() {
	l.walked, l.fresh, l.suites = map[string][]string{}, map[string]bool{}, nil
}

// titles returns the headings and declarations of a document.
func (l *library) titles(root, path string) ([]caption, error) {
	d, err := l.open(root, path)
	if err != nil {
		return nil, err
	}
	v := l.volumes[path]
	if v.titles == nil {
		v.titles = d.titles()
	}
	return v.titles, nil
}

// fingerprint returns the fingerprint of a whole file of the checkout.
func (l *library) fingerprint(root, path string) (string, error) {
	name := filepath.Join(root, "source", filepath.FromSlash(path))
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	f, known := l.files[path]
	if !known || f.size != info.Size() || !f.changed.Equal(info.ModTime()) {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		f = printedFile{info.Size(), info.ModTime(), fingerprint([]string{plainData(path, data)})}
		l.files[path] = f
	}
	return f.fingerprint, nil
}

// plainData returns a file of data without what does not matter: spaces between values, and how lines end.
func plainData(path string, data []byte) string {
	var compact bytes.Buffer
	if strings.HasSuffix(path, ".json") && json.Compact(&compact, data) == nil {
		return compact.String()
	}
	if !utf8.Valid(data) {
		return string(data)
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// fingerprints returns the pins that the sections of a document would have now.
func (l *library) fingerprints(d *document) []pinnedSection {
	v := l.volumes[d.path]
	if v != nil && v.pinned != nil {
		return v.pinned
	}
	var out []pinnedSection
	for _, s := range d.sections() {
		sentences := d.sentences(s)
		out = append(out, pinnedSection{name: s.name, depth: s.depth, fingerprint: fingerprint(sentences), hashes: hashes(sentences)})
	}
	if v != nil {
		v.pinned = out
	}
	return out
}
