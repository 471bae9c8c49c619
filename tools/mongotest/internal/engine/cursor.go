package engine

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// source yields documents. It returns nil at the end; a live source may continue after that.
type source interface {
	next() (bson.Raw, error)
}

// live is a source that may yield more later.
type live interface {
	source
	// wait blocks until there may be more, or ctx ends. It returns false when the source can yield nothing more.
	wait(ctx context.Context) bool
	// position is the value of postBatchResumeToken, nil for none. held says that the last document waits for the next
	// batch.
	position(held bool) bson.Raw
}

// bounded is a source that knows its end before anyone reads past it, such as one with a limit.
type bounded interface {
	hasEnded() bool
}

// maxBatchBytes bounds the documents of one reply.
const maxBatchBytes = 16 << 20

// cursor is an open cursor.
type cursor struct {
	id        int64
	db, name  string
	lsid      bson.Raw
	src       source
	pending   bson.Raw // read, but too large for the last batch
	tailable  bool
	await     bool
	noTimeout bool
	inTxn     bool
	txnNumber int64           // of the cursor's transaction
	at        store.Timestamp // the request's ReadTime
	uuid      bson.UUID       // of the collection; the cursor ends when it is dropped; zero for none
	used      time.Time
	left      time.Duration // of the time limit of the command that opened it; 0 for none
	busy      bool
	killed    bool
	interrupt func() // ends the command that uses the cursor
	check     *interrupt.Check
}

// Cursors is the table of open cursors. It is safe for concurrent use.
type Cursors struct {
	mu   sync.Mutex
	open map[int64]*cursor
}

func newCursors() *Cursors { return &Cursors{open: map[int64]*cursor{}} }

// add registers a cursor under a new number.
func (t *Cursors) add(c *cursor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c.id == 0 || t.open[c.id] != nil {
		c.id = rand.Int64()
	}
	t.open[c.id] = c
}

// take lends a cursor to one command.
func (t *Cursors) take(id int64, r *Request, name string) (*cursor, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.open[id]
	switch {
	case c == nil:
		return nil, status.Errorf(errcode.CursorNotFound, "cursor id %d not found", id)
	case c.db != r.DB || c.name != name:
		return nil, status.Errorf(errcode.Unauthorized,
			"Requested getMore on namespace '%s.%s', but cursor belongs to a different namespace %s.%s", r.DB, name, c.db, c.name)
	case c.lsid == nil && r.LSID != nil:
		return nil, status.Errorf(50736,
			"Cannot run getMore on cursor %d, which was not created in a session, in session %s", id, sessionText(r.LSID))
	case c.lsid != nil && r.LSID == nil:
		return nil, status.Errorf(50737,
			"Cannot run getMore on cursor %d, which was created in session %s, without an lsid", id, sessionText(c.lsid))
	case string(c.lsid) != string(r.LSID):
		return nil, status.Errorf(50738,
			"Cannot run getMore on cursor %d, which was created in session %s, in session %s", id, sessionText(c.lsid), sessionText(r.LSID))
	case c.inTxn && r.Txn == nil:
		return nil, status.Errorf(50740,
			"Cannot run getMore on cursor %d, which was created in transaction %d, without a txnNumber", id, c.txnNumber)
	case !c.inTxn && r.Txn != nil:
		return nil, status.Errorf(50739,
			"Cannot run getMore on cursor %d, which was not created in a transaction, in transaction %d", id, r.TxnNumber)
	case c.busy:
		return nil, status.Errorf(errcode.CursorInUse, "cursor id %d is already in use", id)
	}
	c.busy = true
	return c, nil
}

// sessionText formats a session as the server does: its id and the hash of the user, here the empty user.
func sessionText(lsid bson.Raw) string {
	_, id, _ := lsid.Lookup("id").BinaryOK()
	var uuid bson.UUID
	copy(uuid[:], id)
	return uuid.String() + " - 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= -  - "
}

// give returns a cursor to the table. An exhausted one is removed. alive is false when the cursor was killed meanwhile.
func (t *Cursors) give(c *cursor, exhausted bool, now time.Time) (alive bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.busy, c.used = false, now
	if exhausted || c.killed {
		delete(t.open, c.id)
	}
	return !c.killed
}

// Kill closes one cursor and reports whether it was open.
func (t *Cursors) Kill(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.open[id]
	if c == nil {
		return false
	}
	t.end(c)
	return true
}

// end removes a cursor and wakes whoever waits for its documents; t.mu is held.
func (t *Cursors) end(c *cursor) {
	c.killed = true
	delete(t.open, c.id)
	if c.interrupt != nil {
		c.interrupt()
	}
}

// interruptible returns a context that also ends when the cursor is killed. Call release when done.
func (t *Cursors) interruptible(ctx context.Context, c *cursor) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.interrupt = cancel; c.killed {
		cancel()
	}
	return ctx, cancel
}

// KillSession closes the cursors of a session.
func (t *Cursors) KillSession(lsid bson.Raw) {
	t.killIf(func(c *cursor) bool { return string(c.lsid) == string(lsid) })
}

// KillTransaction closes the cursors that a session's transaction opened.
func (t *Cursors) KillTransaction(lsid bson.Raw) {
	t.killIf(func(c *cursor) bool { return c.inTxn && string(c.lsid) == string(lsid) })
}

// KillAll closes every cursor, as a member does when it stops or when a step-down is forced.
func (t *Cursors) KillAll() { t.killIf(func(*cursor) bool { return true }) }

// KillIdle closes the cursors that have been idle since a time and may time out.
func (t *Cursors) KillIdle(since time.Time) {
	t.killIf(func(c *cursor) bool { return !c.noTimeout && !c.busy && c.lsid == nil && c.used.Before(since) })
}

func (t *Cursors) killIf(condition func(*cursor) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.open {
		if condition(c) {
			t.end(c)
		}
	}
}

// Open returns the number of open cursors.
func (t *Cursors) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

// fill appends a batch as the array key. The batch has at most limit documents, or all of them when limit < 0. done
// says that the source has ended.
func (c *cursor) fill(ctx context.Context, dst []byte, key string, limit int64) (out []byte, n int64, done bool, err error) {
	c.check.Use(ctx)
	dst, start := bson.AppendArrayElementStart(dst, key)
	begin := len(dst)
	for limit < 0 || n < limit {
		d := c.pending
		if c.pending = nil; d == nil {
			if n&255 == 255 {
				if err := endedError(ctx); err != nil {
					return nil, 0, false, err
				}
			}
			if d, err = c.src.next(); err != nil {
				return nil, 0, false, err
			}
		}
		if d == nil {
			_, isLive := c.src.(live)
			done = !isLive
			break
		}
		if n > 0 && len(dst)-begin+len(d) > maxBatchBytes {
			c.pending = d
			break
		}
		dst = bson.AppendArrayIndexHeader(dst, documentType, int(n))
		dst = append(dst, d...)
		n++
	}
	if b, ok := c.src.(bounded); ok && c.pending == nil && b.hasEnded() {
		done = true
	}
	return bson.AppendDocumentEnd(dst, start), n, done, nil
}

func (c *cursor) appendPosition(dst []byte) []byte {
	if l, ok := c.src.(live); ok {
		if token := l.position(c.pending != nil); token != nil {
			dst = bson.AppendDocumentElement(dst, "postBatchResumeToken", token)
		}
	}
	return appendReadTime(dst, c.at)
}

func appendReadTime(dst []byte, at store.Timestamp) []byte {
	if at == 0 {
		return dst
	}
	return bson.AppendTimestampElement(dst, "atClusterTime", at.T(), at.I())
}

func errDropped(id bson.UUID) error {
	return status.Errorf(errcode.QueryPlanKilled, "Executor error during getMore :: caused by :: collection dropped. UUID %s", id)
}
