package mongotest

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
)

// awaitWriteConcern waits until as many members as the write concern names could have the write, and appends a
// writeConcernError where they never can, or do not in time.
func (r *request) awaitWriteConcern(dst []byte) []byte {
	concern, ok := r.body.Lookup("writeConcern").DocumentOK()
	if !ok || r.d.set == nil {
		return dst
	}
	total, _ := r.d.set.counts()
	want := 1
	switch w := concern.Lookup("w"); {
	case w.IsZero():
		return dst
	default:
		if n, ok := w.AsInt64OK(); ok {
			want = int(n)
		} else if name, _ := w.StringOK(); name == "majority" {
			want = total/2 + 1
		} else {
			return appendWriteConcernError(dst, errcode.UnknownReplWriteConcern, fmt.Sprintf("No write concern mode named '%s' found in replica set configuration", name))
		}
	}
	if want > total {
		return appendWriteConcernError(dst, errcode.UnsatisfiableWriteConcern, "Not enough data-bearing nodes")
	}
	var limit <-chan time.Time
	if ms, _ := concern.Lookup("wtimeout").AsInt64OK(); ms > 0 {
		timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
		defer timer.Stop()
		limit = timer.C
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, up := r.d.set.counts(); up >= want {
			return dst
		}
		select {
		case <-tick.C:
		case <-limit:
			return appendWriteConcernError(dst, errcode.WriteConcernTimeout, "waiting for replication timed out")
		case <-r.ctx.Done():
			return dst
		}
	}
}

func appendWriteConcernError(dst []byte, code errcode.Code, message string) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "writeConcernError")
	dst = bson.AppendInt32Element(dst, "code", int32(code))
	dst = bson.AppendStringElement(dst, "codeName", code.String())
	dst = bson.AppendStringElement(dst, "errmsg", message)
	if code == errcode.WriteConcernTimeout {
		var info int
		dst, info = bson.AppendDocumentElementStart(dst, "errInfo")
		dst = bson.AppendBooleanElement(dst, "wtimeout", true)
		dst = bson.AppendDocumentEnd(dst, info)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// wantsMajority reports whether a write concern asks for a majority, which it does by default from version 5.0 on.
func (r *request) wantsMajority() bool {
	w := r.body.Lookup("writeConcern", "w")
	if w.IsZero() {
		return r.d.wireAtLeast("5.0")
	}
	if n, ok := w.AsInt64OK(); ok && r.d.set != nil {
		total, _ := r.d.set.counts()
		return int(n) > total/2
	}
	name, _ := w.StringOK()
	return name == "majority"
}
