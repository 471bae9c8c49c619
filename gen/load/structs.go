package load

import (
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// field is one column of a struct.
type field struct {
	name     string
	optional bool
	value    reflect.Value
}

// fields lists the columns of a struct in order, with the columns of embedded structs in place. It also fills in the
// struct's position.
func (d *decoder) fields(n *yaml.Node, v reflect.Value) []field {
	var out []field
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		name, option, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		switch {
		case sf.Type == posType && name == "-":
			v.Field(i).Set(reflect.ValueOf(d.pos(n)))
		case sf.Anonymous && sf.Type.Kind() == reflect.Struct && name == "":
			out = append(out, d.fields(n, v.Field(i))...)
		case name != "-" && name != "":
			out = append(out, field{name: name, optional: option == "optional", value: v.Field(i)})
		}
	}
	return out
}

func (d *decoder) decodeStructValue(n *yaml.Node, v reflect.Value, name string) {
	fields := d.fields(n, v)
	before := len(d.tables.problems)
	defer func() {
		if len(d.tables.problems) > before {
			d.tables.broken[d.pos(n)] = true
		}
	}()
	if n.Kind != yaml.MappingNode {
		d.problemf(n, "%s needs columns, found %s", name, kindOf(n))
		return
	}
	seen := d.keys(n)
	for _, f := range fields {
		value, ok := seen[f.name]
		switch {
		case ok:
			d.decodeValue(value, f.value, f.name)
			delete(seen, f.name)
		case !f.optional:
			d.problemf(n, "%s is missing", f.name)
		}
	}
	d.checkOverrides(fields)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch value, unknown := seen[key.Value]; {
		case unknown && key.Value == "doc" && value.Value == Unwritten: // a refresh put it there
			d.tables.Problemf(d.pos(key), "write what this row is about, and remove its doc: rows of this list have none")
		case unknown:
			d.problemf(key, "unknown key %s; the table knows %s", key.Value, names(fields))
		}
	}
}

// keys maps the keys of a mapping to their values and reports a key that is written twice.
func (d *decoder) keys(n *yaml.Node) map[string]*yaml.Node {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if line, twice := lines[key.Value]; twice {
			d.problemf(key, "key %s is written twice (line %d)", key.Value, line)
			continue
		}
		lines[key.Value] = key.Line
		seen[key.Value] = n.Content[i+1]
	}
	return seen
}

// checkOverrides refuses an override for a column that the row does not have. The override "row" explains the whole row.
func (d *decoder) checkOverrides(fields []field) {
	for _, f := range fields {
		m, ok := f.value.Addr().Interface().(*Map[string])
		if !ok || f.name != "override" {
			continue
		}
		for _, e := range *m {
			if strings.TrimSpace(e.Value) == "" {
				d.tables.record(e.At, "override: %s needs a reason", e.Key)
			}
			if e.Key != "row" && !slices.ContainsFunc(fields, func(f field) bool { return f.name == e.Key }) {
				d.tables.record(e.At, "override: there is no column %s", e.Key)
			}
		}
	}
}

func names(fields []field) string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return strings.Join(out, ", ")
}

// Map is a mapping that keeps the order of the file.
type Map[V any] []Entry[V]

// Entry is one key of a Map.
type Entry[V any] struct {
	At    Pos
	Key   string
	Value V
}

// Get returns the value of a key.
func (m Map[V]) Get(key string) (V, bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	var zero V
	return zero, false
}

func (m *Map[V]) decodeNode(d *decoder, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		d.problemf(n, "a mapping is expected, not %s", kindOf(n))
		return
	}
	d.keys(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		e := Entry[V]{At: d.pos(n.Content[i]), Key: n.Content[i].Value}
		d.decodeValue(n.Content[i+1], reflect.ValueOf(&e.Value).Elem(), e.Key)
		*m = append(*m, e)
	}
}

// Word is a piece of text with its place, for lists of names that are checked one by one.
type Word struct {
	At   Pos
	Text string
}

func (w *Word) decodeNode(d *decoder, n *yaml.Node) {
	w.At = d.pos(n)
	d.decodeBasic(n, reflect.ValueOf(&w.Text).Elem(), "the value")
}
