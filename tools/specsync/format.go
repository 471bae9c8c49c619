package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

var schemaName = regexp.MustCompile(`^unified-test-format/schema-(\d+)\.(\d+)\.json$`)

// newestSchema returns the schema of the highest version in a checkout.
func (l *library) newestSchema(from string) (string, error) {
	files, err := l.filesOf(from, isData)
	if err != nil {
		return "", err
	}
	newest, best := "", -1
	for _, name := range files {
		if m := schemaName.FindStringSubmatch(name); m != nil {
			major, _ := strconv.Atoi(m[1]) // digits
			minor, _ := strconv.Atoi(m[2])
			if version := major*1000 + minor; version > best {
				newest, best = name, version
			}
		}
	}
	if newest == "" {
		return "", errors.New("unified-test-format has no schema")
	}
	return newest, nil
}

// syncFormat compares our table of the unified test format with the schema. The table has a form of its own, so a
// person makes the changes. It reports each difference; what it does not understand is an error.
func (s *session) syncFormat(stdout io.Writer) (behind bool, err error) {
	ours, err := s.table("unified/format.yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	schemaDoc, err := s.library.newestSchema(s.from)
	if err != nil {
		return false, err
	}
	data, err := os.ReadFile(filepath.Join(s.from, "source", filepath.FromSlash(schemaDoc)))
	if err != nil {
		return false, err
	}
	var schema yaml.Node // JSON is YAML, and the reader of YAML keeps line numbers
	if err := yaml.Unmarshal(data, &schema); err != nil || len(schema.Content) == 0 {
		return false, fmt.Errorf("%s: not a schema: %w", schemaDoc, err)
	}
	f := format{
		path:    schemaDoc,
		root:    schema.Content[0],
		enums:   column(ours.root, "enums"),
		objects: column(ours.root, "objects"),
		seen:    map[[2]*yaml.Node]bool{},
	}
	if f.enums == nil || f.objects == nil || column(f.objects, "file") == nil {
		return false, fmt.Errorf("%s: there are no enums, no objects or no object file", ours.path)
	}
	if err := f.understand(f.root); err != nil {
		return false, err
	}
	f.comparePair("file", f.root)
	f.reportUnpaired()
	for _, line := range f.report {
		fmt.Fprintln(stdout, line)
	}
	return len(f.report) > 0, nil
}

// format walks the schema and our table side by side.
type format struct {
	path           string
	root           *yaml.Node
	enums, objects *yaml.Node
	seen           map[[2]*yaml.Node]bool // pairs of ours and theirs
	report         []string
}

func (f *format) reportDifference(n *yaml.Node, text string, args ...any) {
	f.report = append(f.report, fmt.Sprintf("error specs/unified/format.yaml:%d ", n.Line)+fmt.Sprintf(text, args...))
}

// schemaWords are the words of a schema that the walk knows. The types of plain values, patterns and titles are not
// compared.
var schemaWords = []string{
	"properties", "patternProperties", "definitions", "$defs", "oneOf", "anyOf", "allOf", "items", "additionalProperties",
	"not", "$ref", "enum", "required", "minProperties", "maxProperties", "type", "pattern", "const", "minItems", "$schema",
	"title", "deprecated",
}

// understand refuses words that the walk does not know, anywhere in the schema.
func (f *format) understand(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		word, value := n.Content[i], n.Content[i+1]
		if !slices.Contains(schemaWords, word.Value) {
			return errorAt{f.path, word.Line, fmt.Sprintf("%q is not a word of a schema", word.Value)}
		}
		var below []*yaml.Node
		switch word.Value {
		case "properties", "patternProperties", "definitions", "$defs":
			for j := 1; j < len(value.Content); j += 2 {
				below = append(below, value.Content[j])
			}
		case "oneOf", "anyOf", "allOf":
			below = value.Content
		case "items", "additionalProperties", "not":
			below = []*yaml.Node{value}
		case "$ref":
			if f.resolve(n) == nil {
				return errorAt{f.path, value.Line, fmt.Sprintf("%q leads nowhere", value.Value)}
			}
		}
		for _, b := range below {
			if err := f.understand(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolve follows references.
func (f *format) resolve(n *yaml.Node) *yaml.Node {
	for range 10 {
		ref := column(n, "$ref")
		if ref == nil {
			return n
		}
		n = f.root
		for part := range strings.SplitSeq(strings.TrimPrefix(ref.Value, "#/"), "/") {
			if n = column(n, part); n == nil {
				return nil
			}
		}
	}
	return nil
}

// shapes returns the enums and objects that a schema allows in a place, in the schema's order.
func (f *format) shapes(n *yaml.Node) []*yaml.Node {
	n = f.resolve(n)
	if column(n, "enum") != nil || column(n, "properties") != nil || column(n, "patternProperties") != nil {
		return []*yaml.Node{n}
	}
	if items := column(n, "items"); items != nil {
		return f.shapes(items)
	}
	var out []*yaml.Node
	if one := column(n, "oneOf"); one != nil {
		for _, alternative := range one.Content {
			out = append(out, f.shapes(alternative)...)
		}
	}
	return out
}

// names returns the enums and objects that a type of ours names. It leaves out objects that may have any members, because there
// is nothing to compare.
func (f *format) names(kind string) []string {
	var out []string
	for name := range strings.SplitSeq(kind, " or ") {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "some "), "list of ")
		if column(f.enums, name) != nil {
			out = append(out, name)
		} else if o := column(f.objects, name); o != nil && (column(o, "open") == nil || column(o, "fields") != nil) {
			out = append(out, name)
		}
	}
	return out
}

// comparePair compares an enum or object of ours with upstream's.
func (f *format) comparePair(name string, theirs *yaml.Node) {
	ours := column(f.enums, name)
	if theirs := column(theirs, "enum"); ours != nil {
		if theirs == nil || valueText(ours) != valueText(theirs) {
			f.reportDifference(ours, "%s: the schema has %s", name, listText(theirs))
		}
		f.seen[[2]*yaml.Node{ours}] = true
		return
	}
	ours = column(f.objects, name)
	if f.seen[[2]*yaml.Node{ours, theirs}] {
		return
	}
	f.seen[[2]*yaml.Node{ours}], f.seen[[2]*yaml.Node{ours, theirs}] = true, true
	f.compareBounds(name, ours, theirs)
	f.compareMembers(name, ours, column(ours, "fields"), column(theirs, "properties"))
	f.compareMembers(name, ours, column(ours, "matching"), column(theirs, "patternProperties"))
	if choose := column(ours, "choose"); choose != nil {
		f.compareChoices(name, choose)
	}
}

// compareBounds compares what an object requires, how many members it has, and whether it may have others.
func (f *format) compareBounds(name string, ours, theirs *yaml.Node) {
	for _, c := range [][2]string{{"required", "required"}, {"atLeast", "minProperties"}, {"atMost", "maxProperties"}} {
		if a, b := listText(column(ours, c[0])), listText(column(theirs, c[1])); a != b {
			f.reportDifference(ours, "%s %s: %s in the table, %s in the schema", name, c[0], a, b)
		}
	}
	if a, b := exclusiveMembers(column(ours, "apart")), schemaExclusions(column(theirs, "allOf")); a != b {
		f.reportDifference(ours, "%s apart: %q in the table, %q in the schema", name, a, b)
	}
	closed := column(theirs, "additionalProperties")
	open := closed == nil || closed.Value == "true"
	if mayHave := column(ours, "open") != nil; mayHave != open {
		f.reportDifference(ours, "%s: members of other names are allowed: %t in the table, %t in the schema", name, mayHave, open)
	}
}

// compareMembers compares the members of an object by name, and goes on inside each.
func (f *format) compareMembers(name string, at, ours, theirs *yaml.Node) {
	for i := 0; theirs != nil && i+1 < len(theirs.Content); i += 2 {
		member := theirs.Content[i].Value
		kind := (*yaml.Node)(nil)
		if ours != nil {
			kind = column(ours, member)
		}
		if kind == nil {
			f.reportDifference(at, "%s: the schema has %s", name, member)
			continue
		}
		if strings.HasPrefix(kind.Value, "map of ") {
			continue // each test chooses the names of its members
		}
		names, shapes := f.names(kind.Value), f.shapes(theirs.Content[i+1])
		if len(names) != len(shapes) {
			f.reportDifference(kind, "%s.%s: %q are %d forms, the schema has %d", name, member, kind.Value, len(names), len(shapes))
			continue
		}
		for j := range names {
			f.comparePair(names[j], shapes[j])
		}
	}
	for i := 0; ours != nil && i+1 < len(ours.Content); i += 2 {
		if theirs == nil || column(theirs, ours.Content[i].Value) == nil {
			f.reportDifference(ours.Content[i], "%s: the schema has no %s", name, ours.Content[i].Value)
		}
	}
}

// compareChoices goes on inside the objects that depend on another member. In the schema, definitions have the names of these
// objects.
func (f *format) compareChoices(name string, choose *yaml.Node) {
	types := column(choose, "types")
	for i := 1; types != nil && i < len(types.Content); i += 2 {
		for _, chosen := range f.names(types.Content[i].Value) {
			if definitions := column(f.root, "definitions"); definitions != nil && column(definitions, chosen) != nil {
				f.comparePair(chosen, column(definitions, chosen))
			} else {
				f.reportDifference(types.Content[i], "%s: the schema has no %s", name, chosen)
			}
		}
	}
}

// reportUnpaired reports the enums and objects of the table that no part of the schema was paired with.
func (f *format) reportUnpaired() {
	for _, list := range []*yaml.Node{f.enums, f.objects} {
		for i := 0; i+1 < len(list.Content); i += 2 {
			o := list.Content[i+1]
			if onlyOpen := column(o, "open") != nil && column(o, "fields") == nil; !onlyOpen && !f.seen[[2]*yaml.Node{o}] {
				f.reportDifference(list.Content[i], "the schema has no use for %s", list.Content[i].Value)
			}
		}
	}
}

func listText(n *yaml.Node) string {
	if n == nil {
		return "nothing"
	}
	return valueText(n)
}

// exclusiveMembers spells the groups of members that exclude each other, as our table has them.
func exclusiveMembers(n *yaml.Node) string {
	var out []string
	for i := 0; n != nil && i < len(n.Content); i++ {
		out = append(out, valueText(n.Content[i]))
	}
	return strings.Join(out, " ")
}

// schemaExclusions spells the groups of members that exclude each other, as the schema says it: not all of them may be there.
func schemaExclusions(n *yaml.Node) string {
	var out []string
	for i := 0; n != nil && i < len(n.Content); i++ {
		if not := column(n.Content[i], "not"); not != nil {
			out = append(out, listText(column(not, "required")))
		}
	}
	return strings.Join(out, " ")
}
