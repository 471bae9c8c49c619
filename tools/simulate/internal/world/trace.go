package world

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// trace follows the commands that one operation of a worker sends, by its context. It checks that the driver retries what it
// must, and not more often than it may.
type trace struct {
	worker int
	began  time.Time
	csot   bool // the operation has a timeoutMS, which allows any number of retries

	mu       sync.Mutex
	attempts map[int64]*attempts // by the driver's number of the operation, usually one
}

// attempts are the tries of one operation of the driver.
type attempts struct {
	number string // its txnNumber: each batch of a bulk write has one
	tries  int
	busy   []string              // the routers that were overloaded
	view   *description.Topology // as it was at the last of them
	exempt bool                  // the server was overloaded or wanted a new login: other rules apply
	failed *failure
}

// failure is a first try that failed and must be followed by another one.
type failure struct {
	ctx     context.Context
	command string
	server  string
	at      time.Time
	err     error
	busy    bool // the server was overloaded: it wants a pause
	other   bool // the client knew of another router, which comes first
}

func newTrace(worker int, csot bool) *trace {
	return &trace{worker: worker, began: time.Now(), csot: csot, attempts: map[int64]*attempts{}}
}

type traceKey struct{}

func traceOf(ctx context.Context) *trace {
	t, _ := ctx.Value(traceKey{}).(*trace)
	return t
}

// workerOf returns whose operation a context belongs to; -1 for one in the background.
func workerOf(ctx context.Context) int {
	if t := traceOf(ctx); t != nil {
		return t.worker
	}
	return -1
}

func (t *trace) commandStarted(o *observer, e *event.CommandStarted) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(o, e)
	a, number := t.attempts[e.OperationID], string(e.Command.Lookup("txnNumber").Value)
	if a != nil && a.number != number {
		t.judge(o, a)
		a = nil
	}
	if a == nil {
		a = &attempts{number: number}
		t.attempts[e.OperationID] = a
	}
	t.judgeRetry(o, a.failed, e)
	a.failed = nil
	t.judgeBusy(o, a, e)
	if a.tries == 1 {
		o.c.world.countEffect("a retry")
	}
	if a.tries++; a.tries > 2 && !t.csot && !a.exempt {
		o.violate("retries", "worker %d: %s is tried for the %d. time", t.worker, e.CommandName, a.tries)
	}
}

// begin ends the operations before this one. A look-up by encryption has a number of its own, but it is part of a try of
// the operation that is encrypted. That operation goes on.
func (t *trace) begin(o *observer, e *event.CommandStarted) {
	within := o.c.plan.Encrypted && looksUp(e)
	for op, a := range t.attempts {
		switch {
		case op == e.OperationID:
		case within:
			a.failed = nil // it tries again
		default:
			t.judge(o, a)
			delete(t.attempts, op)
		}
	}
}

// looksUp reports whether a command reads something that encryption needs: the options of a collection, or a key.
func looksUp(e *event.CommandStarted) bool {
	collection, _ := e.Command.Lookup(e.CommandName).StringOK()
	return e.CommandName == "listCollections" || e.DatabaseName+"."+collection == vaultKeys
}

func (t *trace) commandFailed(ctx context.Context, o *observer, e *event.CommandFailed, sent bson.Raw) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.attempts[e.OperationID]
	if a == nil {
		return
	}
	newLogin := slices.Contains(mongo.ErrorCodes(e.Failure), errcode.ReauthenticationRequired)
	busy := mongo.HasErrorLabel(e.Failure, errcode.LabelSystemOverloadedError)
	if newLogin || busy {
		a.exempt = true
	}
	if busy && sent.Lookup("autocommit").IsZero() {
		a.busy, a.view = append(a.busy, serverOf(e.ConnectionID)), o.view.last
	}
	if a.tries == 1 && (newLogin || wantsRetry(e, sent)) {
		a.failed = &failure{ctx: ctx, command: e.CommandName, server: serverOf(e.ConnectionID), at: time.Now(), err: e.Failure, busy: busy}
		o.c.world.countEffect(judgedRetries)
		a.failed.other = !newLogin && sent.Lookup("autocommit").IsZero() && o.knowsOtherRouter(a.failed.server)
	}
}

// serverOf returns the address in the name of a connection.
func serverOf(connection string) string {
	address, _, _ := strings.Cut(connection, "[")
	return address
}

// judgeBusy checks that a retry goes to a router that has not been overloaded, as long as there is one. What the client knew of the
// routers must not have changed since.
func (t *trace) judgeBusy(o *observer, a *attempts, e *event.CommandStarted) {
	if len(a.busy) < 2 || a.view == nil || a.view != o.view.last || t.wasRefused(o) ||
		e.CommandName == "getMore" || e.CommandName == "killCursors" {
		return
	}
	i := slices.IndexFunc(a.view.Servers, func(s description.Server) bool {
		return s.Type == description.Mongos && !slices.Contains(a.busy, s.Address)
	})
	if i < 0 {
		return
	}
	o.c.world.countEffect(scenario.OverloadMost)
	if at := serverOf(e.ConnectionID); slices.Contains(a.busy, at) {
		o.violate("retries", "%s is tried again on %s after %v were overloaded, and the client knows of %s", e.CommandName, at, a.busy,
			a.view.Servers[i].Address)
	}
}

// knowsOtherRouter reports whether the client knows a mongos besides the one at an address.
func (o *observer) knowsOtherRouter(address string) bool {
	return o.view.last != nil && slices.ContainsFunc(o.view.last.Servers, func(s description.Server) bool {
		return s.Type == description.Mongos && s.Address != address
	})
}

// judgeRetry checks how a command is tried again: on another router if there is one, and after a pause if the server was overloaded.
func (t *trace) judgeRetry(o *observer, f *failure, e *event.CommandStarted) {
	if f == nil {
		return
	}
	if f.busy {
		o.c.world.countEffect(judgedPause)
	}
	other := f.other && !t.wasRefused(o)
	if other {
		o.c.world.countEffect(judgedRouter)
	}
	if time.Now().After(f.at) {
		return
	}
	if f.busy {
		o.violate("retries", "worker %d: %s is tried again at once after %v", t.worker, f.command, f.err)
	}
	if other && serverOf(e.ConnectionID) == f.server {
		o.violate("retries", "worker %d: %s is tried again on %s, and the client knows of another router", t.worker, f.command, f.server)
	}
}

// wasRefused reports whether a try may have got no connection since the operation began. Such a try counts, and its router is
// one that the next try avoids. No event says whose try it was, so any of them excuses the operation.
func (t *trace) wasRefused(o *observer) bool { return !o.refused.Before(t.began) }

// judge checks what the driver did about a failure. It may have waited for a server or a connection without success. But an
// operation that ended at the very moment of its first failure, with time left, did not try again.
func (t *trace) judge(o *observer, a *attempts) {
	f := a.failed
	a.failed = nil
	if f == nil || time.Now().After(f.at) || f.ctx.Err() != nil || o.isClosing() || t.wasRefused(o) {
		return
	}
	if deadline, ok := f.ctx.Deadline(); ok && time.Until(deadline) < enoughTime {
		return
	}
	o.violate("retries", "worker %d: %s was not retried after %v", t.worker, f.command, f.err)
}

// retryableReads are commands that read, and nothing else.
var retryableReads = []string{"find", "distinct", "count", "listCollections", "listIndexes", "listDatabases"}

// wantsRetry reports whether a command that failed for the first time must be sent again: the end of a transaction, a write
// with a number, or a read outside of a transaction.
func wantsRetry(e *event.CommandFailed, sent bson.Raw) bool {
	ends := e.CommandName == "commitTransaction" || e.CommandName == "abortTransaction"
	inTransaction := !sent.Lookup("autocommit").IsZero()
	if mongo.HasErrorLabel(e.Failure, errcode.LabelSystemOverloadedError) {
		return mongo.HasErrorLabel(e.Failure, errcode.LabelRetryableError) && (ends || !inTransaction) && e.CommandName != "getMore"
	}
	switch {
	case ends, !inTransaction && !sent.Lookup("txnNumber").IsZero():
		return mongo.IsNetworkError(e.Failure) || mongo.HasErrorLabel(e.Failure, errcode.LabelRetryableWriteError)
	case inTransaction || !slices.Contains(retryableReads, e.CommandName):
		return false
	}
	return mongo.IsNetworkError(e.Failure) || slices.ContainsFunc(mongo.ErrorCodes(e.Failure), errcode.Code.IsRetryableRead)
}

// enoughTime is more time than the slowest way to a server and back takes: with less left, the driver does not try.
const enoughTime = 7 * time.Second

// isClosing reports whether somebody closes the client, or has.
func (o *observer) isClosing() bool { return o.c.leaving.Load() || o.closed }

// endOperation judges the last failures in an operation of a worker.
func (o *observer) endOperation(t *trace) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.attempts {
		t.judge(o, a)
	}
	clear(t.attempts)
}

// sent is a command that runs.
type sent struct {
	name    string
	command bson.Raw
	worker  int
}

// dirtySession is a session in which a command ended with a network error.
type dirtySession struct {
	worker int
	op     int64
	at     time.Time
}

// checkSession checks that no operation gets a session that a network error has left dirty: whoever had the session may go on
// using it, and must not give it back. Sessions, "Network errors".
func (o *observer) checkSession(ctx context.Context, e *event.CommandStarted) {
	s, dirty := o.dirty[sessionOf(e.Command)]
	if !dirty || s.op == e.OperationID || s.worker == workerOf(ctx) || e.CommandName == "endSessions" {
		return
	}
	o.violate("sessions", "%s of worker %d uses a session in which a command of worker %d failed with a network error at %v",
		e.CommandName, workerOf(ctx), s.worker, s.at.Sub(o.c.world.began))
}

func (o *observer) markDirty(ctx context.Context, e *event.CommandFailed, command bson.Raw) {
	if id := sessionOf(command); id != "" && mongo.IsNetworkError(e.Failure) {
		o.c.world.countEffect(judgedDirty)
		o.dirty[id] = dirtySession{worker: workerOf(ctx), op: e.OperationID, at: time.Now()}
	}
}

// sessionOf returns the id of a command's session, or nothing.
func sessionOf(command bson.Raw) string { return string(command.Lookup("lsid", "id").Value) }
