// The command count: the number of documents that match a query, within skip and limit.
//
// Left out: a server keeps the size of a collection; here a count reads the whole collection.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var countFields = []field{
	{"query", 0, document}, {"limit", 0, anything}, {"skip", 0, integer | natural}, {"hint", 0, hint}, {"collation", 0, document},
	{"fields", 0, document}, {"queryOptions", 0, document}, {"comment", 0, text}, {"collectionUUID", wire.Server60, uuid},
	{"encryptionInformation", wire.Server60, document}, {"includeQueryStatsMetrics", wire.Server82, boolean},
}

func (e *Engine) count(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(countFields)
	if err != nil {
		return nil, err
	}
	if err := checkCount(a); err != nil {
		return nil, err
	}
	if err := r.checkUUID(e.snapshot(r), a, r.DB, name); err != nil {
		return nil, err
	}
	src, err := e.readAll(r, a, name, "query")
	if err != nil {
		return nil, err
	}
	n, skip := int64(0), a.int("skip")
	limit := max(a.int("limit"), -a.int("limit"))
	for limit == 0 || n < limit {
		d, err := src()
		if err != nil {
			return nil, err
		}
		if d == nil {
			break
		}
		if skip > 0 {
			skip--
			continue
		}
		if n++; n&1023 == 0 {
			if err := endedError(ctx); err != nil {
				return nil, err
			}
		}
	}
	return bson.AppendRawValueElement(dst, "n", value.Integer(n)), nil
}

func checkCount(a *args) error {
	if v := a.get("limit"); !v.IsZero() && !number.Is(v.Type) {
		return status.Errorf(errcode.BadValue, "limit value is not a valid number")
	}
	return nil
}

// readAll yields the documents of a collection or view that match the query in an argument.
func (e *Engine) readAll(r *Request, a *args, name, q string) (func() (bson.Raw, error), error) {
	c := e.snapshot(r).Collection(r.DB, name)
	if c == nil || !c.IsView() {
		f, err := e.compileFilter(a, c, q)
		if err != nil {
			return nil, err
		}
		p, err := makePlan(c, f, nil, a.get("hint"), 0)
		if err != nil {
			return nil, err
		}
		return (&results{walk: p.newMatches(), limit: -1}).next, nil
	}
	d, start := bson.AppendDocumentStart(nil)
	if v := a.get(q); !v.IsZero() {
		d = bson.AppendRawValueElement(d, "$match", v)
	} else {
		d = bson.AppendDocumentElement(d, "$match", value.EmptyDocument)
	}
	b := &args{
		fields: []field{{name: "pipeline"}, {name: "collation"}},
		values: []bson.RawValue{value.ArrayOf(value.Document(bson.AppendDocumentEnd(d, start))), a.get("collation")},
		wire:   a.wire,
		check:  a.check,
	}
	run, err := e.compilePipeline(r, b, name, false)
	if err != nil {
		return nil, err
	}
	return run.next, nil
}
