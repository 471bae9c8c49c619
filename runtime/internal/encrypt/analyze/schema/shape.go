package schema

import (
	"maps"
	"strings"
)

// With returns the tree of documents in which the value at a dotted path is replaced.
func (n *Node) With(path string, value *Node) *Node {
	if n != nil && (n.opaque || n.elements != nil || n.field != nil) {
		return Opaque // the path may lead into it
	}
	name, rest, more := strings.Cut(path, ".")
	if more {
		value = n.Child(name).With(rest, value)
	}
	if value == n.Child(name) {
		return n // so that a stage with thousands of plain fields costs no copy for each
	}
	out := &Node{children: map[string]*Node{}}
	if n != nil {
		out.children, out.patterns, out.rest = maps.Clone(n.children), n.patterns, n.rest
		if out.children == nil {
			out.children = map[string]*Node{}
		}
	}
	if value == nil {
		value = hidden
	}
	out.children[name] = value
	if out.bare() {
		return nil
	}
	return out
}

// Without returns the tree of documents from which a dotted path is removed.
func (n *Node) Without(path string) *Node {
	if n == nil || n.opaque || n.elements != nil || n.field != nil {
		return n
	}
	name, rest, more := strings.Cut(path, ".")
	if !more {
		return n.With(name, nil)
	}
	c := n.Child(name)
	if c == nil {
		return n
	}
	return n.With(name, c.Without(rest))
}

// Merge returns the tree of documents that have one of two shapes.
func Merge(a, b *Node) *Node {
	switch {
	case a == b || a.bare() && b.bare():
		return a
	case a.bare(): // its fields are plain, all of them
		a = &Node{}
	case b.bare():
		b = &Node{}
	}
	switch {
	case a.field != nil && b.field != nil && a.field.Same(b.field):
		return a
	case a.elements != nil && b.elements != nil:
		return NewArray(Merge(a.elements, b.elements))
	case !a.isObject() || !b.isObject():
		return Opaque
	}
	out := &Node{children: map[string]*Node{}}
	for name, c := range a.children {
		out.children[name] = either(c.shown(), b.children[name].shown())
	}
	for name, c := range b.children {
		if _, seen := a.children[name]; !seen {
			out.children[name] = either(nil, c.shown())
		}
	}
	return out
}

func either(a, b *Node) *Node {
	if c := Merge(a, b); c != nil {
		return c
	}
	return hidden
}

// isObject reports whether the node names the fields of documents one by one.
func (n *Node) isObject() bool {
	return !n.opaque && n.field == nil && n.elements == nil && len(n.patterns) == 0 && n.rest == nil
}
