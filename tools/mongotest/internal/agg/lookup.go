package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// lookupStage is the stage $lookup.
type lookupStage struct {
	c              *compiler
	from           string
	local, foreign path.Path
	as             path.Path
	pipeline       bson.RawValue
	inner          *Pipeline
	match          *query.Filter // the leading $match of the inner pipeline, if it was taken off to use an index

	hasLet bool
	nodes  []expr.Node
	vars   []*bson.RawValue // the variables through which the inner pipeline sees the outer document
	let    map[string]*bson.RawValue
}

func compileLookup(c *compiler, spec bson.RawValue) (stage, error) {
	d, ok := spec.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.FailedToParse, "the $lookup stage specification must be an object, but found %s", spec.Type)
	}
	j := &lookupStage{c: c, let: map[string]*bson.RawValue{}}
	for key, v := range d.All() {
		if err := j.readOption(key, v); err != nil {
			return nil, err
		}
	}
	if err := j.check(d); err != nil {
		return nil, err
	}
	if c.Access == nil {
		return nil, status.Errorf(errcode.InvalidOptions, "$lookup is not allowed here")
	}
	stages := j.pipeline
	if stages.IsZero() {
		stages = value.ArrayOf()
	}
	o := c.Options
	o.Scope, o.Nested, o.Collection = o.Scope.WithLate(j.let), "$lookup", j.from
	var err error
	if j.inner, err = c.compile(stages, o); err != nil {
		return nil, err
	}
	first := bson.RawValue{}
	if j.local == nil {
		first, _ = j.inner.Lead("$match")
	}
	match, _ := first.DocumentOK()
	if match == nil {
		match = value.EmptyDocument
	}
	j.match, err = query.Compile(match, query.Options{
		Collation: o.Scope.Collation, Scope: o.Scope,
		Text: func() (*fulltext.Index, error) { return c.Access.Text(c.DB, j.from) },
	})
	return mapStage(j.join), err
}

// check refuses options that contradict each other.
func (j *lookupStage) check(spec bson.Raw) error {
	const both = "$lookup requires both or neither of 'localField' and 'foreignField' to be specified"
	version := j.c.Scope.Wire()
	fail := func(text string) error { return status.Errorf(errcode.FailedToParse, "%s", text) }
	switch {
	case j.from == "" && version < wire.Server51:
		return fail("missing 'from' option to $lookup stage specification: " + status.Text(spec))
	case j.from == "" && j.pipeline.IsZero():
		return fail("must specify 'pipeline' when 'from' is empty")
	case j.from == "" && !startsWithDocuments(j.pipeline):
		return fail("$lookup stage without explicit collection must have a pipeline with $documents as first stage")
	case j.as == nil:
		return fail("must specify 'as' field for a $lookup")
	case !j.pipeline.IsZero() && version < wire.Server50 && (j.local != nil || j.foreign != nil):
		return fail("$lookup with 'pipeline' may not specify 'localField' or 'foreignField'")
	case !j.pipeline.IsZero() && (j.local == nil) != (j.foreign == nil):
		return fail(both)
	case j.pipeline.IsZero() && (j.local == nil || j.foreign == nil):
		return fail("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified")
	case j.pipeline.IsZero() && j.hasLet:
		return fail("$lookup with a 'let' argument must also specify 'pipeline'")
	}
	return nil
}

func startsWithDocuments(pipeline bson.RawValue) bool {
	list := value.Elements(pipeline)
	return len(list) > 0 && list[0].Type == bsontype.EmbeddedDocument && !path.Field(bson.Raw(list[0].Value), "$documents").IsZero()
}

func (j *lookupStage) readOption(key string, v bson.RawValue) error {
	switch key {
	case "pipeline":
		if v.Type != bsontype.Array {
			return status.Errorf(errcode.TypeMismatch, "'pipeline' option must be specified as an array")
		}
		j.pipeline = v
		return nil
	case "let":
		return j.readVariables(v)
	}
	s, isString := v.StringOK()
	if !isString {
		if key == "from" {
			return status.Errorf(errcode.FailedToParse, "$lookup 'from' field must be a string, but found %s", v.Type)
		}
		return status.Errorf(errcode.FailedToParse,
			"$lookup argument '%s' must be a string, found %s: %s: %s", key, key, status.TextOf(v), v.Type)
	}
	fields := map[string]*path.Path{"localField": &j.local, "foreignField": &j.foreign, "as": &j.as}
	switch p := fields[key]; {
	case key == "from":
		j.from = s
	case p == nil:
		return status.Errorf(errcode.FailedToParse, "unknown argument to $lookup: %s", key)
	case s != "":
		var err error
		*p, err = expr.CheckPath(s, j.c.Scope)
		return err
	}
	return nil
}

func (j *lookupStage) readVariables(v bson.RawValue) error {
	d, ok := v.DocumentOK()
	if !ok {
		return status.Errorf(errcode.FailedToParse, "$lookup argument 'let: %s' must be an object, is type %s", status.TextOf(v), v.Type)
	}
	j.hasLet = true
	for name, e := range d.All() {
		if err := j.c.Scope.CheckVariable(name); err != nil {
			return err
		}
		node, err := expr.Compile(e, j.c.Scope)
		if err != nil {
			return err
		}
		j.let[name] = &bson.RawValue{}
		j.nodes, j.vars = append(j.nodes, node), append(j.vars, j.let[name])
	}
	return nil
}

func (j *lookupStage) join(d bson.Raw) (bson.Raw, error) {
	for i, node := range j.nodes {
		v, err := node.Eval(d)
		if err != nil {
			return nil, err
		}
		*j.vars[i] = v
	}
	in, err := j.foreignDocuments(d)
	if err != nil {
		return nil, err
	}
	docs, err := Drain(in)
	if err != nil {
		return nil, err
	}
	return put(d, j.as, arrayOf(docs)), nil
}

func arrayOf(docs []bson.Raw) bson.RawValue {
	values := make([]bson.RawValue, len(docs))
	for i, doc := range docs {
		values[i] = value.Document(doc)
	}
	return value.ArrayOf(values...)
}

// foreignDocuments runs the inner pipeline on the documents that the two fields join.
func (j *lookupStage) foreignDocuments(d bson.Raw) (Source, error) {
	if j.local == nil && j.inner.SelfMade() {
		return j.inner.Run(List(nil)), nil
	}
	if j.local == nil {
		in, err := j.c.Access.Find(j.c.DB, j.from, j.match)
		return j.inner.Run(in), err
	}
	f, err := j.condition(d)
	if err != nil {
		return nil, err
	}
	if !j.inner.SelfMade() {
		in, err := j.c.Access.Find(j.c.DB, j.from, f)
		return j.inner.Run(in), err
	}
	rest := &Pipeline{names: j.inner.names[1:], stages: j.inner.stages[1:]}
	return rest.Run(filterStage(f)(j.inner.stages[0](nil))), nil
}

// filterStage returns a stage that keeps the documents matching a query.
func filterStage(f *query.Filter) stage {
	return mapStage(func(d bson.Raw) (bson.Raw, error) {
		if ok, err := f.Match(d); !ok || err != nil {
			return nil, err
		}
		return d, nil
	})
}

// condition returns {foreignField: {$in: [values of localField]}}. A missing field joins with null, and so does an
// empty array. A regular expression in localField must be matched as a value, but $in would take it for a pattern.
func (j *lookupStage) condition(d bson.Raw) (*query.Filter, error) {
	return j.c.joinFilter(j.foreign, appendAlong(d, j.local, nil))
}

func (c *compiler) joinFilter(foreign path.Path, values []bson.RawValue) (*query.Filter, error) {
	if len(values) == 0 {
		values = []bson.RawValue{value.Null}
	}
	var plain []bson.RawValue
	var branches []bson.RawValue
	for _, e := range values {
		if e.Type == bsontype.Regex {
			branches = append(branches, wrap(foreign.String(), wrap("$eq", e)))
		} else {
			plain = append(plain, e)
		}
	}
	in := wrap(foreign.String(), wrap("$in", value.ArrayOf(plain...)))
	if len(branches) > 0 {
		in = wrap("$or", value.ArrayOf(append(branches, in)...))
	}
	return query.Compile(bson.Raw(in.Value), c.p.query)
}

// appendAlong collects the values at a path. It expands arrays at the end of the path and along the way. On the way a number
// may also name a position.
func appendAlong(d bson.Raw, p path.Path, out []bson.RawValue) []bson.RawValue {
	v := path.Field(d, p[0])
	p = p[1:]
	for len(p) > 0 && v.Type == bsontype.Array && path.IsIndex(p[0]) {
		v = path.Field(bson.Raw(v.Value), p[0])
		p = p[1:]
	}
	switch {
	case v.Type == bsontype.Array && len(p) == 0:
		return append(out, value.Elements(v)...)
	case len(p) == 0 && !v.IsZero():
		return append(out, v)
	case v.Type == bsontype.EmbeddedDocument && len(p) > 0:
		return appendAlong(bson.Raw(v.Value), p, out)
	case v.Type == bsontype.Array:
		for _, e := range value.Elements(v) {
			if e.Type == bsontype.EmbeddedDocument {
				out = appendAlong(bson.Raw(e.Value), p, out)
			}
		}
	}
	return out
}
