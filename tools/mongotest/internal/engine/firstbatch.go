package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
)

// firstBatchDefault is the size of a first batch when the command sets none.
const firstBatchDefault = 101

// openCursor opens a cursor and appends the reply's cursor document. batch < 0 means the default size. single closes the
// cursor after this batch.
func (e *Engine) openCursor(ctx context.Context, dst []byte, c *cursor, batch int64, single bool) ([]byte, error) {
	if batch < 0 {
		batch = firstBatchDefault
	}
	dst, start := bson.AppendDocumentElementStart(dst, "cursor")
	dst, _, done, err := c.fill(ctx, dst, "firstBatch", batch)
	if err != nil {
		return nil, err
	}
	if until, ok := ctx.Deadline(); ok && !c.await {
		c.left = max(1, time.Until(until))
	}
	if !done && !single {
		c.used = e.now()
		e.cursors.add(c)
	}
	dst = c.appendPosition(dst)
	dst = bson.AppendInt64Element(dst, "id", c.id)
	dst = bson.AppendStringElement(dst, "ns", c.db+"."+c.name)
	return bson.AppendDocumentEnd(dst, start), nil
}

var cursorFields = []field{{"batchSize", 0, integer | natural}}

// batchSize reads the batchSize of the cursor argument. A negative result means the default.
func (r *Request) batchSize(a *args) (int64, error) {
	d := a.document("cursor")
	if d == nil {
		return -1, nil
	}
	in, err := r.parseStatement("cursor", d, cursorFields)
	if err != nil || !in.has("batchSize") {
		return -1, err
	}
	return in.int("batchSize"), nil
}
