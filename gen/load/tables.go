package load

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Header is the top of every table file. Embed it in the struct of a file.
type Header struct {
	Table string `yaml:"table"`
	Doc   string `yaml:"doc"`
	Spec  string `yaml:"spec"`
}

// Row holds the columns that every row may have. Embed it in the struct of a row.
type Row struct {
	At       Pos         `yaml:"-"`
	Spec     string      `yaml:"spec,optional"` // defaults to the table's own
	Doc      string      `yaml:"doc"`
	Override Map[string] `yaml:"override,optional"` // column -> why it differs from upstream; "row" for a row of our own
	Document string      `yaml:"document,optional"` // what a driver must tell its users
}

// Tables reads table files below a root, each at most once.
type Tables struct {
	fsys     fs.FS
	read     map[string]any
	broken   map[Pos]bool
	problems []Problem
	unread   bool // some file could not be read at all
}

// NewTables returns the tables in fsys, whose root is the specs directory.
func NewTables(fsys fs.FS) *Tables {
	return &Tables{fsys: fsys, read: map[string]any{}, broken: map[Pos]bool{}}
}

// FS is the specs directory, for readers of files that are not tables.
func (t *Tables) FS() fs.FS { return t.fsys }

// Unwritten is the doc that a refresh gives a new row, until somebody writes a real one. It loads, but the model
// refuses it.
const Unwritten = "Write what this row is about."

// Read decodes one table file into a T, strictly. It records an absent or broken file as a problem and returns what it
// could decode, so one run reports everything.
func Read[T any](t *Tables, file string) *T {
	if cached, ok := t.read[file].(*T); ok {
		return cached
	}
	out := new(T)
	t.read[file] = out
	root := t.parse(file)
	t.unread = t.unread || root == nil
	if root != nil {
		d := decoder{tables: t, file: "specs/" + file}
		d.decodeStruct(root, out)
	}
	return out
}

// Glob reads every table file that matches a pattern, sorted by name.
func Glob[T any](t *Tables, pattern string) []*T {
	names, err := fs.Glob(t.fsys, pattern)
	if err != nil {
		t.Problemf(Pos{File: "specs/" + pattern}, "bad pattern: %v", err)
	}
	slices.Sort(names)
	var out []*T
	for _, name := range names {
		out = append(out, Read[T](t, name))
	}
	return out
}

// UnreadFiles lists the table files that have not been read. Their rows would reach no emitter.
func (t *Tables) UnreadFiles(skip ...string) []string {
	var names []string
	_ = fs.WalkDir(t.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || slices.Contains(skip, name):
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && path.Ext(name) == ".yaml" && t.read[name] == nil:
			names = append(names, name)
		}
		return nil
	})
	return names
}

// yamlLine extracts the line number from a message of the YAML parser, because its errors have no field for it.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

func (t *Tables) parse(file string) *yaml.Node {
	at := Pos{File: "specs/" + file}
	data, err := fs.ReadFile(t.fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		t.record(at, "the table does not exist")
		return nil
	} else if err != nil {
		t.record(at, "%v", err)
		return nil
	}
	doc, err := Parse(data)
	if err != nil {
		text := err.Error()
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			at.Line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		t.record(at, "%s", strings.TrimPrefix(text, "yaml: "))
		return nil
	}
	if len(doc.Content) == 0 {
		t.record(at, "the table is empty")
		return nil
	}
	return doc.Content[0]
}

// Parse is the YAML parser, except that it remembers its results; see Remember.
func Parse(data []byte) (*yaml.Node, error) {
	return Remember(string(data), func() (*yaml.Node, error) {
		doc := new(yaml.Node)
		return doc, yaml.Unmarshal(data, doc)
	})
}
