package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// explanation is one explain that runs.
type explanation struct {
	e         *Engine
	r         Request            // the command that is explained
	commands  map[string]Handler // every command
	command   bson.Raw
	verbosity string

	name   string
	c      *store.Collection
	found  *results
	filter bson.Raw
	covers bool // the index has every field of the projection and the filter
	counts bool // a count that reads no document
	// skips means that the plan skips from one value of the index to the next; values is their number.
	skips  bool
	values int32
	above  []stage         // the stages that the server puts above the plan, lowest first
	rest   []bson.RawValue // the pipeline stages that the plan does not run
	cursor string          // the stage that has the plan of a pipeline, if it is not $cursor
}

// stage is a stage of a plan that has one input.
type stage struct {
	name    string
	details func(dst []byte) []byte
}

// begins appends the name of a stage and the fields that every stage has.
type begins func(dst []byte, name string) []byte

func (x *explanation) appendFilter(dst []byte) []byte {
	return appendTested(dst, joinConditions(listConditions(documentOrEmpty(x.filter))))
}

// appendTested appends what a stage tests.
func appendTested(dst []byte, filter bson.Raw) []byte {
	if filter.Len() == 0 {
		return dst
	}
	return bson.AppendDocumentElement(dst, "filter", filter)
}

func (x *explanation) appendIndex(dst []byte) []byte { return x.found.walk.plan.appendIndex(dst) }

// appendIndex describes the plan's index and how the plan reads it.
func (p *plan) appendIndex(dst []byte) []byte {
	dst = appendProperties(dst, p.index)
	return p.appendBounds(bson.AppendStringElement(dst, "direction", direction(p.back)))
}

// appendProperties describes only the index.
func appendProperties(dst []byte, x *store.Index) []byte {
	dst = bson.AppendDocumentElement(dst, "keyPattern", shownPattern(x))
	dst = bson.AppendStringElement(dst, "indexName", x.Name)
	dst = bson.AppendBooleanElement(dst, "isMultiKey", x.Multikey)
	dst = appendMultikeyPaths(dst, x)
	dst = bson.AppendBooleanElement(dst, "isUnique", x.Unique || x.Name == idName)
	dst = bson.AppendBooleanElement(dst, "isSparse", x.Sparse)
	dst = bson.AppendBooleanElement(dst, "isPartial", x.Filter != nil)
	return bson.AppendInt32Element(dst, "indexVersion", 2)
}

func direction(back bool) string {
	if back {
		return "backward"
	}
	return "forward"
}

// shownPattern returns an index key as explain shows it. For a wildcard index it names the path that is read.
func shownPattern(x *store.Index) bson.Raw {
	if x.Path == "" {
		return x.KeyPattern()
	}
	dst, start := bson.AppendDocumentStart(nil)
	for _, f := range x.Fields {
		n := int32(1)
		if f.Descending {
			n = -1
		}
		dst = bson.AppendInt32Element(dst, f.Name, n)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// appendMultikeyPaths appends, for each field, the beginnings of its path at which a document has an array.
func appendMultikeyPaths(dst []byte, x *store.Index) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "multiKeyPaths")
	for i, f := range x.Fields {
		var met []bson.RawValue
		for at := range f.Path {
			if x.Arrays != nil && x.Arrays[i]&(1<<min(at, 63)) != 0 {
				met = append(met, value.String(f.Path[:at+1].String()))
			}
		}
		dst = bson.AppendRawValueElement(dst, f.Name, value.ArrayOf(met...))
	}
	return bson.AppendDocumentEnd(dst, start)
}
