package pipeline

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/expression"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/match"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// checkPlainPath refuses a field that documents are joined by, unless nothing in it is encrypted.
func (s stage) checkPlainPath(v bson.RawValue, tree *schema.Node) error {
	path, ok := v.StringOK()
	if !ok {
		return s.malformedError()
	}
	if n, err := tree.Lookup(path); err != nil || n.Encrypts() {
		return s.refuse(path, "documents cannot be joined by an encrypted field")
	}
	return nil
}

// appendLookup appends $lookup. What it joins is an array, which must be unwound before its encrypted fields are compared.
func (s stage) appendLookup(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	from, ok := doc.Lookup("from").StringOK()
	as, named := doc.Lookup("as").StringOK()
	if !ok || !named {
		return dst, nil, s.malformedError()
	}
	foreign, err := s.Schema(from)
	if err != nil {
		return dst, nil, err
	}
	inner := expression.Env{Marker: s.Marker, Tree: foreign}
	joined := foreign
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		switch key {
		case "from", "as":
		case "localField":
			err = s.checkPlainPath(v, s.env.Tree)
		case "foreignField":
			err = s.checkPlainPath(v, foreign)
		case "let":
			err = s.checkLet(v)
		case "pipeline":
			p := s.Pipeline
			p.Collection = from
			dst, joined, err = p.Append(dst, key, v, inner)
		default:
			err = s.malformedError()
		}
		if err != nil {
			return dst, nil, err
		}
		if key != "pipeline" {
			dst = bson.AppendRawValueElement(dst, key, v)
		}
	}
	return s.putArray(bson.AppendDocumentEnd(dst, start), as, joined)
}

// putArray puts an array of joined documents into the tree.
func (s stage) putArray(dst []byte, path string, joined *schema.Node) ([]byte, *schema.Node, error) {
	if _, err := s.env.Tree.Lookup(path); err != nil {
		return dst, nil, err
	}
	return dst, s.env.Tree.Replace(path, schema.NewArray(joined)), nil
}

// checkLet checks the variables of $lookup: none may be encrypted, because the joined pipeline may compare them.
func (s stage) checkLet(v bson.RawValue) error {
	doc, ok := v.DocumentOK()
	if !ok {
		return s.malformedError()
	}
	quiet := *s.Marker
	quiet.Refuse = true
	env := s.env
	env.Marker = &quiet
	for name, v := range doc.All() {
		if _, err := env.Bind(name, nil); err != nil {
			return err
		}
		if _, err := env.AppendPlain(nil, name, v, s.name); err != nil {
			return err
		}
	}
	return nil
}

// appendGraphLookup appends $graphLookup, which may follow references inside its own collection only.
func (s stage) appendGraphLookup(dst []byte, doc bson.Raw) ([]byte, *schema.Node, error) {
	from, ok := doc.Lookup("from").StringOK()
	as, named := doc.Lookup("as").StringOK()
	if !ok || !named {
		return dst, nil, s.malformedError()
	}
	if from != s.Collection {
		return dst, nil, s.refuse("", "the stage may follow references only inside its own collection")
	}
	foreign, err := s.Schema(from)
	if err != nil {
		return dst, nil, err
	}
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		switch key {
		case "from", "as", "maxDepth", "depthField":
			dst = bson.AppendRawValueElement(dst, key, v)
		case "startWith":
			dst, err = s.env.AppendPlain(dst, key, v, s.name)
		case "connectFromField", "connectToField":
			err = s.checkPlainPath(v, foreign)
			dst = bson.AppendRawValueElement(dst, key, v)
		case "restrictSearchWithMatch":
			filter, ok := v.DocumentOK()
			if !ok {
				return dst, nil, s.malformedError()
			}
			dst, err = match.AppendTyped(dst, key, filter, expression.Env{Marker: s.Marker, Tree: foreign})
		default:
			err = s.malformedError()
		}
		if err != nil {
			return dst, nil, err
		}
	}
	if depth, ok := doc.Lookup("depthField").StringOK(); ok {
		foreign = foreign.Replace(depth, nil)
	}
	return s.putArray(bson.AppendDocumentEnd(dst, start), as, foreign)
}

// appendUnionWith appends $unionWith.
func (s stage) appendUnionWith(dst []byte) ([]byte, *schema.Node, error) {
	coll, ok := s.spec.StringOK()
	if ok {
		foreign, err := s.Schema(coll)
		if err != nil {
			return dst, nil, err
		}
		return s.copyUnchanged(dst, schema.Merge(s.env.Tree, foreign))
	}
	doc, _ := s.spec.DocumentOK()
	if err := refusal.CheckUniqueKeys(s.name, doc); err != nil {
		return dst, nil, err
	}
	if coll, ok = doc.Lookup("coll").StringOK(); !ok {
		return dst, nil, s.malformedError()
	}
	foreign, err := s.Schema(coll)
	if err != nil {
		return dst, nil, err
	}
	joined := foreign
	dst, start := bson.AppendDocumentElementStart(dst, s.name)
	for key, v := range doc.All() {
		switch key {
		case "coll":
			dst = bson.AppendRawValueElement(dst, key, v)
		case "pipeline":
			p := s.Pipeline
			p.Collection = coll
			dst, joined, err = p.Append(dst, key, v, expression.Env{Marker: s.Marker, Tree: foreign})
		default:
			err = s.malformedError()
		}
		if err != nil {
			return dst, nil, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), schema.Merge(s.env.Tree, joined), nil
}
