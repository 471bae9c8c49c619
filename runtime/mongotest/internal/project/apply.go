package project

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

// IsExclusion reports a projection that keeps what it does not name.
func (p *Projection) IsExclusion() bool { return p.exclusion }

// Apply projects a document; position is the array index that the query matched, or -1.
func (p *Projection) Apply(doc bson.Raw, position int) (bson.Raw, error) {
	a := apply{p: p, root: doc, position: position}
	dst, err := a.document(make([]byte, 0, len(doc)+16), doc, p.root)
	return dst, err
}

type apply struct {
	p        *Projection
	root     bson.Raw
	position int
}

// document appends the projected fields in the order of the document, then those that are computed and new.
func (a *apply) document(dst []byte, doc bson.Raw, n *node) ([]byte, error) {
	dst, start := bson.AppendDocumentStart(dst)
	var present map[string]bool
	if n.computes() {
		present = map[string]bool{}
	}
	for key, v := range doc.All() {
		child := n.children[key]
		if child != nil && present != nil {
			present[key] = true
		}
		out, err := a.value(v, child)
		if err != nil {
			return nil, err
		}
		if !out.IsZero() {
			dst = bson.AppendRawValueElement(dst, key, out)
		}
	}
	for _, name := range n.names {
		child := n.children[name]
		if present == nil || present[name] || !child.computed() {
			continue
		}
		out, err := a.fresh(child)
		if err != nil {
			return nil, err
		}
		if !out.IsZero() {
			dst = bson.AppendRawValueElement(dst, name, out)
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// computes reports a level that has computed fields, at it or below.
func (n *node) computes() bool {
	for _, child := range n.children {
		if child.computed() {
			return true
		}
	}
	return false
}

func (n *node) computed() bool { return n.compute != nil || n.computes() }

// value projects one value; the zero value leaves it out.
func (a *apply) value(v bson.RawValue, n *node) (bson.RawValue, error) {
	switch {
	case n == nil:
		if a.p.exclusion {
			return v, nil
		}
		return bson.RawValue{}, nil
	case n.include:
		return v, nil
	case n.exclude:
		return bson.RawValue{}, nil
	case n.compute != nil:
		return n.compute.Eval(a.root)
	case n.array != nil:
		return n.array(v, a.position)
	case v.Type == bsontype.EmbeddedDocument:
		d, err := a.document(nil, bson.Raw(v.Value), n)
		return value.Document(d), err
	case v.Type == bsontype.Array:
		return a.elements(v, n)
	case n.computes():
		return a.fresh(n)
	case a.p.exclusion:
		return v, nil
	}
	return bson.RawValue{}, nil
}

func (a *apply) elements(v bson.RawValue, n *node) (bson.RawValue, error) {
	var out []bson.RawValue
	for _, e := range value.Elements(v) {
		got, err := a.value(e, n)
		if err != nil {
			return got, err
		}
		if !got.IsZero() {
			out = append(out, got)
		}
	}
	return value.ArrayOf(out...), nil
}

// fresh makes the value of a computed field, or the document around computed fields, where the document had nothing.
func (a *apply) fresh(n *node) (bson.RawValue, error) {
	if n.compute != nil {
		return n.compute.Eval(a.root)
	}
	d, err := a.document(nil, value.EmptyDocument, n)
	return value.Document(d), err
}
