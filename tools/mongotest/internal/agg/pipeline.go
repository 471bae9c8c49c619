package agg

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Source returns the next document, or nil at the end.
type Source func() (bson.Raw, error)

// Access is what the stages need from the server.
type Access interface {
	// Open reads a collection or view in the state that the pipeline sees. A missing collection is empty.
	Open(db, name string) (Source, error)
	// Find reads the documents that match a query. It uses an index if there is one.
	Find(db, name string, f *query.Filter) (Source, error)
	// Text finds the text index of a collection.
	Text(db, name string) (*fulltext.Index, error)
	// Initial runs a stage that creates its own documents, such as $collStats. ok is false for an unknown stage.
	Initial(name string, spec bson.RawValue) (docs []bson.Raw, ok bool, err error)
}

// Options configure the compilation of a pipeline.
type Options struct {
	DB string
	// Collection is the collection that the pipeline reads. $text in the first stage needs it.
	Collection string
	Scope      *expr.Scope
	Access     Access
	// Nested names the stage that contains this pipeline. A nested pipeline may not write.
	Nested string
	// InTransaction refuses the stages that are not allowed in a transaction.
	InTransaction bool
	depth         int
}

// depthMax limits the nesting of pipelines; lengthMax limits the stages of one pipeline.
const (
	depthMax  = 20
	lengthMax = 1000
)

// stage transforms a stream of documents.
type stage func(in Source) Source

// Pipeline is a compiled pipeline.
type Pipeline struct {
	// Output describes the final $out or $merge; nil without one.
	Output *Output

	names  []string
	specs  []bson.RawValue
	stages []stage
	query  query.Options
	check  *interrupt.Check
	meta   *expr.Metadata
}

// compiler holds the state while one pipeline is compiled.
type compiler struct {
	Options
	p     *Pipeline
	stage string // the name of the current stage; some stages have two names
	// compile compiles a pipeline inside a stage. It is a field so that the stages' files need not know all stages.
	compile func(stages bson.RawValue, o Options) (*Pipeline, error)
}

// prefixStage adds the name of the stage to an error, except to the error of a constant part of an expression.
func prefixStage(stage string, err error) error {
	if _, ok := errors.AsType[*expr.FoldError](err); ok {
		return err
	}
	e := *status.From(err)
	e.Message = "Invalid " + stage + " :: caused by :: " + e.Message
	return &e
}

// Run feeds a source through the stages.
func (p *Pipeline) Run(in Source) Source {
	in = p.stopOnInterrupt(in)
	for i, s := range p.stages {
		if s != nil {
			in = p.stopOnInterrupt(p.keepMetadata(p.names[i], s)(in))
		}
	}
	return in
}

// remade lists the stages whose output documents keep the metadata of their input.
var remade = map[string]bool{
	"$project": true, "$addFields": true, "$set": true, "$unset": true, "$unwind": true, "$replaceRoot": true, "$replaceWith": true,
	"$redact": true, "$lookup": true, "$graphLookup": true,
}

// keepMetadata wraps a stage so that its output keeps the metadata of its input, if anything asks for metadata.
func (p *Pipeline) keepMetadata(name string, s stage) stage {
	if !p.meta.Wants("") || !remade[name] {
		return s
	}
	return func(in Source) Source {
		var last bson.Raw
		out := s(func() (bson.Raw, error) {
			d, err := in()
			last = d
			return d, err
		})
		return func() (bson.Raw, error) {
			d, err := out()
			if d != nil {
				p.meta.Copy(d, last)
			}
			return d, err
		}
	}
}

// stopOnInterrupt returns a source that stops when the command is interrupted.
func (p *Pipeline) stopOnInterrupt(in Source) Source {
	if p.check == nil {
		return in
	}
	return func() (bson.Raw, error) {
		if err := p.check.Err(); err != nil {
			return nil, err
		}
		return in()
	}
}

// List returns a source of the given documents.
func List(docs []bson.Raw) Source {
	return func() (bson.Raw, error) {
		if len(docs) == 0 {
			return nil, nil
		}
		d := docs[0]
		docs = docs[1:]
		return d, nil
	}
}

// Drain reads a source to its end.
func Drain(in Source) ([]bson.Raw, error) {
	var out []bson.Raw
	for {
		d, err := in()
		if d == nil || err != nil {
			return out, err
		}
		out = append(out, d)
	}
}

// Lead removes the first stage if it has the given name, so the caller can do its work with an index.
func (p *Pipeline) Lead(name string) (spec bson.RawValue, ok bool) {
	if len(p.names) == 0 || p.names[0] != name {
		return spec, false
	}
	spec = p.specs[0]
	p.names, p.specs, p.stages = p.names[1:], p.specs[1:], p.stages[1:]
	return spec, true
}

// First returns the name of the first stage, or "" for an empty pipeline.
func (p *Pipeline) First() string {
	if len(p.names) == 0 {
		return ""
	}
	return p.names[0]
}

// mapStage returns a stage that maps each document to one document; nil drops it.
func mapStage(f func(bson.Raw) (bson.Raw, error)) stage {
	return func(in Source) Source {
		return func() (bson.Raw, error) {
			for {
				d, err := in()
				if d == nil || err != nil {
					return nil, err
				}
				if d, err = f(d); d != nil || err != nil {
					return d, err
				}
			}
		}
	}
}

// wholeStage returns a stage that needs all documents before it returns the first.
func wholeStage(f func([]bson.Raw) ([]bson.Raw, error)) stage {
	return foldStage(func(in Source) ([]bson.Raw, error) {
		docs, err := Drain(in)
		if err != nil {
			return nil, err
		}
		return f(docs)
	})
}

// foldStage makes a stage that reads all documents before it returns the first, but does not keep them.
func foldStage(f func(in Source) ([]bson.Raw, error)) stage {
	return func(in Source) Source {
		var out Source
		return func() (bson.Raw, error) {
			if out == nil {
				docs, err := f(in)
				if err != nil {
					return nil, err
				}
				out = List(docs)
			}
			return out()
		}
	}
}

// Output describes a final $out or $merge stage.
type Output struct {
	Merge    bool
	DB, Name string
	On       []string
	// Matched is merge, replace, keepExisting, fail or pipeline; Unmatched is insert, discard or fail.
	Matched, Unmatched string

	pipeline bson.RawValue
	hasLet   bool
	let      []string
	nodes    []expr.Node
	scope    *expr.Scope
}
