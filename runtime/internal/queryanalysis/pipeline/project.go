package pipeline

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// appendProject appends $project. Fields that are excluded leave the tree; with others, only those that are named are left.
func (s stage) appendProject(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	excluding := excludes(doc, true) || !includes(doc)
	tree := s.env.Tree
	if !excluding {
		tree = tree.RemoveAll()
		if on, explicit := parseChoice(doc.Lookup("_id")); !explicit || on {
			tree = tree.Replace("_id", s.env.Tree.Child("_id"))
		}
	}
	p := projection{s, tree, excluding}
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	dst, err := p.appendFields(dst, doc, "")
	if err != nil {
		return dst, nil, err
	}
	return bson.AppendDocumentEnd(dst, start), p.tree, nil
}

// parseChoice returns a number or boolean as a choice; anything else is computed.
func parseChoice(v bson.RawValue) (on, ok bool) {
	if b, ok := v.BooleanOK(); ok {
		return b, true
	}
	n, ok := v.AsFloat64OK()
	if d, isDecimal := v.Decimal128OK(); isDecimal {
		coefficient, _, err := d.BigInt()
		return err != nil || coefficient.Sign() != 0, true
	}
	return n != 0, ok
}

// excludes reports whether a $project names the fields that it drops. _id may be dropped in both cases.
func excludes(doc bson.Raw, top bool) bool {
	for key, v := range doc.All() {
		if top && key == "_id" && doc.Len() > 1 {
			continue
		}
		if sub, ok := v.DocumentOK(); ok && !isOperator(sub) {
			if excludes(sub, false) {
				return true
			}
			continue
		}
		if on, ok := parseChoice(v); ok && !on {
			return true
		}
	}
	return false
}

// includes reports whether a $project names a field that it keeps, or computes. $meta alone does neither: a server may keep all
// other fields, too.
func includes(doc bson.Raw) bool {
	meta, id := false, false
	for key, v := range doc.All() {
		sub, _ := v.DocumentOK()
		first, _ := sub.Index(0)
		switch {
		case first.Key == analysis.OpMeta || isFieldsOfMeta(sub):
			meta = true
		case key == "_id":
			on, isChoice := parseChoice(v)
			id = on || !isChoice
		default:
			return true
		}
	}
	return id && !meta
}

// isFieldsOfMeta reports whether a document of a projection computes nothing but $meta.
func isFieldsOfMeta(doc bson.Raw) bool {
	return doc.Len() > 0 && !isOperator(doc) && !includes(doc) && !excludes(doc, false)
}

func isOperator(doc bson.Raw) bool {
	first, ok := doc.Index(0)
	return ok && strings.HasPrefix(first.Key, "$")
}

type projection struct {
	stage
	tree      *schema.Node
	excluding bool
}

// appendFields appends the fields of a projection, or of a document inside it.
func (p *projection) appendFields(dst []byte, doc bson.Raw, above string) ([]byte, error) {
	for key, v := range doc.All() {
		path := above + key
		if expression.IsFields(v) {
			var start int
			var err error
			dst, start = bson.AppendDocumentElementStart(dst, key)
			if dst, err = p.appendFields(dst, bson.Raw(v.Value), path+"."); err != nil {
				return dst, err
			}
			dst = bson.AppendDocumentEnd(dst, start)
			continue
		}
		var err error
		if dst, err = p.appendField(dst, key, path, v); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (p *projection) appendField(dst []byte, key, path string, v bson.RawValue) ([]byte, error) {
	from, err := p.env.Tree.Lookup(path)
	if err != nil {
		return dst, err
	}
	on, isChoice := parseChoice(v)
	if !isChoice {
		return p.appendComputed(dst, key, path, v)
	}
	if err := p.env.RefuseNumber(p.name, path, v); err != nil {
		return dst, err
	}
	switch {
	case !on:
		p.tree = p.tree.Remove(path)
	case !p.excluding:
		p.tree = p.tree.Replace(path, from)
	}
	return bson.AppendRawValueElement(dst, key, v), nil
}

// appendAddFields appends $addFields.
func (s stage) appendAddFields(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	p := projection{s, s.env.Tree, false}
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	dst, err := p.appendAdded(dst, doc, "")
	if err != nil {
		return dst, nil, err
	}
	return bson.AppendDocumentEnd(dst, start), p.tree, nil
}

// appendAdded appends computed fields; a number here is a value, not a choice.
func (p *projection) appendAdded(dst []byte, doc bson.Raw, above string) ([]byte, error) {
	for key, v := range doc.All() {
		path := above + key
		var err error
		if expression.IsFields(v) {
			var start int
			dst, start = bson.AppendDocumentElementStart(dst, key)
			if dst, err = p.appendAdded(dst, bson.Raw(v.Value), path+"."); err != nil {
				return dst, err
			}
			dst = bson.AppendDocumentEnd(dst, start)
			continue
		}
		if dst, err = p.appendComputed(dst, key, path, v); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendComputed appends a field that is computed.
func (p *projection) appendComputed(dst []byte, key, path string, v bson.RawValue) ([]byte, error) {
	dst, n, err := p.env.Append(dst, key, v)
	if err == nil {
		err = p.env.RefuseConstant(p.name, path, v, n)
	}
	p.tree = p.put(p.tree, path, v, n)
	return dst, err
}

// put returns a tree with the value of an expression at a path; n is what the expression yields.
func (s stage) put(tree *schema.Node, path string, v bson.RawValue, n *schema.Node) *schema.Node {
	value, err := s.env.Value(v)
	switch {
	case n == nil && mayRemove(v):
		return tree.Remove(path)
	case n == nil && err == nil && value.Literal:
		return s.putScalar(tree, path)
	}
	return tree.Replace(path, n)
}

// putScalar returns a tree with a number, or with a constant, at a path. If it replaces a document, the encrypted fields in that
// are gone.
func (s stage) putScalar(tree *schema.Node, path string) *schema.Node {
	if at, err := s.env.Tree.Lookup(path); err == nil && at.Encrypts() && at.Field() == nil {
		return tree.Remove(path)
	}
	return tree.Replace(path, nil)
}

// mayRemove reports whether an expression may remove the field whose value it is.
func mayRemove(v bson.RawValue) bool {
	if text, ok := v.StringOK(); ok {
		return text == "$$REMOVE"
	}
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return false
	}
	for _, inner := range bson.Raw(v.Value).All() {
		if mayRemove(inner) {
			return true
		}
	}
	return false
}
