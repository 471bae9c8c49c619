package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func compileUnionWith(c *compiler, spec bson.RawValue) (stage, error) {
	name, stages, err := readUnionSpec(spec)
	switch {
	case err != nil:
		return nil, err
	case name == "" && (!startsWithDocuments(stages) || c.Scope.Wire() < wire.Server51):
		return nil, status.Errorf(errcode.FailedToParse,
			"$unionWith stage without explicit collection must have a pipeline with $documents as first stage")
	case c.Access == nil:
		return nil, status.Errorf(errcode.InvalidOptions, "$unionWith is not allowed here")
	}
	o := c.Options
	o.Nested, o.Collection = "$unionWith", name
	p, err := c.compile(stages, o)
	if err != nil {
		return nil, err
	}
	return func(in Source) Source {
		first := true
		return func() (bson.Raw, error) {
			d, err := in()
			if d != nil || err != nil || !first {
				return d, err
			}
			first = false
			other := List(nil)
			if !p.SelfMade() {
				if other, err = c.Access.Open(c.DB, name); err != nil {
					return nil, err
				}
			}
			in = p.Run(other)
			return in()
		}
	}, nil
}

// readUnionSpec reads a collection name, or {coll, pipeline}.
func readUnionSpec(spec bson.RawValue) (name string, stages bson.RawValue, err error) {
	name, ok := spec.StringOK()
	stages = value.ArrayOf()
	d, isDocument := spec.DocumentOK()
	if !ok && !isDocument {
		return "", stages, status.Errorf(errcode.FailedToParse,
			"the $unionWith stage specification must be an object or string, but found %s", spec.Type)
	}
	for key, v := range d.All() {
		want := bsontype.String
		switch key {
		case "coll":
			name, ok = v.StringOK()
		case "pipeline":
			stages, want, ok = v, bsontype.Array, v.Type == bsontype.Array
		default:
			return "", stages, status.Errorf(errcode.Location40415, "BSON field '$unionWith.%s' is an unknown field.", key)
		}
		if !ok {
			return "", stages, status.Errorf(errcode.TypeMismatch,
				"BSON field '$unionWith.%s' is the wrong type '%s', expected type '%s'", key, v.Type, want)
		}
	}
	return name, stages, nil
}

func compileFacet(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok || d.Len() == 0 {
		return nil, status.Errorf(errcode.Location40169,
			"the $facet specification must be a non-empty object, but found: $facet: %s", status.TextOf(spec))
	}
	var names []string
	var parts []*Pipeline
	for name, v := range d.All() {
		if err := c.checkFacetName(name); err != nil {
			return nil, err
		}
		if v.Type != bsontype.Array {
			return nil, status.Errorf(40170, "arguments to $facet must be arrays, %s is type %s", name, v.Type)
		}
		for i, e := range value.Elements(v) {
			if e.Type != bsontype.EmbeddedDocument {
				return nil, status.Errorf(40171,
					"elements of arrays in $facet spec must be non-empty objects, %s argument contained an element of type "+
						"%s: %d: %s", name, e.Type, i, status.TextOf(e))
			}
		}
		o := c.Options
		o.Nested = "$facet"
		p, err := c.compile(v, o)
		if err != nil {
			return nil, err
		}
		names, parts = append(names, name), append(parts, p)
	}
	return wholeStage(func(docs []bson.Raw) ([]bson.Raw, error) {
		out, start := bson.AppendDocumentStart(nil)
		for i, p := range parts {
			got, err := Drain(p.Run(List(append([]bson.Raw(nil), docs...))))
			if err != nil {
				return nil, err
			}
			out = bson.AppendRawValueElement(out, names[i], arrayOf(got))
		}
		return []bson.Raw{bson.AppendDocumentEnd(out, start)}, nil
	}), nil
}

// checkFacetName refuses a name that a path could not contain.
func (c *compiler) checkFacetName(name string) error {
	if strings.Contains(name, ".") {
		return status.Errorf(16412,
			"$facet pipeline names must follow the naming rules of field path expressions. :: caused by :: FieldPath field "+
				"names may not contain '.'. Consider using $getField or $setField.")
	}
	if _, err := expr.CheckPath(name, c.Scope); err != nil {
		e := *status.From(err)
		e.Message = "$facet pipeline names must follow the naming rules of field path expressions. :: caused by :: " + e.Message
		if name == "" {
			e.Code = 15998
		}
		return &e
	}
	return nil
}

// redactNames are the variables that the expression of $redact may use.
var redactNames = []string{"CURRENT", "DESCEND", "PRUNE", "KEEP"}

func compileRedact(c *compiler, spec bson.RawValue) (stage, error) {
	node, err := expr.CompileWith(spec, c.Scope, redactNames...)
	if err != nil {
		return nil, err
	}
	r := redaction{node, []bson.RawValue{{}, value.String("descend"), value.String("prune"), value.String("keep")}}
	return mapStage(func(d bson.Raw) (bson.Raw, error) {
		v, err := r.redactDocument(d, d)
		return bson.Raw(v.Value), err
	}), nil
}

// redaction decides which documents to keep, from the outermost to the innermost.
type redaction struct {
	node   expr.Node
	values []bson.RawValue
}

func (r redaction) redactDocument(root, d bson.Raw) (bson.RawValue, error) {
	r.values[0] = value.Document(d)
	v, err := r.node.EvalWith(root, r.values...)
	if err != nil {
		return v, err
	}
	switch value.Text(v) {
	case "keep":
		return value.Document(d), nil
	case "prune":
		return bson.RawValue{}, nil
	case "descend":
	default:
		return v, status.Errorf(17053,
			"$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE, but returned %s",
			text(v))
	}
	dst, start := bson.AppendDocumentStart(nil)
	for key, e := range d.All() {
		if e, err = r.redactValue(root, e); err != nil {
			return e, err
		}
		if !e.IsZero() {
			dst = bson.AppendRawValueElement(dst, key, e)
		}
	}
	return value.Document(bson.AppendDocumentEnd(dst, start)), nil
}

func (r redaction) redactValue(root bson.Raw, v bson.RawValue) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.EmbeddedDocument:
		return r.redactDocument(root, bson.Raw(v.Value))
	case bsontype.Array:
		var out []bson.RawValue
		for _, e := range value.Elements(v) {
			e, err := r.redactValue(root, e)
			if err != nil {
				return e, err
			}
			if !e.IsZero() {
				out = append(out, e)
			}
		}
		return value.ArrayOf(out...), nil
	}
	return v, nil
}
