package schema

import (
	"regexp"
	"strings"

	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// Node is what is known of the values at a path. A nil Node means that neither the value nor anything in it is encrypted.
type Node struct {
	field    *Field // the value itself is encrypted
	children map[string]*Node
	patterns []pattern
	rest     *Node // of children that neither children nor patterns name
	elements *Node // the value is an array of these, as $lookup makes one
	opaque   bool  // the value may be encrypted, or not: nothing may be compared with it
	gone     bool  // a stage removed the value: nothing may be compared with it, only with children that were added later
	plain    bool  // marks a child that hides what patterns or rest would say
	replaces bool  // of a plain child: it replaces a value that may have been encrypted, so once it is removed the path is gone
}

type pattern struct {
	name *regexp.Regexp
	node *Node
}

// matches reports whether the pattern names a field. In a server's regular expressions $ also matches before a final line
// break.
func (p pattern) matches(name string) bool {
	line, broken := strings.CutSuffix(name, "\n")
	return p.name.MatchString(name) || broken && p.name.MatchString(line)
}

// Opaque is an unknown value: it may be encrypted, or hold encrypted values.
var Opaque = &Node{opaque: true}

// Gone is a value that a stage removed, or may have removed, after it may have been encrypted. It holds nothing.
var Gone = &Node{gone: true}

// goneDocument is Gone for a value that may have been a document with encrypted fields.
var goneDocument = &Node{gone: true, rest: Gone}

// hidden is a plain child where patterns or rest would say otherwise.
var hidden = &Node{plain: true}

// replaced is a plain child in the place of what was encrypted. When a stage removes it, the path names nothing any more.
var replaced = &Node{plain: true, replaces: true}

// NewField returns a node for an encrypted value.
func NewField(f *Field) *Node { return &Node{field: f} }

// NewArray returns a node for an array. It is nil for one of plain elements, and an array of what is gone is gone.
func NewArray(elements *Node) *Node {
	if elements == nil || elements.gone {
		return elements
	}
	return &Node{elements: elements}
}

// Kind says how the value is encrypted. A value that may hold encrypted ones is a prefix.
func (n *Node) Kind() analysis.Kind {
	switch {
	case n == nil || n.plain:
		return analysis.KindPlain
	case n.field != nil:
		return n.field.Kind
	}
	return analysis.KindPrefix
}

// Field returns how the value itself is encrypted, or nil.
func (n *Node) Field() *Field {
	if n == nil {
		return nil
	}
	return n.field
}

// Elements returns the node of an array's elements, or nil.
func (n *Node) Elements() *Node {
	if n == nil {
		return nil
	}
	return n.elements
}

// IsOpaque reports whether nothing is known of the value, or nothing is left of it.
func (n *Node) IsOpaque() bool { return n != nil && (n.opaque || n.gone) }

// IsGone reports whether a stage removed the value.
func (n *Node) IsGone() bool { return n != nil && n.gone }

// Encrypts reports whether the value, or a value in it, may be encrypted. What is gone is not.
func (n *Node) Encrypts() bool {
	switch {
	case n == nil || n.plain:
		return false
	case n.field != nil || n.opaque:
		return true
	case n.elements != nil:
		return n.elements.Encrypts()
	}
	for _, c := range n.children {
		if c.Encrypts() {
			return true
		}
	}
	for _, p := range n.patterns {
		if p.node.Encrypts() {
			return true
		}
	}
	return n.rest.Encrypts()
}

// Child returns the node of a field of a document.
func (n *Node) Child(name string) *Node {
	if n == nil {
		return nil
	}
	if n.gone {
		if c, ok := n.children[name]; ok {
			return c.hidePlain()
		}
		return Gone
	}
	if n.opaque || n.elements != nil || n.field != nil {
		return Opaque
	}
	c, found := n.children[name]
	if found && len(n.patterns) == 0 {
		return c.hidePlain()
	}
	if found && c != nil && c.plain {
		return nil
	}
	for _, p := range n.patterns {
		if p.matches(name) {
			c, found = joinBoth(c, p.node), true
		}
	}
	if !found {
		return n.rest
	}
	return c
}

func (n *Node) hidePlain() *Node {
	if n != nil && n.plain {
		return nil
	}
	return n
}

// joinBoth joins what two keywords of a schema say about one field.
func joinBoth(a, b *Node) *Node {
	switch {
	case a == nil || a == b || b != nil && a == Gone:
		return b
	case b == nil || b == Gone:
		return a
	case a.field != nil && b.field != nil && a.field.EncryptsLike(b.field):
		return a
	}
	return Opaque
}

// Lookup follows a dotted path. The error says that the path leads below an encrypted value, into an array of joined
// documents, or past an encrypted field by a number that may be an index.
func (n *Node) Lookup(path string) (*Node, error) { return n.lookup(path, false) }

// LookupAny is Lookup for the path of a condition, which holds if one element of an array meets it: it leads into arrays of joined
// documents.
func (n *Node) LookupAny(path string) (*Node, error) { return n.lookup(path, true) }

func (n *Node) lookup(path string, any bool) (*Node, error) {
	whole := path
	for n != nil && n != Gone {
		name, rest, more := strings.Cut(path, ".")
		if n.field != nil {
			return nil, refusal.New("", whole, "the path leads below the encrypted field %q", n.field.Path)
		}
		if n.elements != nil {
			if !any || isIndex(name) && n.elements.Child(name) != nil {
				return nil, n.refuseInArray(path, whole)
			}
			n = n.elements
			if isIndex(name) { // of one element
				if path = rest; !more {
					return n, nil
				}
			}
			continue
		}
		c := n.Child(name)
		if c == nil && strings.HasPrefix(name, "$") {
			return nil, refusal.New("", whole, "the path has the operator %q where fields are encrypted", name)
		}
		if c == nil && isIndex(name) && path != whole {
			return nil, refusal.New("", whole, "the path goes through %q, which may be an index, where fields are encrypted", name)
		}
		if !more {
			return c, nil
		}
		n, path = c, rest
	}
	return n, nil
}

// LookupOrOpaque is Lookup for the name of a field, which may have dots: a server may take it for a path. Where the tree does not
// tell, the value may be encrypted.
func (n *Node) LookupOrOpaque(name string) *Node {
	c, err := n.Lookup(name)
	if err != nil {
		return Opaque
	}
	return c
}

// refuseInArray refuses a path into an array of joined documents, unless it leads to plain values in all of them.
func (n *Node) refuseInArray(path, whole string) error {
	name, rest, more := strings.Cut(path, ".")
	for more && isIndex(name) {
		path = rest
		name, rest, more = strings.Cut(path, ".")
	}
	if at, err := n.elements.Lookup(path); err != nil || at != nil || isIndex(path) {
		return refusal.New("", whole, "the path leads into an array of documents with encrypted fields: unwind it first")
	}
	return nil
}

func isIndex(name string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return true
}

// Nested reports whether a field below a child of the node may be encrypted, or was before a stage removed it.
func (n *Node) Nested() bool {
	if n == nil {
		return false
	}
	below := func(c *Node) bool { return c != nil && c != Gone && !c.plain && c.field == nil }
	for _, c := range n.children {
		if below(c) {
			return true
		}
	}
	for _, p := range n.patterns {
		if below(p.node) {
			return true
		}
	}
	return n.opaque || n.elements != nil || below(n.rest)
}

// saysNothing reports whether the node says nothing: a tree without it means the same.
func (n *Node) saysNothing() bool {
	if n == nil || n.plain {
		return n == nil || !n.replaces
	}
	if n.field != nil || n.opaque || n.gone || n.elements != nil || len(n.patterns) > 0 || n.rest != nil {
		return false
	}
	for _, c := range n.children {
		if !c.saysNothing() {
			return false
		}
	}
	return true
}
