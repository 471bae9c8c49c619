package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Apply projects a document. position is the array index that the query matched, or -1.
func (p *Projection) Apply(doc bson.Raw, position int) (bson.Raw, error) {
	a := application{mode: p.mode, root: doc}
	out, err := a.applyDocument(make([]byte, 0, len(doc)+16), doc, p.root)
	for _, step := range p.after {
		if err != nil {
			return nil, err
		}
		out, err = step(out, position)
	}
	return out, err
}

type application struct {
	mode mode
	root bson.Raw
}

// applyDocument appends the projected fields in document order, then the new computed fields in the order of the
// specification. In an inclusion every computed field is new, because the document's own field of that name is not
// included.
func (a *application) applyDocument(dst []byte, doc bson.Raw, n *node) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(dst)
	var present map[string]bool
	if n.computes() {
		present = map[string]bool{}
	}
	for key, v := range doc.All() {
		child := n.children[key]
		if child != nil && a.mode == inclusion && a.isComputedLater(child, v) {
			continue
		}
		out, err := a.applyValue(v, child)
		if err != nil {
			return nil, err
		}
		if child != nil && present != nil {
			present[key] = true
		}
		if !out.IsZero() {
			dst = bson.AppendRawValueElement(dst, key, out)
		}
	}
	for _, name := range n.names {
		child := n.children[name]
		if child == nil || present == nil || present[name] || !child.isComputed() {
			continue
		}
		out, err := a.makeValue(child)
		if err != nil {
			return nil, err
		}
		if !out.IsZero() {
			dst = bson.AppendRawValueElement(dst, name, out)
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// isComputedLater reports whether an inclusion skips the document's value because a computed value follows.
func (a *application) isComputedLater(n *node, v bson.RawValue) bool {
	return n.compute != nil || n.computes() && v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array
}

// computes reports whether a level has computed fields, directly or below.
func (n *node) computes() bool {
	for _, child := range n.children {
		if child.isComputed() {
			return true
		}
	}
	return false
}

func (n *node) isComputed() bool { return n.compute != nil || n.computes() }

// applyValue projects one value. It returns the zero value to leave the value out.
func (a *application) applyValue(v bson.RawValue, n *node) (bson.RawValue, error) {
	switch {
	case n == nil:
		if a.mode == inclusion {
			return bson.RawValue{}, nil
		}
		return v, nil
	case n.include:
		return v, nil
	case n.exclude:
		return bson.RawValue{}, nil
	case n.compute != nil:
		return n.compute(a.root)
	case v.Type == bsontype.EmbeddedDocument:
		d, err := a.applyDocument(nil, bson.Raw(v.Value), n)
		return value.Document(d), err
	case v.Type == bsontype.Array:
		return a.applyElements(v, n)
	case n.computes():
		return a.makeValue(n)
	case a.mode == exclusion:
		return v, nil
	}
	return bson.RawValue{}, nil
}

func (a *application) applyElements(v bson.RawValue, n *node) (bson.RawValue, error) {
	var out []bson.RawValue
	for _, e := range value.Elements(v) {
		got, err := a.applyValue(e, n)
		if err != nil {
			return got, err
		}
		if !got.IsZero() {
			out = append(out, got)
		}
	}
	return value.ArrayOf(out...), nil
}

// makeValue makes the value of a computed field, or the document around computed fields, where the document has none.
func (a *application) makeValue(n *node) (bson.RawValue, error) {
	if n.compute != nil {
		return n.compute(a.root)
	}
	d, err := a.applyDocument(nil, value.EmptyDocument, n)
	return value.Document(d), err
}
