package query

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// Options configure the compilation of a query document.
type Options struct {
	Collation *collate.Collator
	Scope     *expr.Scope // the variables for $expr and the server version; nil is no variables and the newest version
	// Plain marks the places where the server accepts no $expr, $jsonSchema, $where, $text or $near: array filters,
	// $pull, the $elemMatch projection and partial indexes.
	Plain bool
	// NoNear marks the stage $match, where the server accepts no $near.
	NoNear bool
	// Text finds the text index that $text searches; nil where the server accepts no $text.
	Text func() (*fulltext.Index, error)
}

// Filter is a compiled query. It may be used by several goroutines.
type Filter struct {
	root      node
	collation *collate.Collator
	raw       bson.Raw
	check     *interrupt.Check
	text      *fulltext.Search
}

// Match is the result of one test.
type Match struct {
	// Position is the array index that satisfied the query, or -1 if no array was walked. The positional operator uses
	// it. If several conditions match, the last one counts. Conditions below $or, $nor and $not never count.
	Position int

	err error
}

// node is one condition on a whole document.
type node interface {
	match(m *Match, doc bson.Raw) bool
}

// Compile checks and compiles a query document.
func Compile(filter bson.Raw, o Options) (*Filter, error) {
	c := &compiler{options: o}
	root, err := c.document(filter)
	if err != nil {
		return nil, err
	}
	return &Filter{root: root, collation: o.Collation, raw: filter, check: o.Scope.Check(), text: c.search}, nil
}

// Collation returns the order of strings that the query uses.
func (f *Filter) Collation() *collate.Collator { return f.collation }

// Check returns the interrupt of the query's scope.
func (f *Filter) Check() *interrupt.Check { return f.check }

// Text returns the $text of the query, or nil.
func (f *Filter) Text() *fulltext.Search { return f.text }

// Raw returns the query document.
func (f *Filter) Raw() bson.Raw { return f.raw }

// Match tests a document. An error comes from an expression in $expr.
func (f *Filter) Match(doc bson.Raw) (bool, error) {
	m := Match{Position: -1}
	return f.Test(&m, doc)
}

// Test tests a document and records the array position.
func (f *Filter) Test(m *Match, doc bson.Raw) (bool, error) {
	m.Position, m.err = -1, nil
	ok := f.root.match(m, doc)
	if m.err != nil {
		return false, m.err
	}
	return ok, nil
}

type and []node

func (n and) match(m *Match, doc bson.Raw) bool {
	for _, child := range n {
		if !child.match(m, doc) {
			m.Position = -1
			return false
		}
	}
	return true
}

// simplify replaces a conjunction of one condition by that condition.
func (n and) simplify() node {
	if len(n) == 1 {
		return n[0]
	}
	return n
}

type or []node

func (n or) match(m *Match, doc bson.Raw) bool {
	position := m.Position
	for _, child := range n {
		ok := child.match(m, doc)
		if m.Position = position; ok {
			return true
		}
	}
	return false
}

type not struct{ child node }

func (n not) match(m *Match, doc bson.Raw) bool {
	position := m.Position
	ok := n.child.match(m, doc)
	m.Position = position
	return !ok
}

type constant bool

func (n constant) match(*Match, bson.Raw) bool { return bool(n) }

// expression is $expr, with the comparisons that an index can use.
type expression struct {
	eval        expr.Node
	comparisons []comparison
}

func (n expression) match(m *Match, doc bson.Raw) bool {
	ok, err := n.eval.Test(doc)
	if err != nil {
		m.err = err
	}
	return ok
}

// leaf is a condition on the values of one path.
type leaf struct {
	name string
	cond condition
	walk walkPath
}

func (n *leaf) match(m *Match, doc bson.Raw) bool {
	if n.cond.negated {
		position := m.Position
		ok := n.any(m, doc)
		m.Position = position
		return !ok
	}
	return n.any(m, doc)
}

func (n *leaf) any(m *Match, doc bson.Raw) bool {
	found := false
	n.walk(doc, n.cond.leaf, func(v bson.RawValue, position int) bool {
		if n.cond.test(m, v) {
			found = true
			if position >= 0 {
				m.Position = position
			}
			return false
		}
		return m.err == nil
	})
	return found
}

// isOperators reports whether a value is a document of operators: its first key begins with $, and it is not a DBRef.
func isOperators(v bson.RawValue) bool {
	return startsWithDollar(v) && !(hasField(v, "$ref") && hasField(v, "$id"))
}

func startsWithDollar(v bson.RawValue) bool {
	if v.Type != bsontype.EmbeddedDocument {
		return false
	}
	first, _ := bson.Raw(v.Value).Index(0)
	return strings.HasPrefix(first.Key, "$")
}

func hasField(v bson.RawValue, name string) bool {
	return !path.Field(bson.Raw(v.Value), name).IsZero()
}

// fieldOf walks to one field of a document. The name is not split into a path.
func fieldOf(name string) walkPath {
	return path.Path{name}.Each
}
