package unified

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/suite/source"
)

// Violation is a value that the format does not allow.
type Violation struct {
	Line int
	Path string // from the top of the file, like tests[0].operations
	Text string
}

func (v Violation) String() string {
	if v.Path == "" {
		return v.Text
	}
	return v.Path + ": " + v.Text
}

// Validate lists everything in a file that the format does not allow, in the order of the file.
func (f *Format) Validate(n *source.Node) []Violation {
	var c checker
	f.types["file"].check(&c, "", n)
	return c.found
}

// ValidateEntity lists everything in an entity that the format does not allow.
func (f *Format) ValidateEntity(n *source.Node) []Violation {
	var c checker
	f.types["entity"].check(&c, "", n)
	return c.found
}

type checker struct{ found []Violation }

// add records a violation once. A chosen type may find the same violation as the type that it refines.
func (c *checker) add(n *source.Node, path, format string, args ...any) {
	v := Violation{Line: n.Line, Path: path, Text: fmt.Sprintf(format, args...)}
	if !slices.Contains(c.found, v) {
		c.found = append(c.found, v)
	}
}

// rule judges a value.
type rule interface {
	check(c *checker, path string, n *source.Node)
}

// basic is a rule that looks only at a single value.
type basic struct {
	want string
	ok   func(*source.Node) bool
}

func (b basic) check(c *checker, path string, n *source.Node) {
	if !b.ok(n) {
		c.add(n, path, "is %s where %s is expected", n.Kind, b.want)
	}
}

func isKind(k source.Kind) func(*source.Node) bool {
	return func(n *source.Node) bool { return n.Kind == k }
}

var basics = map[string]rule{
	"string":  basic{"a string", isKind(source.String)},
	"boolean": basic{"a boolean", isKind(source.Bool)},
	"object":  basic{"an object", isKind(source.Object)},
	"any":     basic{"anything", func(*source.Node) bool { return true }},
	"never":   basic{"nothing", func(*source.Node) bool { return false }},
	"true":    basic{"true", func(n *source.Node) bool { return n.Kind == source.Bool && n.Text == "true" }},
	"integer": basic{"an integer", func(n *source.Node) bool {
		whole, zeros, _ := strings.Cut(n.Text, ".")
		return n.Kind == source.Number && !strings.ContainsAny(whole, "eE") && strings.Trim(zeros, "0") == ""
	}},
}

type enum []string

func (e enum) check(c *checker, path string, n *source.Node) {
	if n.Kind != source.String || !slices.Contains(e, n.Text) {
		c.add(n, path, "%s is not one of %s", spell(n), strings.Join(e, ", "))
	}
}

type pattern struct{ re *regexp.Regexp }

func (p pattern) check(c *checker, path string, n *source.Node) {
	if n.Kind != source.String || !p.re.MatchString(n.Text) {
		c.add(n, path, "%s does not match %s", spell(n), p.re)
	}
}

// spell returns a value as messages show it.
func spell(n *source.Node) string {
	switch n.Kind {
	case source.String:
		return fmt.Sprintf("%q", n.Text)
	case source.Array, source.Object:
		return n.Kind.String()
	}
	return n.Text
}

type list struct {
	of      rule
	atLeast int
}

func (l list) check(c *checker, path string, n *source.Node) {
	if n.Kind != source.Array {
		c.add(n, path, "is %s where an array is expected", n.Kind)
		return
	}
	if len(n.Items) < l.atLeast {
		c.add(n, path, "is empty")
	}
	for i, item := range n.Items {
		l.of.check(c, fmt.Sprintf("%s[%d]", path, i), item)
	}
}

type mapOf struct{ of rule }

func (m mapOf) check(c *checker, path string, n *source.Node) {
	if n.Kind != source.Object {
		c.add(n, path, "is %s where an object is expected", n.Kind)
		return
	}
	for _, member := range n.Members {
		m.of.check(c, join(path, member.Key), member.Value)
	}
}

// either holds when exactly one of two rules does.
type either struct {
	left, right rule
	text        string
}

func (e either) check(c *checker, path string, n *source.Node) {
	var left, right checker
	e.left.check(&left, path, n)
	e.right.check(&right, path, n)
	switch {
	case len(left.found) > 0 && len(right.found) > 0:
		c.add(n, path, "is not %s (%s; %s)", e.text, left.found[0], right.found[0])
	case len(left.found) == 0 && len(right.found) == 0:
		c.add(n, path, "could be either in %s", e.text)
	}
}

type matching struct {
	re *regexp.Regexp
	of rule
}

type object struct {
	name     string
	row      objectRow
	fields   map[string]rule
	matching []matching
	chosen   map[string]rule
}

func (o *object) check(c *checker, path string, n *source.Node) {
	if n.Kind != source.Object {
		c.add(n, path, "is %s where an object is expected", n.Kind)
		return
	}
	for _, m := range n.Members {
		o.checkMember(c, path, m)
	}
	for _, key := range o.row.Required {
		if !n.Has(key) {
			c.add(n, path, "the %s has no %s", o.name, key)
		}
	}
	if len(n.Members) < o.row.AtLeast {
		c.add(n, path, "the %s has %d keys where at least %d are expected", o.name, len(n.Members), o.row.AtLeast)
	}
	if o.row.AtMost > 0 && len(n.Members) > o.row.AtMost {
		c.add(n, path, "the %s has %d keys where at most %d are allowed", o.name, len(n.Members), o.row.AtMost)
	}
	for _, apart := range o.row.Apart {
		if !slices.ContainsFunc(apart, func(key string) bool { return !n.Has(key) }) {
			c.add(n, path, "the %s has %s, which exclude each other", o.name, strings.Join(apart, " and "))
		}
	}
	o.checkChoice(c, path, n)
}

func (o *object) checkMember(c *checker, path string, m source.Member) {
	at := join(path, m.Key)
	r, known := o.fields[m.Key]
	if known {
		r.check(c, at, m.Value)
	}
	for _, p := range o.matching {
		if p.re.MatchString(m.Key) {
			known = true
			p.of.check(c, at, m.Value)
		}
	}
	if !known && !o.row.Open {
		c.found = append(c.found, Violation{Line: m.Line, Path: at, Text: "the " + o.name + " may not have this key"})
	}
}

// checkChoice judges a field whose type depends on another field. If that other field has a value that it may not have, only its
// own rule reports that.
func (o *object) checkChoice(c *checker, path string, n *source.Node) {
	ch := o.row.Choose
	if ch == nil || !n.Has(ch.Field) {
		return
	}
	value := ch.Absent
	if by := n.Get(ch.By); by != nil {
		value = by.Text
	}
	if r := o.chosen[value]; r != nil {
		r.check(c, join(path, ch.Field), n.Get(ch.Field))
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
