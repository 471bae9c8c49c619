// The command getMore: returns the next batch of a cursor. An awaitData cursor waits for a document, for at most
// maxTimeMS.
//
// Left out: term and lastKnownCommittedOpTime change nothing. Only members of a replica set send them.

package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

var getMoreFields = []field{
	{"collection", 0, text | required}, {"batchSize", 0, integer | natural}, {"term", 0, integer},
	{"lastKnownCommittedOpTime", 0, anything},
	{"includeQueryStatsMetrics", wire.Server80, boolean},
}

func (e *Engine) getMore(ctx context.Context, r *Request, dst []byte) ([]byte, error) {
	first, _ := r.Body.Index(0)
	id, ok := first.Value.Int64OK()
	if !ok {
		return nil, status.Errorf(errcode.TypeMismatch,
			"BSON field 'getMore.getMore' is the wrong type '%s', expected type 'long'", first.Value.Type)
	}
	a, err := r.parse(getMoreFields)
	if err != nil {
		return nil, err
	}
	name := a.text("collection")
	switch {
	case name == "":
		return nil, status.Errorf(errcode.InvalidNamespace, "Collection names cannot be empty")
	case name[0] == '.':
		return nil, status.Errorf(errcode.InvalidNamespace, "Collection names cannot start with '.': %s", name)
	}
	batch := a.int("batchSize")
	if batch == 0 {
		batch = -1
	}
	c, err := e.cursors.take(id, r, name)
	if err != nil {
		return nil, err
	}
	if !c.await && !r.Body.Lookup("maxTimeMS").IsZero() {
		err = status.Errorf(errcode.BadValue, "cannot set maxTimeMS on getMore command for a non-awaitData cursor")
		e.cursors.give(c, false, e.now())
		return nil, err
	}
	exhausted := false
	if err = e.checkNotDropped(c); err == nil {
		waiting, release := e.cursors.interruptible(ctx, c)
		dst, exhausted, err = e.nextBatchInTime(waiting, r, c, dst, batch)
		release()
		if _, isStream := c.src.(*follower); isStream {
			err = addResumableLabel(r, whileRunning(err, r, name))
		}
	}
	if alive := e.cursors.give(c, exhausted || err != nil, e.now()); !alive {
		err = status.Errorf(errcode.CursorKilled, "cursor id %d was killed", id)
	}
	return dst, err
}

// checkNotDropped refuses a cursor whose collection was dropped.
func (e *Engine) checkNotDropped(c *cursor) error {
	if c.uuid == (bson.UUID{}) {
		return nil
	}
	if now := e.store.Latest().Collection(c.db, c.name); now == nil || now.UUID != c.uuid {
		return errDropped(c.uuid)
	}
	return nil
}

// nextBatchInTime reads the next batch in the time that the cursor has left.
func (e *Engine) nextBatchInTime(ctx context.Context, r *Request, c *cursor, dst []byte, batch int64) ([]byte, bool, error) {
	if c.left == 0 {
		return e.nextBatch(ctx, r, c, dst, batch)
	}
	limit := r.Limit
	if limit == nil {
		limit = context.WithTimeout
	}
	ctx, cancel := limit(ctx, c.left)
	defer cancel()
	began := time.Now()
	defer func() { c.left = max(1, c.left-time.Since(began)) }()
	if err := endedError(ctx); err != nil {
		return dst, true, err
	}
	return e.nextBatch(ctx, r, c, dst, batch)
}

func (e *Engine) nextBatch(ctx context.Context, r *Request, c *cursor, dst []byte, batch int64) (out []byte, exhausted bool, err error) {
	begin := len(dst)
	dst, start := bson.AppendDocumentElementStart(dst, "cursor")
	head := len(dst)
	deadline := e.awaitUntil(r)
	for {
		filled, n, done, err := c.fill(ctx, dst[:head], "nextBatch", batch)
		if err != nil {
			return dst[:begin], true, err
		}
		dst, exhausted = filled, done
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

// awaitUntil returns when an awaitData cursor stops waiting for this batch.
func (e *Engine) awaitUntil(r *Request) time.Time {
	wait := awaitDefault
	if v := r.Body.Lookup("maxTimeMS"); number.Is(v.Type) {
		if ms, ok := number.TruncateInt64(v); ok && ms > 0 {
			wait = time.Duration(ms) * time.Millisecond
		}
	}
	return time.Now().Add(wait)
}
