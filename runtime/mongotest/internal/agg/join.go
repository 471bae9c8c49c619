package agg

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/expr"
	"github.com/specdrivers/onion/runtime/mongotest/internal/path"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
)

func unwind(_ *compiler, spec bson.RawValue) (stage, error) {
	name, ok := spec.StringOK()
	var keep bool
	var index string
	if d, isDocument := spec.DocumentOK(); isDocument {
		for key, v := range d.All() {
			switch key {
			case "path":
				if name, ok = v.StringOK(); !ok {
					return nil, status.Errorf(28808, "expected a string as the path for $unwind stage, got %s", v.Type)
				}
			case "preserveNullAndEmptyArrays":
				if keep, ok = v.BooleanOK(); !ok {
					return nil, status.Errorf(28809, "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got %s", v.Type)
				}
			case "includeArrayIndex":
				if index, ok = v.StringOK(); !ok || index == "" {
					return nil, status.Errorf(28810, "expected a non-empty string for the includeArrayIndex  option to $unwind stage, got %s", v.Type)
				}
			default:
				return nil, status.Errorf(28811, "unrecognized option to $unwind stage: %s", key)
			}
		}
	} else if !ok {
		return nil, status.Errorf(15981, "expected either a string or an object as specification for $unwind stage, got %s", spec.Type)
	}
	switch {
	case name == "":
		return nil, status.Errorf(28812, "no path specified to $unwind stage")
	case !strings.HasPrefix(name, "$"):
		return nil, status.Errorf(28818, "path option to $unwind stage should be prefixed with a '$': %s", name)
	}
	return unwinding(path.Parse(name[1:]), keep, index), nil
}

func unwinding(p path.Path, keep bool, index string) stage {
	return func(in Source) Source {
		var pending []bson.Raw
		return func() (bson.Raw, error) {
			for len(pending) == 0 {
				d, err := in()
				if d == nil || err != nil {
					return nil, err
				}
				pending = unwindOne(d, p, keep, index)
			}
			d := pending[0]
			pending = pending[1:]
			return d, nil
		}
	}
}

// unwindOne makes one document per element of the array at the path.
func unwindOne(d bson.Raw, p path.Path, keep bool, index string) []bson.Raw {
	v := p.Lookup(d)
	position := func(d bson.Raw, n bson.RawValue) bson.Raw {
		if index == "" {
			return d
		}
		return put(d, path.Parse(index), n)
	}
	if v.Type != bsontype.Array {
		if value.Nullish(v) && !keep {
			return nil
		}
		return []bson.Raw{position(d, value.Null)}
	}
	list := value.Elements(v)
	if len(list) == 0 && keep {
		return []bson.Raw{position(put(d, p, bson.RawValue{}), value.Null)}
	}
	out := make([]bson.Raw, len(list))
	for i, e := range list {
		out[i] = position(put(d, p, e), value.Int64(int64(i)))
	}
	return out
}

// put replaces the value at a path through documents; a missing value takes the field away.
func put(d bson.Raw, p path.Path, v bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(d)+len(v.Value)+16))
	found := false
	for key, old := range d.All() {
		if key != p[0] {
			dst = bson.AppendRawValueElement(dst, key, old)
			continue
		}
		found = true
		dst = putValue(dst, p, old, v)
	}
	if !found {
		dst = putValue(dst, p, bson.RawValue{}, v)
	}
	return bson.AppendDocumentEnd(dst, start)
}

func putValue(dst []byte, p path.Path, old, v bson.RawValue) []byte {
	if len(p) > 1 {
		inner := value.EmptyDocument
		if old.Type == bsontype.EmbeddedDocument {
			inner = bson.Raw(old.Value)
		}
		return bson.AppendDocumentElement(dst, p[0], put(inner, p[1:], v))
	}
	if v.IsZero() {
		return dst
	}
	return bson.AppendRawValueElement(dst, p[0], v)
}

// joining is a $lookup.
type joining struct {
	c              *compiler
	from           string
	local, foreign string
	as             path.Path
	let            []string
	nodes          []expr.Node
	pipeline       bson.RawValue
}

func lookup(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "the $lookup specification must be an Object")
	}
	j := &joining{c: c}
	for key, v := range d.All() {
		if err := j.option(key, v); err != nil {
			return nil, err
		}
	}
	switch {
	case j.as == nil:
		return nil, status.Errorf(errcode.FailedToParse, "must specify 'as' field for a $lookup")
	case j.from == "" && !startsWithDocuments(j.pipeline):
		return nil, status.Errorf(errcode.FailedToParse, "must specify 'from' field for a $lookup")
	case (j.local == "") != (j.foreign == ""):
		return nil, status.Errorf(errcode.FailedToParse, "$lookup requires both or neither of 'localField' and 'foreignField' to be specified")
	case j.local == "" && j.pipeline.IsZero():
		return nil, status.Errorf(errcode.FailedToParse, "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified")
	case c.Access == nil:
		return nil, status.Errorf(errcode.InvalidOptions, "$lookup is not allowed here")
	}
	if _, err := j.inner(nil); err != nil {
		return nil, err
	}
	return each(j.join), nil
}

func startsWithDocuments(pipeline bson.RawValue) bool {
	list := value.Elements(pipeline)
	return len(list) > 0 && !bson.Raw(list[0].Value).Lookup("$documents").IsZero()
}

func (j *joining) option(key string, v bson.RawValue) error {
	s, isString := v.StringOK()
	switch key {
	case "from", "localField", "foreignField", "as":
		if !isString {
			return status.Errorf(errcode.FailedToParse, "$lookup argument '%s: %s' must be a string, is type %s", key, status.TextOf(v), v.Type)
		}
	}
	switch key {
	case "from":
		j.from = s
	case "localField":
		j.local = s
	case "foreignField":
		j.foreign = s
	case "as":
		j.as = path.Parse(s)
	case "pipeline":
		if v.Type != bsontype.Array {
			return status.Errorf(errcode.TypeMismatch, "'pipeline' option must be specified as an array")
		}
		j.pipeline = v
	case "let":
		d, ok := v.DocumentOK()
		if !ok {
			return status.Errorf(errcode.FailedToParse, "$lookup argument 'let: %s' must be an object, is type %s", status.TextOf(v), v.Type)
		}
		for name, e := range d.All() {
			if err := expr.CheckVariable(name); err != nil {
				return err
			}
			node, err := expr.Compile(e, j.c.Scope)
			if err != nil {
				return err
			}
			j.let, j.nodes = append(j.let, name), append(j.nodes, node)
		}
	default:
		return status.Errorf(errcode.FailedToParse, "unknown argument to $lookup: %s", key)
	}
	return nil
}

// inner compiles the pipeline with the variables of one outer document; nil stands for the check at compile time.
func (j *joining) inner(d bson.Raw) (*Pipeline, error) {
	vars := map[string]bson.RawValue{}
	for i, name := range j.let {
		vars[name] = value.Null
		if d != nil {
			v, err := j.nodes[i].Eval(d)
			if err != nil {
				return nil, err
			}
			vars[name] = v
		}
	}
	stages := j.pipeline
	if stages.IsZero() {
		stages = value.ArrayOf()
	}
	o := j.c.Options
	o.Scope, o.Nested = o.Scope.With(vars), "$lookup"
	return Compile(stages, o)
}

func (j *joining) join(d bson.Raw) (bson.Raw, error) {
	p, err := j.inner(d)
	if err != nil {
		return nil, err
	}
	in, err := j.foreignDocuments(p, d)
	if err != nil {
		return nil, err
	}
	docs, err := Drain(p.Run(in))
	if err != nil {
		return nil, err
	}
	values := make([]bson.RawValue, len(docs))
	for i, doc := range docs {
		values[i] = value.Document(doc)
	}
	return put(d, j.as, value.ArrayOf(values...)), nil
}

// foreignDocuments are what the inner pipeline begins with.
func (j *joining) foreignDocuments(p *Pipeline, d bson.Raw) (Source, error) {
	switch {
	case p.SelfMade():
		return List(nil), nil
	case j.local == "":
		return j.c.Access.Open(j.c.DB, j.from)
	}
	f, err := j.condition(d)
	if err != nil {
		return nil, err
	}
	return j.c.Access.Find(j.c.DB, j.from, f)
}

// condition is {foreignField: {$in: [the values of localField]}}; a missing field joins with null. A regular expression
// in localField is a value to be equal to, which $in would take for a pattern.
func (j *joining) condition(d bson.Raw) (*query.Filter, error) {
	v := expr.Follow(value.Document(d), path.Parse(j.local))
	values := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		values = value.Elements(v)
	} else if v.IsZero() {
		values[0] = value.Null
	}
	plain := values[:0:0]
	for _, e := range values {
		if e.Type != bsontype.Regex {
			plain = append(plain, e)
		}
	}
	in := wrap(j.foreign, wrap("$in", value.ArrayOf(plain...)))
	if len(plain) == len(values) {
		return query.Compile(bson.Raw(in.Value), j.c.p.query)
	}
	branches := []bson.RawValue{in}
	for _, e := range values {
		if e.Type == bsontype.Regex {
			branches = append(branches, wrap(j.foreign, wrap("$eq", e)))
		}
	}
	return query.Compile(bson.Raw(wrap("$or", value.ArrayOf(branches...)).Value), j.c.p.query)
}

// wrap is the document {name: v}.
func wrap(name string, v bson.RawValue) bson.RawValue {
	d, start := bson.AppendDocumentStart(nil)
	d = bson.AppendRawValueElement(d, name, v)
	return value.Document(bson.AppendDocumentEnd(d, start))
}

func unionWith(c *compiler, spec bson.RawValue) (stage, error) {
	name, ok := spec.StringOK()
	stages := value.ArrayOf()
	if d, isDocument := spec.DocumentOK(); isDocument {
		name, ok = d.Lookup("coll").StringOK()
		if v := d.Lookup("pipeline"); !v.IsZero() {
			stages = v
		}
		ok = ok || startsWithDocuments(stages)
	}
	if !ok || c.Access == nil {
		return nil, status.Errorf(errcode.FailedToParse, "the $unionWith stage specification must be an object or string, but found %s", spec.Type)
	}
	o := c.Options
	o.Nested = "$unionWith"
	p, err := Compile(stages, o)
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

func facet(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok || d.Len() == 0 {
		return nil, status.Errorf(40169, "the $facet specification must be a non-empty object")
	}
	var names []string
	var parts []*Pipeline
	for name, v := range d.All() {
		if v.Type != bsontype.Array {
			return nil, status.Errorf(40170, "arguments to $facet must be arrays, %s is type %s", name, v.Type)
		}
		o := c.Options
		o.Nested = "$facet"
		p, err := Compile(v, o)
		if err != nil {
			return nil, err
		}
		for _, s := range p.names {
			if s == "$facet" || isInitial(s) || s == "$documents" {
				return nil, status.Errorf(40600, "%s is not allowed to be used within a $facet stage", s)
			}
		}
		names, parts = append(names, name), append(parts, p)
	}
	return whole(func(docs []bson.Raw) ([]bson.Raw, error) {
		out, start := bson.AppendDocumentStart(nil)
		for i, p := range parts {
			got, err := Drain(p.Run(List(append([]bson.Raw(nil), docs...))))
			if err != nil {
				return nil, err
			}
			values := make([]bson.RawValue, len(got))
			for k, d := range got {
				values[k] = value.Document(d)
			}
			out = bson.AppendRawValueElement(out, names[i], value.ArrayOf(values...))
		}
		return []bson.Raw{bson.AppendDocumentEnd(out, start)}, nil
	}), nil
}
