package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

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
	before := m.Position
	for i, child := range n {
		if !child.match(m, doc) {
			m.Position = before
			continue
		}
		if m.Position != before {
			m.Position = n.position(m, doc, i, before)
		}
		return true
	}
	return false
}

// position returns the position that the query matched; the i-th branch set it. An $or has none.
func (n or) position(m *Match, doc bson.Raw, i, before int) int {
	if !n.isIn() {
		return before
	}
	first := m.Position
	for _, child := range n[i+1:] {
		if m.Position = before; child.match(m, doc) && m.Position >= 0 {
			first = min(first, m.Position)
		}
	}
	return first
}

// isIn reports whether all branches compare one field with a value. A server makes an $in of them, which knows the position
// of the element that matched.
func (n or) isIn() bool {
	name := ""
	for i, child := range n {
		l, ok := child.(*leaf)
		if !ok || l.cond.op != "$eq" || l.cond.negated || i > 0 && l.name != name {
			return false
		}
		name = l.name
	}
	return true
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

// comparison is a part of $expr that compares a field with a value independent of the document.
type comparison struct {
	path, op string
	operand  expr.Node
}

type walkPath func(doc bson.Raw, leaf path.Leaf, visit path.Visit) bool

// leaf is a condition on the values of one path.
type leaf struct {
	name string
	cond condition
	walk walkPath
}

func (n *leaf) match(m *Match, doc bson.Raw) bool {
	if n.cond.negated {
		position := m.Position
		ok := n.matchesAny(m, doc)
		m.Position = position
		return !ok
	}
	return n.matchesAny(m, doc)
}

func (n *leaf) matchesAny(m *Match, doc bson.Raw) bool {
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

// fieldOf walks to one field of a document. The name is not split into a path.
func fieldOf(name string) walkPath {
	return path.Path{name}.Each
}

// condition is one operator without its path.
type condition struct {
	op      string
	operand bson.RawValue
	list    []bson.RawValue // the operands of $in and $all; the regular expression of $regex
	fields  node            // the query in an $elemMatch, or
	values  []condition     // the operators in an $elemMatch
	leaf    path.Leaf
	negated bool // the condition holds if no value of the path passes the test
	test    func(m *Match, v bson.RawValue) bool
	group   []condition // $not: all of these must hold; replaces test
}

// holds applies the condition to one value, as $elemMatch does.
func (cond *condition) holds(m *Match, v bson.RawValue) bool {
	if cond.group == nil {
		return cond.test(m, v) != cond.negated
	}
	for i := range cond.group {
		if !cond.group[i].holds(m, v) {
			return cond.negated
		}
	}
	return !cond.negated
}
