package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

// Executor carries out the operations of one client. It is safe for concurrent use; its fields are set before the first
// operation and not changed.
type Executor struct {
	Topology *topology.Topology
	Sessions *session.Pool
	Clock    *session.Clock
	Auth     *auth.Authenticator // nil without authentication
	Commands *Publisher

	ServerAPI   []byte // the elements that declare the stable API, nil without one
	Marshal     *bson.MarshalOptions
	RetryReads  bool
	RetryWrites bool
	Retarget    bool // a retry after an overload avoids the server also outside of sharded clusters
}

// Operation is one operation of a program. It is carried out by one goroutine at a time.
type Operation struct {
	Command command.Command
	DB      string

	// ID is the number under which events tell of the operation; 0 takes the next one. The commands of one operation
	// that needs several share it.
	ID int64

	// Batch is Command when it has a section of kind 1; From is the first of its items to send. As many go as fit.
	Batch command.Batch
	From  int

	// Timeout is the inherited timeoutMS; the command's own precedes it.
	Timeout *time.Duration
	bounded bool // by Bound

	Marshal *bson.MarshalOptions // how values are encoded; nil means as the client says

	ReadPreference *options.ReadPreference
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern

	// Session is the session to use; nil makes one for the operation, except for NoSession. KeepSession keeps that
	// session for the next command of the same operation.
	Session     *session.Client
	NoSession   bool
	KeepSession bool

	// Server is the server that must be used, because it holds the cursor; nil selects one. Conn is the connection that
	// must be used, because it leads to the cursor's router.
	Server *topology.Server
	Conn   *pool.Connection

	// Cursor keeps what a cursor needs when the reply has one that is open: the implicit session, and behind a load
	// balancer the connection.
	Cursor bool

	env command.Env // of the try in progress; here because the operation is on the heap anyway
}

// Outcome is what became of an operation.
type Outcome struct {
	Reply       bson.Raw // nil for an unacknowledged write
	Server      *topology.Server
	WireVersion int32
	Sent        int // the number of items that the command carried, also beside an error

	// Labels are those of a write concern error in the reply, with the labels that the driver adds.
	Labels []string

	// Session and Conn are set when the cursor of the reply needs them. They are given back with Release.
	Session *session.Client
	Conn    *pool.Connection
}

// NextID numbers an operation that takes several commands.
func (x *Executor) NextID() int64 { return x.Commands.NextOperation() }

// Bound applies an operation's timeout to a context. Run does this itself; call Bound first when one timeout covers
// several commands.
func (x *Executor) Bound(ctx context.Context, op *Operation) (context.Context, context.CancelFunc) {
	op.bounded = true
	timeout := op.Command.Timeout()
	if timeout == nil {
		timeout = op.Timeout
	}
	if timeout == nil || *timeout <= 0 {
		return ctx, noCancel
	}
	return context.WithTimeout(ctx, *timeout)
}

func noCancel() {}

// Run carries out an operation. It is tried twice at most: reads and writes that may be retried are, when the first try
// failed in a way that a second may not.
//
// A write that was applied although its write concern was not satisfied is an outcome, not an error: the reply says so.
func (x *Executor) Run(ctx context.Context, op *Operation) (Outcome, error) {
	a := attempt{x: x, op: op, meta: op.Command.Meta(), operationID: op.ID}
	if !op.bounded {
		var cancel context.CancelFunc
		ctx, cancel = x.Bound(ctx, op)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("mongo: %s: nothing was sent: %w", a.meta.Operation, err)
	}
	if a.operationID == 0 {
		a.operationID = x.NextID()
	}
	a.retry = a.retryKind()
	out, err := a.once(ctx)
	if err != nil && a.shouldRetry(ctx, err) {
		out, err = a.again(ctx, err)
	}
	if err != nil && a.applied != nil && errors.Is(err, a.applied.err) {
		out, err = a.applied.out, nil
	}
	if err != nil {
		out.Sent = a.sent
	}
	a.finish(&out)
	return out, err
}

// again tries a second time and says which of the two errors counts. Retryable writes, "Executing Retryable Write
// Commands": an error of the second try that comes from the driver, or that says that nothing was written, gives way to
// the first one, which describes the failure better. Only the end of the context is told beside it.
func (a *attempt) again(ctx context.Context, first error) (Outcome, error) {
	a.number++
	a.avoid = nil
	if a.deprioritizes(first) {
		a.avoid = a.server
	}
	out, err := a.once(ctx)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil && !errors.Is(first, ctx.Err()):
		return out, &interruptedRetry{first: first, err: ctx.Err()}
	case !fromServer(err) || hasLabelNoWrites(err):
		return out, first
	}
	return out, err
}

// deprioritizes reports whether the retry prefers another server to the one that failed. Server Selection,
// "Server Selection Algorithm": always in a sharded cluster, elsewhere only after an overload and only if the program wants it.
func (a *attempt) deprioritizes(err error) bool {
	if a.x.Topology.Description().Type == description.Sharded {
		return true
	}
	return a.x.Retarget && fault.HasLabel(err, fault.LabelSystemOverloadedError)
}

// interruptedRetry is the failure of a first try whose retry the context ended.
type interruptedRetry struct{ first, err error }

func (e *interruptedRetry) Error() string {
	return e.first.Error() + " (the retry was given up: " + e.err.Error() + ")"
}
func (e *interruptedRetry) Unwrap() []error { return []error{e.first, e.err} }

// Release gives back what an outcome kept for its cursor.
func (x *Executor) Release(out *Outcome) {
	if out.Conn != nil {
		out.Server.CheckIn(out.Conn)
		out.Conn = nil
	}
	if out.Session != nil {
		x.endImplicit(out.Session)
		out.Session = nil
	}
}

// endImplicit gives a session back that the driver made.
func (x *Executor) endImplicit(s *session.Client) {
	if s.Implicit() {
		x.Sessions.Release(s.Server(), sessionTimeout(x.Topology.Description()))
	}
}
