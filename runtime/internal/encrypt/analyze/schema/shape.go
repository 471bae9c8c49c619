package schema

import (
	"maps"
	"slices"
	"strings"
)

// With returns the tree of documents in which the value at a dotted path is replaced.
func (n *Node) With(path string, value *Node) *Node {
	switch {
	case n != nil && n.elements != nil && !n.elements.Encrypts() && value == nil:
		return n
	case n != nil && n.elements != nil && !n.elements.Encrypts() && !value.Encrypts():
		return goneDocument
	case n != nil && (n.opaque || n.elements != nil || n.field != nil):
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
		out.children, out.patterns, out.rest, out.gone = maps.Clone(n.children), n.patterns, n.rest, n.gone
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

// Without returns the tree of documents from which a dotted path is removed. What may have been encrypted there is gone.
func (n *Node) Without(path string) *Node {
	if n == nil || n.opaque || n.elements != nil || n.field != nil {
		return n
	}
	name, rest, more := strings.Cut(path, ".")
	c := n.Child(name)
	switch {
	case c == nil:
		return n
	case more:
		return n.With(name, c.Without(rest))
	}
	return n.With(name, c.Emptied())
}

// Emptied returns the tree of documents that have none of the fields of the tree: all that may have been encrypted is gone.
func (n *Node) Emptied() *Node {
	switch {
	case n == nil || n.plain:
		return n
	case n.field != nil || n == Gone:
		return Gone
	case n.opaque || n.gone || n.elements != nil:
		return goneDocument
	}
	out := &Node{children: map[string]*Node{}, rest: n.rest.Emptied()}
	for name, c := range n.children {
		out.children[name] = c.Emptied()
	}
	for _, p := range n.patterns {
		out.patterns = append(out.patterns, pattern{p.name, p.node.Emptied()})
	}
	return out
}

// Under returns the tree of documents in which the fields that top names are those of top, and the others those of n.
func (n *Node) Under(top *Node) *Node {
	switch {
	case top == nil:
		return n
	case !top.isObject():
		return top
	}
	for name, c := range top.children {
		n = n.With(name, c.shown())
	}
	return n
}

// Merge returns the tree of documents that have one of two shapes.
func Merge(a, b *Node) *Node {
	switch {
	case a == b || a.bare() && b.bare():
		return a
	case a == Gone && b.Field() != nil: // its documents have no such value
		return b
	case b == Gone && a.Field() != nil:
		return a
	case (a.IsGone() || b.IsGone()) && !a.Encrypts() && !b.Encrypts():
		return Gone
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
	case !a.Encrypts() && !b.Encrypts() && a.elements == nil && b.elements == nil:
		// Only names are left in both.
	case !a.isObject() || !b.isObject():
		return Opaque
	}
	out := &Node{children: map[string]*Node{}, patterns: slices.Concat(a.patterns, b.patterns), rest: both(a.rest, b.rest)}
	for name, c := range a.children {
		out.children[name] = either(c.shown(), b.Child(name))
	}
	for name, c := range b.children {
		if _, seen := a.children[name]; !seen {
			out.children[name] = either(a.Child(name), c.shown())
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
	return !n.opaque && !n.gone && n.field == nil && n.elements == nil && len(n.patterns) == 0 && n.rest == nil
}
