package unified

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// iterator is a cursor or a change stream of the driver.
type iterator interface {
	Next(ctx context.Context) bool
	TryNext(ctx context.Context) bool
	Current() bson.Raw
	Err() error
	Close(ctx context.Context) error
}

// Cursor is an entity for a cursor or a change stream.
type Cursor struct {
	run     *Run
	it      iterator
	session *Session
	within  time.Duration
}

// asIterator keeps a nil cursor from becoming an iterator that is not nil.
func asIterator(c *mongo.Cursor, err error) (iterator, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// asStreamIterator does the same for a change stream.
func asStreamIterator(c *mongo.ChangeStream, err error) (iterator, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// pipelineOrEmpty returns the pipeline, or an empty one if it is left out.
func pipelineOrEmpty(pipeline any) any {
	if pipeline == nil {
		return bson.A{}
	}
	return pipeline
}

// open runs an operation that yields a cursor.
func (r *Run) open(s *Session, within time.Duration, name string, fn func(ctx context.Context) (iterator, error)) *Result {
	var it iterator
	x := r.do(name, s, within, func(ctx context.Context) (actual, error) {
		var err error
		it, err = fn(ctx)
		return actual{}, err
	})
	if x.err == nil {
		x.cursor = &Cursor{run: r, it: it, session: s}
		r.mu.Lock()
		r.cursors = append(r.cursors, x.cursor)
		r.mu.Unlock()
	}
	return x
}

// Within returns the cursor with a time limit for the next call.
func (c *Cursor) Within(limit time.Duration) *Cursor {
	other := *c
	other.within = limit
	return &other
}

func (c *Cursor) close() { _ = c.it.Close(context.Background()) }

// IterateUntilDocumentOrError waits for a document.
func (c *Cursor) IterateUntilDocumentOrError() *Result {
	return c.run.do("iterateUntilDocumentOrError", c.session, c.within, func(ctx context.Context) (actual, error) {
		for {
			if c.it.Next(ctx) {
				return document(c.it.Current()), nil
			}
			if err := c.it.Err(); err != nil {
				return actual{}, err
			}
			if err := ctx.Err(); err != nil || isExhausted(c.it) {
				return actual{}, err
			}
		}
	})
}

func isExhausted(it iterator) bool {
	c, ok := it.(interface{ ID() int64 })
	return ok && c.ID() == 0
}

// IterateOnce asks for one batch at most.
func (c *Cursor) IterateOnce() *Result {
	return c.run.do("iterateOnce", c.session, c.within, func(ctx context.Context) (actual, error) {
		if c.it.TryNext(ctx) {
			return document(c.it.Current()), nil
		}
		return actual{}, c.it.Err()
	})
}

// Close closes the cursor; its errors do not count. Unified Test Format, "Cursor Operations".
func (c *Cursor) Close() *Result {
	x := c.run.do("close", c.session, c.within, func(ctx context.Context) (actual, error) {
		return actual{}, c.it.Close(ctx)
	})
	x.err = nil
	return x
}
