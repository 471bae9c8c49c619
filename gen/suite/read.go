package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/suite/source"
	"github.com/specdrivers/onion/gen/suite/unified"
)

// compiler compiles one case. It records whatever is wrong with the case. It does not emit a case with a problem.
type compiler struct {
	file     *File
	from     string // From of the options
	list     string // the list that the case is an entry of
	unified  *unified.Format
	zone     *Zone
	problems []load.Problem
	judged   bool     // the compiler's verdict is the test
	except   []string // topologies that the case cannot run on
	skip     string   // why the file skips the case

	catalogue    *Catalogue
	fileProblems []load.Problem // in what the cases of the file share
	excused      bool           // the case is about the problems of its file
}

func (c *compiler) problemf(n *source.Node, format string, args ...any) {
	p := load.Problem{Pos: load.Pos{File: c.from + c.file.Path, Line: n.Line}, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(c.problems, p) {
		c.problems = append(c.problems, p)
	}
}

// fields reads an object with a known set of keys.
type fields struct {
	c    *compiler
	n    *source.Node
	used []string
}

func (c *compiler) object(n *source.Node) *fields {
	if n.Kind != source.Object {
		c.problemf(n, "is %s where an object is expected", n.Kind)
	}
	return &fields{c: c, n: n}
}

// reportUnread reports the keys that nothing has asked for.
func (f *fields) reportUnread() {
	for _, m := range f.n.Members {
		if !slices.Contains(f.used, m.Key) {
			f.c.problemf(&source.Node{Line: m.Line}, "unknown key %q", m.Key)
		}
	}
}

// get returns the value of a key, or nil when the object does not have it.
func (f *fields) get(key string) *source.Node {
	f.used = append(f.used, key)
	return f.n.Get(key)
}

// value is get for a key for which null means the same as absence.
func (f *fields) value(key string) *source.Node {
	if v := f.get(key); v != nil && v.Kind != source.Null {
		return v
	}
	return nil
}

// need returns the value of a required key.
func (f *fields) need(key string) *source.Node {
	if v := f.get(key); v != nil {
		return v
	}
	f.c.problemf(f.n, "the key %q is missing", key)
	return &source.Node{Line: f.n.Line}
}

func (c *compiler) kind(n *source.Node, key string, k source.Kind) bool {
	if n.Kind != k {
		c.problemf(n, "%q is %s where %s is expected", key, n.Kind, k)
	}
	return n.Kind == k
}

// str returns a required string.
func (f *fields) str(key string) string {
	if n := f.need(key); n.Line > 0 && f.n.Has(key) && f.c.kind(n, key, source.String) {
		return n.Text
	}
	return ""
}

// strOr returns a string that may be absent or null.
func (f *fields) strOr(key string) (string, bool) {
	n := f.value(key)
	if n == nil || !f.c.kind(n, key, source.String) {
		return "", false
	}
	return n.Text, true
}

// flag returns a required boolean.
func (f *fields) flag(key string) bool {
	if n := f.need(key); f.n.Has(key) && f.c.kind(n, key, source.Bool) {
		return n.Text == "true"
	}
	return false
}

// flagOr returns a boolean that may be absent or null.
func (f *fields) flagOr(key string) (value, there bool) {
	n := f.value(key)
	if n == nil || !f.c.kind(n, key, source.Bool) {
		return false, false
	}
	return n.Text == "true", true
}

// integer returns a required integer, in plain or extended JSON.
func (f *fields) integer(key string) int64 {
	if n := f.need(key); f.n.Has(key) {
		return f.c.integer(n, key)
	}
	return 0
}

// integerOr returns an integer that may be absent or null.
func (f *fields) integerOr(key string) (int64, bool) {
	n := f.value(key)
	if n == nil {
		return 0, false
	}
	return f.c.integer(n, key), true
}

// integer reads an integer, whichever type of number it is written as.
func (c *compiler) integer(n *source.Node, key string) int64 {
	text := n.Text
	if n.Kind == source.Object && len(n.Members) == 1 {
		if m := n.Members[0]; m.Key == "$numberLong" || m.Key == "$numberInt" || m.Key == "$numberDouble" {
			text = m.Value.Text
		}
	} else if n.Kind != source.Number {
		text = ""
	}
	if whole, zeros, ok := strings.Cut(text, "."); ok && strings.Trim(zeros, "0") == "" { // 3.0 is worth 3
		text = whole
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		c.problemf(n, "%q is not an integer", key)
	}
	return v
}

// list returns a required array.
func (f *fields) list(key string) []*source.Node {
	if n := f.need(key); f.n.Has(key) && f.c.kind(n, key, source.Array) {
		return n.Items
	}
	return nil
}

// listOr returns an array that may be absent or null.
func (f *fields) listOr(key string) ([]*source.Node, bool) {
	n := f.value(key)
	if n == nil || !f.c.kind(n, key, source.Array) {
		return nil, false
	}
	return n.Items, true
}

// oneOf returns the value that a string from a fixed set stands for.
func oneOf[T any](f *fields, key string, values map[string]T) T {
	text := f.str(key)
	v, ok := values[text]
	if !ok && f.n.Has(key) {
		f.c.problemf(f.need(key), "%q has the unknown value %q", key, text)
	}
	return v
}

// is42 reports whether a value is 42, which the older formats write where any value will do. It may be a number, a string, or a
// number in canonical extended JSON.
//
// CMAP Tests, "Spec Test Match Function"; Legacy Transactions Tests Format, "Test Format".
func is42(n *source.Node) bool {
	if n != nil && n.Kind == source.Object && len(n.Members) == 1 {
		n = n.Members[0].Value
	}
	return n != nil && n.Text == "42"
}
