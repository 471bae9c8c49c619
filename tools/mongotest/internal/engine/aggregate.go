// The command aggregate: runs a pipeline over a collection, a view or, with {aggregate: 1}, no collection at all, and
// answers a cursor. $out and $merge write the results. With explain the reply is the plan.
//
// Left out: allowDiskUse and exchange, which change nothing, and the fields that only mongos sends to shards.

package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// IsWrite reports an aggregate command that ends in $out or $merge.
func IsWrite(body bson.Raw) bool {
	list := value.Elements(body.Lookup("pipeline"))
	if len(list) == 0 {
		return false
	}
	last, _ := bson.Raw(list[len(list)-1].Value).Index(0)
	return last.Key == "$out" || last.Key == "$merge"
}

func (e *Engine) aggregate(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	name := "$cmd.aggregate"
	first, _ := r.Body.Index(0)
	onDatabase := first.Value.Type != bsontype.String
	if onDatabase && number.Is(first.Value.Type) && number.Float64(first.Value) != 1 {
		return nil, status.Errorf(errcode.FailedToParse,
			"Invalid command format: the 'aggregate' field must specify a collection name or 1")
	}
	if !onDatabase || !number.Is(first.Value.Type) {
		var err error
		if name, err = r.collection(); err != nil {
			return nil, err
		}
	}
	a, err := r.parse(aggregateFields)
	if err != nil {
		return nil, err
	}
	switch v := a.get("cursor"); {
	case v.IsZero() && !a.bool("explain"):
		return nil, status.Errorf(errcode.FailedToParse, "The 'cursor' option is required, except for aggregate with the explain argument")
	case a.bool("explain") && !r.Body.Lookup("writeConcern").IsZero() && IsWrite(r.Body):
		return nil, status.Errorf(errcode.FailedToParse, "Aggregation explain does not support the 'writeConcern' option")
	case !v.IsZero() && v.Type != bsontype.EmbeddedDocument:
		return nil, status.Errorf(errcode.TypeMismatch, "cursor field must be missing or an object")
	}
	batch, err := r.batchSize(a)
	if err != nil {
		return nil, err
	}
	if a.bool("explain") {
		return e.explainAggregate(r, a, name, dst)
	}
	run, err := e.compilePipeline(r, a, name, onDatabase)
	if err != nil {
		return nil, err
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, src: run, inTxn: r.Txn != nil, txnNumber: r.TxnNumber,
		at: r.ReadTime, check: r.Interrupt}
	if run.follow != nil {
		cur.src, cur.tailable, cur.await = run.follow, true, true
		dst, err = e.openCursor(ctx, dst, cur, batch, false)
		return dst, addResumableLabel(r, whileRunning(err, r, name))
	}
	if out := run.p.Output; out != nil {
		if err := e.writeOutput(ctx, r, a, out, run.in); err != nil {
			return nil, whileRunning(err, r, name)
		}
		cur.src = &documents{}
	}
	dst, err = e.openCursor(ctx, dst, cur, batch, false)
	return dst, whileRunning(err, r, name)
}
