package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Query returns the query for the existing document that a new one matches.
func (o *Output) Query(doc bson.Raw) (bson.Raw, error) {
	q, start := bson.AppendDocumentStart(nil)
	for _, name := range o.On {
		v := valueAt(doc, path.Parse(name))
		switch {
		case v.Type == bsontype.Array:
			return nil, status.Errorf(51185, "$merge write error: 'on' field '%s' is an array", name)
		case value.IsNullish(v):
			return nil, status.Errorf(51132, "$merge write error: 'on' field '%s' cannot be missing, null, undefined or an array", name)
		}
		q = bson.AppendRawValueElement(q, name, wrap("$eq", v))
	}
	return bson.AppendDocumentEnd(q, start), nil
}

// errExists returns the error for a document that exists already. It names the key the way a unique index does.
func (o *Output) errExists(doc bson.Raw) error {
	e := status.Errorf(errcode.DuplicateKey,
		"$merge with whenMatched: fail found an existing document with the same values for the 'on' fields")
	pattern, start := bson.AppendDocumentStart(nil)
	key, in := bson.AppendDocumentStart(nil)
	for _, name := range o.On {
		pattern = bson.AppendInt32Element(pattern, name, 1)
		key = bson.AppendRawValueElement(key, name, valueAt(doc, path.Parse(name)))
	}
	info, at := bson.AppendDocumentStart(nil)
	info = bson.AppendDocumentElement(info, "keyPattern", bson.AppendDocumentEnd(pattern, start))
	info = bson.AppendDocumentElement(info, "keyValue", bson.AppendDocumentEnd(key, in))
	e.Info = bson.AppendDocumentEnd(info, at)
	return e
}

// Combine returns the document that replaces old after the pipeline produced a matching doc; nil keeps old.
func (o *Output) Combine(old, doc bson.Raw) (bson.Raw, error) {
	switch o.Matched {
	case "replace":
		return doc, nil
	case "keepExisting":
		return nil, nil
	case "fail":
		return nil, o.errExists(old)
	case "merge":
		return bson.Raw(expr.Merge([]bson.RawValue{value.Document(old), value.Document(doc)}).Value), nil
	}
	vars := map[string]bson.RawValue{}
	if !o.hasLet || o.Unmatched == "insert" {
		vars["new"] = value.Document(doc)
	}
	for i, name := range o.let {
		v, err := o.nodes[i].Eval(doc)
		if err != nil {
			return nil, err
		}
		vars[name] = v
	}
	u, err := CompileUpdate(o.pipeline, o.scope.With(vars))
	if err != nil {
		return nil, err
	}
	return u.Apply(old)
}
