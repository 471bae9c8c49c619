package mongo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/batch"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// Cursor reads the documents of a result, batch by batch. It is used by one goroutine at a time.
//
//	for cursor.Next(ctx) {
//		var u User
//		if err := cursor.Decode(&u); err != nil { ... }
//	}
//	if err := cursor.Err(); err != nil { ... }
//
// [Each] and [All] do the same in fewer lines. A cursor that was not read to its end must be closed, even after an
// error. Until then it uses memory on the server, and a connection if there is a load balancer.
type Cursor struct {
	client     *Client
	db         string
	collection string
	namespace  string // db and collection in one text, as the last reply named them
	unmarshal  *bson.UnmarshalOptions
	settings   cursorSettings

	id       int64
	outcome  exec.Outcome // holds the session and the connection of the cursor while it is open
	batch    batch.Documents
	token    bson.Raw // the postBatchResumeToken of the last reply, for a change stream
	current  bson.Raw
	returned int64
	err      error
	counted  bool // Client.cursors includes it
	stream   exhaustStream
	final    error // the error of a cursor over documents after its last one
}

// cursorSettings are the options of an operation that its getMores need.
type cursorSettings struct {
	batchSize    int32
	limit        int64
	comment      any
	maxAwaitTime time.Duration
	tailable     bool
	exhaust      bool // see exec.BatchStream
	timeout      cursorTimeout
	memory       *[]byte // holds the batches, each until the next one arrives; see exec.Operation
}

func newCursor(client *Client, db string, scope scope, out *exec.Outcome, settings cursorSettings) (*Cursor, error) {
	reply, err := command.ParseCursorReply(out.Reply)
	if err == nil && reply.ID != 0 {
		settings.comment, err = scope.comment(settings.comment)
	}
	if err != nil {
		client.exec.Release(out)
		return nil, err
	}
	c := &Cursor{
		client: client, db: db, unmarshal: scope.unmarshal, settings: settings, id: reply.ID, outcome: *out,
		batch: batch.Of(reply.Batch), token: reply.PostBatchResumeToken,
	}
	if err := c.setNamespace(reply.Namespace); err != nil && c.id != 0 {
		client.exec.Release(&c.outcome)
		return nil, err
	}
	if c.id != 0 {
		client.cursors.Add(1)
		c.counted = true
	}
	c.releaseWhenDone()
	return c, nil
}

// setNamespace notes the namespace in a reply, to which the cursor's next command goes. It may differ from the
// namespace of the first command: it may be the collection behind a view, or $cmd.aggregate.
//
// Find, getMore and killCursors Commands, "getMore".
func (c *Cursor) setNamespace(namespace []byte) error {
	if c.namespace != "" && string(namespace) == c.namespace {
		return nil // almost always, and without a copy
	}
	ns := string(namespace)
	db, collection, err := splitNamespace(ns)
	if err == nil {
		c.namespace, c.db, c.collection = ns, db, collection
	}
	return err
}

// splitNamespace splits the cursor.ns of a reply.
func splitNamespace(ns string) (db, collection string, err error) {
	db, collection, _ = strings.Cut(ns, ".")
	if db == "" || collection == "" || strings.IndexByte(ns, 0) >= 0 {
		err = fmt.Errorf("mongo: cursor.ns of the server's reply is %.200q, which names no collection", ns)
	}
	return db, collection, err
}

// ID is the server's ID for the cursor, or 0 when the server has no more documents.
func (c *Cursor) ID() int64 {
	if c == nil {
		return 0
	}
	return c.id
}

// Next moves to the next document and reports whether there is one. It fetches another batch when the last one is used
// up. A tailable cursor waits until there is a document or ctx ends. If a server keeps sending empty batches without
// waiting, Next pauses from the fourth one on before it asks again, for up to a tenth of a second.
func (c *Cursor) Next(ctx context.Context) bool {
	if err := c.check(ctx); err != nil {
		return c.refuseNext(err)
	}
	if !c.batch.HasMore() && c.id != 0 {
		var cancel context.CancelFunc
		ctx, cancel = c.settings.timeout.boundNext(ctx, c.outcome.Session)
		defer cancel()
	}
	var quiet decide.Quiet
	for {
		began := time.Time{}
		if !c.batch.HasMore() {
			began = time.Now()
		}
		if c.tryNext(ctx) {
			return true
		}
		if c.err != nil || c.id == 0 {
			return false
		}
		exec.Sleep(ctx, quiet.Pause(time.Since(began), c.settings.maxAwaitTime, c.client.exec.Random))
	}
}

// TryNext is Next, except that it fetches at most one batch. False with a nil Err and a nonzero ID means that there is
// no document at the moment.
func (c *Cursor) TryNext(ctx context.Context) bool {
	if err := c.check(ctx); err != nil {
		return c.refuseNext(err)
	}
	if !c.batch.HasMore() && c.id != 0 {
		var cancel context.CancelFunc
		ctx, cancel = c.settings.timeout.boundNext(ctx, c.outcome.Session)
		defer cancel()
	}
	return c.tryNext(ctx)
}

// refuseNext keeps the error for a nil cursor or context, and returns what Next returns then.
func (c *Cursor) refuseNext(err error) bool {
	if c != nil && c.err == nil {
		c.current, c.err = nil, err
	}
	return false
}

func (c *Cursor) tryNext(ctx context.Context) bool {
	if c.err != nil {
		return false
	}
	if !c.batch.HasMore() {
		if c.id == 0 {
			c.current, c.err = nil, c.final
			return false
		}
		if err := c.getMore(ctx); err != nil {
			c.fail(err)
			return false
		}
		if !c.batch.HasMore() {
			c.current = nil
			return false
		}
	}
	doc, err := c.batch.Next()
	if err != nil {
		c.fail(err)
		return false
	}
	c.current = doc
	c.returned++
	return true
}

// fail keeps an error. From then on the cursor can only be closed: its connection stays pinned until Close, which sends
// no killCursors.
//
// Load Balancers, "Behaviour With Cursors".
func (c *Cursor) fail(err error) {
	c.err = err
	c.current = nil
	c.batch = batch.Documents{}
	c.releaseWhenDone()
}

// Current is the document that Next has moved to. It stays valid after the next call of Next.
func (c *Cursor) Current() bson.Raw {
	if c == nil {
		return nil
	}
	return c.current
}

// Decode decodes the current document into the value that v points to.
func (c *Cursor) Decode(v any) error {
	if err := c.check(context.Background()); err != nil {
		return err
	}
	if c.current == nil {
		return errors.New("mongo: the cursor has no current document: call Next first, and call Decode only after Next has returned true")
	}
	if err := bson.Unmarshal(c.current, v, c.unmarshal); err != nil {
		return fmt.Errorf("mongo: decoding document %d of the cursor: %w", c.returned, err)
	}
	return nil
}

// Err is the error that ended the cursor. It is nil after a normal end.
func (c *Cursor) Err() error {
	if c == nil {
		return c.check(context.Background())
	}
	return c.err
}

// RemainingBatchLength is the number of documents that Next can return without asking the server.
func (c *Cursor) RemainingBatchLength() int {
	if c == nil {
		return 0
	}
	n := 0
	for rest := c.batch; rest.HasMore(); n++ {
		if _, err := rest.Next(); err != nil {
			break
		}
	}
	return n
}

// Close ends the cursor on the server if it is still open. When ctx ends before the server has answered, Close returns
// and the command goes on in the background for a moment. Closing twice is harmless.
func (c *Cursor) Close(ctx context.Context) error {
	if c == nil {
		return c.check(ctx)
	}
	if ctx == nil { // it still counts as closed
		c.close(context.Background())
		return checkContext(ctx)
	}
	c.close(ctx)
	return nil
}

// getMore fetches the next batch.
func (c *Cursor) getMore(ctx context.Context) error {
	calls := &c.client.calls.getMore
	call := calls.get()
	defer calls.put(call)
	call.cmd = command.GetMore{
		ID: c.id, Collection: c.collection, BatchSize: c.nextBatchSize(), Comment: c.settings.comment,
		MaxAwaitTime: c.settings.maxAwaitTime,
	}
	op := &call.op
	op.Command, op.DB, op.Memory = &call.cmd, c.db, c.settings.memory
	op.Session, op.Server, op.Conn = c.outcome.Session, c.outcome.Server, c.outcome.Conn
	c.settings.timeout.adjustCommand(op, timeout.GetMore)
	c.prepareStream(op)
	return runErrorInSpan(ctx, c.client, op, func(ctx context.Context) error { return c.fetch(ctx, op) })
}

// fetch runs a getMore and takes its batch.
func (c *Cursor) fetch(ctx context.Context, op *exec.Operation) error {
	out, err := c.client.run(ctx, op)
	c.updateStream(out)
	if err != nil {
		if fault.HasErrorCode(err, errcode.CursorNotFound) {
			c.id = 0 // nothing is left to kill
		}
		return err
	}
	reply, err := command.ParseCursorReply(out.Reply)
	if err != nil {
		return err
	}
	c.id = reply.ID
	_ = c.setNamespace(reply.Namespace) // if it names none, the cursor keeps its namespace
	c.token = reply.PostBatchResumeToken
	c.batch = batch.Of(reply.Batch)
	c.releaseWhenDone()
	return nil
}

// nextBatchSize shrinks the last batch so that it does not pass the limit, because getMore has no limit.
func (c *Cursor) nextBatchSize() int32 {
	size := c.settings.batchSize
	if c.settings.limit > 0 {
		left := c.settings.limit - c.returned
		if left > 0 && (size == 0 && left < 1<<31 || left < int64(size)) {
			return int32(left)
		}
	}
	return size
}

// close kills the cursor on the server and gives back what it held.
func (c *Cursor) close(ctx context.Context) {
	c.kill(ctx, false)
	c.releaseWhenDone()
}

// abandon kills the cursor like close, except that it returns the session, for the cursor that takes this one's place.
// The session is nil if the cursor has none.
func (c *Cursor) abandon(ctx context.Context) *session.Client {
	c.kill(ctx, true)
	kept := c.outcome.Session
	c.outcome.Session = nil
	c.releaseWhenDone()
	return kept
}

// kill ends the cursor on the server, if the server still has it. resuming says that another cursor takes its place.
func (c *Cursor) kill(ctx context.Context, resuming bool) {
	c.endStream()
	id := c.id
	c.id, c.batch = 0, batch.Documents{}
	if id == 0 || c.outcome.Server == nil || c.isUnreachable() {
		return
	}
	k := cursorKill{
		client: c.client, timeout: &c.settings.timeout, cmd: command.KillCursors{Collection: c.collection, Cursors: []int64{id}},
		db: c.db, server: c.outcome.Server, conn: c.outcome.Conn, resuming: resuming,
	}
	c.outcome.Conn = nil
	if c.outcome.Session != nil {
		k.session = c.outcome.Session.BeginKill()
	}
	k.carryOut(ctx) // an error does not matter: the server drops idle cursors by itself
	if c.outcome.Session != nil {
		c.outcome.Session.Settle()
	}
}

// isUnreachable reports whether the cursor was pinned to a connection that is lost: no other connection leads to it.
// Load Balancers, "Behaviour With Cursors": no killCursors after a network error.
func (c *Cursor) isUnreachable() bool {
	return c.outcome.Conn != nil && c.outcome.Conn.Conn.IsBroken()
}

// releaseWhenDone gives the session and the connection back once the server has closed the cursor.
func (c *Cursor) releaseWhenDone() {
	if c.id != 0 || c.client == nil {
		return
	}
	c.endStream() // in case the server goes on after the last batch
	c.client.exec.Release(&c.outcome)
	if c.counted {
		c.counted = false
		c.client.cursors.Add(-1)
	}
}

func (c *Cursor) check(ctx context.Context) error {
	if c == nil {
		return nilHandleError(wire.FieldCursor, "Find or Aggregate returns")
	}
	return checkContext(ctx)
}
