package agg

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Compile checks and compiles a pipeline.
func Compile(stages bson.RawValue, o Options) (*Pipeline, error) {
	if o.depth++; o.depth > depthMax {
		return nil, status.Errorf(errcode.MaxSubPipelineDepthExceeded,
			"Maximum number of nested sub-pipelines exceeded. Limit is %d", depthMax)
	}
	if o.Scope == nil {
		o.Scope = &expr.Scope{}
	}
	filters := query.Options{Collation: o.Scope.Collation, Scope: o.Scope, NoNear: true}
	c := &compiler{Options: o, compile: Compile, p: &Pipeline{check: o.Scope.Check(), query: filters, meta: o.Scope.Meta}}
	list := value.Elements(stages)
	if len(list) > lengthMax && o.Scope.Wire() >= wire.Server50 {
		return nil, status.Errorf(errcode.FailedToParse, "Pipeline length must be no longer than %d stages", lengthMax)
	}
	for i, v := range list {
		if v.Type != bsontype.EmbeddedDocument {
			return nil, status.Errorf(errcode.TypeMismatch, "Each element of the 'pipeline' array must be an object")
		}
		e, ok := bson.Raw(v.Value).Index(0)
		if !ok || bson.Raw(v.Value).Len() != 1 {
			return nil, status.Errorf(errcode.Location40323, "A pipeline stage specification object must contain exactly one field.")
		}
		if err := c.add(i, e.Key, e.Value); err != nil {
			return nil, prefixError(err)
		}
	}
	return c.p, c.validate()
}

// prefixError adds the server's prefix to the error of a constant part of an expression.
func prefixError(err error) error {
	if _, ok := errors.AsType[*expr.FoldError](err); !ok {
		return err
	}
	e := *status.From(err)
	e.Message = "Failed to optimize pipeline :: caused by :: " + e.Message
	return &e
}

func (c *compiler) add(at int, name string, spec bson.RawValue) error {
	c.p.names, c.p.specs = append(c.p.names, name), append(c.p.specs, spec)
	c.stage = name
	c.p.query.Text = func() (*fulltext.Index, error) {
		switch {
		case at > 0:
			return nil, status.Errorf(17313, "$match with $text is only allowed as the first pipeline stage")
		case c.Access == nil:
			return nil, status.Errorf(errcode.BadValue, "$text is not allowed in this context")
		}
		return c.Access.Text(c.DB, c.Collection)
	}
	if writes[name] {
		var err error
		c.p.Output, err = c.compileOutput(name, spec)
		c.p.stages = append(c.p.stages, nil)
		return err
	}
	build, known := builders(name)
	if introduced[name] > c.Scope.Wire() {
		return errUnrecognized(name)
	}
	if !known {
		return c.compileFirst(at, name, spec)
	}
	run, err := build(c, spec)
	c.p.stages = append(c.p.stages, run)
	return err
}

// compileFirst compiles a stage that creates documents. Such a stage must come first.
func (c *compiler) compileFirst(at int, name string, spec bson.RawValue) error {
	if c.Access == nil {
		return errUnrecognized(name)
	}
	if at > 0 && isInitial(name) {
		c.p.stages = append(c.p.stages, nil)
		return nil // validate refuses it
	}
	docs, ok, err := c.Access.Initial(name, spec)
	if err != nil {
		return err
	}
	if !ok {
		return errUnrecognized(name)
	}
	c.p.stages = append(c.p.stages, func(Source) Source { return List(docs) })
	return nil
}

// builders finds the stages that transform documents.
func builders(name string) (builder, bool) {
	b, ok := map[string]builder{
		"$match": compileMatch, "$project": compileProject, "$addFields": compileAddFields, "$set": compileAddFields,
		"$unset": compileUnset, "$group": compileGroup, "$sort": compileSort, "$limit": compileLimit, "$skip": compileSkip,
		"$unwind": compileUnwind, "$lookup": compileLookup, "$count": compileCount, "$sortByCount": compileSortByCount,
		"$replaceRoot": compileReplaceRoot, "$replaceWith": compileReplaceWith, "$facet": compileFacet,
		"$sample": compileSample, "$unionWith": compileUnionWith, "$documents": compileDocuments, "$bucket": compileBucket,
		"$bucketAuto": compileBucketAuto, "$redact": compileRedact, "$graphLookup": compileGraphLookup,
		splits: compileSplit, "$setWindowFields": compileSetWindowFields, "$fill": compileFill, "$densify": compileDensify,
	}[name]
	return b, ok
}

type builder func(c *compiler, spec bson.RawValue) (stage, error)
