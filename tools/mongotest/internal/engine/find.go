// The command find: returns the documents of a collection or view that match a query, sorted and projected, within skip
// and limit, as a cursor. It has tailable and awaitData on capped collections, min and max with a hinted index,
// returnKey and showRecordId.
//
// Left out: resume tokens ($_requestResumeToken) and returnKey on an index over arrays are refused. allowDiskUse,
// allowPartialResults, oplogReplay, readOnce and term change nothing.

package engine

import (
	"context"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

var findFields = []field{
	{"filter", 0, document}, {"projection", 0, document}, {"sort", 0, document}, {"hint", 0, hint}, {"collation", 0, document},
	{"skip", 0, integer | natural}, {"limit", 0, integer | natural}, {"batchSize", 0, integer | natural},
	{"ntoreturn", 0, integer | natural}, {"singleBatch", 0, boolean}, {"allowDiskUse", wire.Server44, boolean}, {"min", 0, document},
	{"max", 0, document}, {"returnKey", 0, boolean}, {"showRecordId", 0, boolean}, {"tailable", 0, boolean},
	{"oplogReplay", 0, flag}, {"noCursorTimeout", 0, boolean}, {"awaitData", 0, boolean}, {"allowPartialResults", 0, boolean},
	{"let", wire.Server50, document}, {"options", wire.Server50, document}, {"term", 0, integer}, {"readOnce", 0, boolean},
	{"allowSpeculativeMajorityRead", 0, boolean},
	{"$_requestResumeToken", wire.Server44, boolean}, {"$_resumeAfter", wire.Server44, document},
	{"runtimeConstants", 0, document}, {"comment", 0, text}, {"collectionUUID", wire.Server60, uuid},
	{"encryptionInformation", wire.Server60, document}, {"includeQueryStatsMetrics", wire.Server80, boolean},
}

func (e *Engine) find(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	if out, ok := e.findID(r, dst); ok {
		return out, nil
	}
	name, err := r.collection()
	if err != nil {
		return nil, err
	}
	a, err := r.parse(findFields)
	if err != nil {
		return nil, err
	}
	if err := checkFind(a); err != nil {
		return nil, err
	}
	snap := e.snapshot(r)
	if err := r.checkUUID(snap, a, r.DB, name); err != nil {
		return nil, err
	}
	c := snap.Collection(r.DB, name)
	if c != nil && c.IsView() {
		return e.findView(ctx, r, a, c, dst)
	}
	cur := &cursor{db: r.DB, name: name, lsid: r.LSID, noTimeout: a.bool("noCursorTimeout"), inTxn: r.Txn != nil,
		txnNumber: r.TxnNumber, at: r.ReadTime, check: r.Interrupt}
	if c != nil && r.Txn == nil {
		cur.uuid = c.UUID
	}
	single := a.bool("singleBatch")
	if a.bool("tailable") {
		if err := e.newTail(a, c, cur); err != nil {
			return nil, err
		}
		if cur.src == nil {
			cur.src, single = &documents{}, true
		}
	} else if cur.src, err = e.compileFind(a, c); err != nil {
		return nil, err
	}
	batch := int64(-1)
	for _, option := range [...]string{"batchSize", "ntoreturn"} {
		if a.has(option) {
			batch = a.int(option)
		}
	}
	dst, err = e.openCursor(ctx, dst, cur, batch, single)
	return dst, addActivity(r, r.DB+"."+name, err)
}

// checkFind refuses options that contradict each other.
func checkFind(a *args) error {
	low, high := a.document("min"), a.document("max")
	tailable, sort := a.bool("tailable"), a.document("sort")
	switch {
	case low.Len() > 0 && high.Len() > 0 && !sameNames(low, high):
		return status.Errorf(51176, "min and max must have the same field names")
	case badNatural(sort):
		return status.Errorf(errcode.BadValue, "$natural sort cannot be set to a value other than -1 or 1.")
	case badNatural(a.document("hint")):
		return status.Errorf(errcode.BadValue, "$natural hint cannot be set to a value other than -1 or 1.")
	case a.bool("awaitData") && !tailable:
		return status.Errorf(errcode.FailedToParse, "Cannot set 'awaitData' without also setting 'tailable'")
	case tailable && sort.Len() > 0 && (sort.Len() > 1 || number.Float64(path.Field(sort, "$natural")) != 1):
		return status.Errorf(errcode.BadValue, "cannot use tailable option with a sort other than {$natural: 1}")
	case tailable && a.bool("singleBatch"):
		return status.Errorf(errcode.BadValue, "cannot use tailable option with the 'singleBatch' option")
	case low.Len()+high.Len() > 0 && !a.has("hint"):
		return status.Errorf(51173, "When using min()/max() a hint of which index to use must be provided")
	}
	for _, name := range [...]string{"$_requestResumeToken", "$_resumeAfter"} {
		if a.has(name) && (a.bool(name) || a.document(name).Len() > 0) {
			return status.Errorf(errcode.CommandNotSupported, "find does not support '%s' in mongotest", name)
		}
	}
	return nil
}

func badNatural(d bson.Raw) bool {
	v := path.Field(d, "$natural")
	return !v.IsZero() && (!number.Is(v.Type) || math.Abs(number.Float64(v)) != 1)
}
