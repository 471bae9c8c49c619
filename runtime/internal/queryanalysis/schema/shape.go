package schema

import (
	"maps"
	"slices"
	"strings"
)

// Replace returns the tree of documents in which the value at a dotted path is replaced.
func (n *Node) Replace(path string, value *Node) *Node {
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
		value = n.Child(name).Replace(rest, value)
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
		value = replaced // the fields of n know the path, or it would have been nil before
	}
	out.children[name] = value
	if out.saysNothing() {
		return nil
	}
	return out
}

// Remove returns the tree of documents from which a dotted path is removed. What may have been encrypted there is gone.
func (n *Node) Remove(path string) *Node {
	if n == nil || n.opaque || n.elements != nil || n.field != nil {
		return n
	}
	name, rest, more := strings.Cut(path, ".")
	c := n.Child(name)
	switch {
	case n.children[name] == replaced:
		return n.Replace(name, Gone)
	case c == nil:
		return n
	case more:
		return n.Replace(name, c.Remove(rest))
	}
	return n.Replace(name, c.RemoveAll())
}

// RemoveAll returns the tree of documents that have none of the fields of the tree: all that may have been encrypted is gone.
func (n *Node) RemoveAll() *Node {
	switch {
	case n == nil || n == hidden:
		return n
	case n.field != nil || n == Gone || n == replaced:
		return Gone
	case n.opaque || n.gone || n.elements != nil:
		return goneDocument
	}
	out := &Node{children: map[string]*Node{}, rest: n.rest.RemoveAll()}
	for name, c := range n.children {
		out.children[name] = c.RemoveAll()
	}
	for _, p := range n.patterns {
		out.patterns = append(out.patterns, pattern{p.name, p.node.RemoveAll()})
	}
	return out
}

// Overlay returns the tree of documents that take the fields that top names from top, and the others from n.
func (n *Node) Overlay(top *Node) *Node {
	switch {
	case top == nil:
		return n
	case !top.isObject():
		return top
	}
	for name, c := range top.children {
		n = n.Replace(name, c.hidePlain())
	}
	return n
}

// Merge returns the tree of documents that have one of two shapes.
func Merge(a, b *Node) *Node {
	switch {
	case a == b || a.saysNothing() && b.saysNothing():
		return a
	case a == Gone && b.Field() != nil: // its documents have no such value
		return b
	case b == Gone && a.Field() != nil:
		return a
	case (a.IsGone() || b.IsGone()) && !a.Encrypts() && !b.Encrypts():
		return Gone
	case a.saysNothing(): // all its fields are plain
		a = &Node{}
	case b.saysNothing():
		b = &Node{}
	}
	switch {
	case a.field != nil && b.field != nil && a.field.EncryptsLike(b.field):
		return a
	case a.elements != nil && b.elements != nil:
		return NewArray(Merge(a.elements, b.elements))
	case !a.Encrypts() && !b.Encrypts() && a.elements == nil && b.elements == nil:
		// Both have only named children from here on.
	case !a.isObject() || !b.isObject():
		return Opaque
	}
	out := &Node{children: map[string]*Node{}, patterns: slices.Concat(a.patterns, b.patterns), rest: joinBoth(a.rest, b.rest)}
	for name, c := range a.children {
		out.children[name] = joinEither(c, b.rawChild(name))
	}
	for name, c := range b.children {
		if _, seen := a.children[name]; !seen {
			out.children[name] = joinEither(a.rawChild(name), c)
		}
	}
	return out
}

func joinEither(a, b *Node) *Node {
	if c := Merge(a.hidePlain(), b.hidePlain()); c != nil {
		return c
	}
	if a == replaced || b == replaced {
		return replaced
	}
	return hidden
}

// rawChild is Child, but does not hide that a plain value took the place of an encrypted one.
func (n *Node) rawChild(name string) *Node {
	if n != nil && n.children[name] == replaced {
		return replaced
	}
	return n.Child(name)
}

// isObject reports whether the node names the fields of documents one by one.
func (n *Node) isObject() bool {
	return !n.opaque && !n.gone && n.field == nil && n.elements == nil && len(n.patterns) == 0 && n.rest == nil
}
