package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

const documentType = bsontype.EmbeddedDocument

// awaitDefault is how long an awaitData cursor waits when getMore has no maxTimeMS.
const awaitDefault = time.Second

var getMoreFields = []field{
	{"collection", 0, text}, {"batchSize", 0, integer}, {"term", 0, integer}, {"lastKnownCommittedOpTime", 0, anything},
	{"includeQueryStatsMetrics", wire80, boolean},
}

// getMore answers the next batch of a cursor. An awaitData cursor waits for a document, maxTimeMS at most. It leaves out
// term and lastKnownCommittedOpTime, which only members of a replica set send.
func (e *Engine) getMore(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	a, err := r.parse(getMoreFields)
	if err != nil {
		return nil, err
	}
	first, _ := r.Body.Index(0)
	id, ok := first.Value.Int64OK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch, "BSON field 'getMore.getMore' is the wrong type '%s', expected type 'long'", first.Value.Type)
	}
	batch := int64(-1)
	if a.has("batchSize") {
		switch batch = a.int("batchSize"); {
		case batch < 0:
			return nil, status.Errorf(51024, "BSON field 'batchSize' value must be >= 0, actual value '%d'", batch)
		case batch == 0:
			batch = -1
		}
	}
	c, err := e.cursors.take(id, r.DB, a.text("collection"))
	if err != nil {
		return nil, err
	}
	dst, exhausted, err := e.nextBatch(ctx, r, c, dst, batch)
	if alive := e.cursors.give(c, exhausted || err != nil, e.now()); err == nil && !alive {
		err = status.Errorf(errcode.CursorKilled, "cursor id %d was killed", id)
	}
	return dst, err
}

func (e *Engine) nextBatch(ctx context.Context, r *Request, c *cursor, dst []byte, batch int64) (out []byte, exhausted bool, err error) {
	begin := len(dst)
	dst, start := bson.AppendDocumentElementStart(dst, "cursor")
	head := len(dst)
	deadline := e.awaitUntil(r)
	for {
		var n int64
		dst, n, exhausted, err = c.fill(ctx, dst[:head], "nextBatch", batch)
		if err != nil {
			return dst[:begin], true, err
		}
		l, isLive := c.src.(live)
		if n > 0 || exhausted || !isLive || !c.await {
			break
		}
		if alive := l.wait(deadlineContext{ctx, deadline}); !alive {
			exhausted = true
			break
		}
		if !time.Now().Before(deadline) || ctx.Err() != nil {
			break
		}
	}
	dst = c.appendPosition(dst)
	id := c.id
	if exhausted {
		id = 0
	}
	dst = bson.AppendInt64Element(dst, "id", id)
	dst = bson.AppendStringElement(dst, "ns", c.db+"."+c.name)
	return bson.AppendDocumentEnd(dst, start), exhausted, nil
}

// awaitUntil is when an awaitData cursor gives up for this time.
func (e *Engine) awaitUntil(r *Request) time.Time {
	wait := awaitDefault
	if v := r.Body.Lookup("maxTimeMS"); number.Is(v.Type) {
		if ms, ok := number.Truncated(v); ok && ms > 0 {
			wait = time.Duration(ms) * time.Millisecond
		}
	}
	return time.Now().Add(wait)
}

// deadlineContext is a context whose end the caller also bounds by time; a source waits with a timer of its own.
type deadlineContext struct {
	context.Context
	until time.Time
}

// Deadline is the earlier of the two.
func (c deadlineContext) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.until) {
		return d, true
	}
	return c.until, true
}
