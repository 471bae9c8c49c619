package exec

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
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
}

// Operation is one operation of a program.
type Operation struct {
	Command command.Command
	DB      string

	// Batch is Command when it has a section of kind 1; From is the first of its items to send. As many go as fit.
	Batch command.Batch
	From  int

	ReadPreference *options.ReadPreference
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern

	// Session is the session to use; nil makes one for the operation.
	Session *session.Client

	// Server is the server that must be used, because it holds the cursor; nil selects one. Conn is the connection that
	// must be used, because it leads to the cursor's router.
	Server *topology.Server
	Conn   *pool.Connection

	// Cursor keeps what a cursor needs when the reply has one that is open: the implicit session, and behind a load
	// balancer the connection.
	Cursor bool
}

// Outcome is what became of an operation.
type Outcome struct {
	Reply       bson.Raw // nil for an unacknowledged write
	Server      *topology.Server
	WireVersion int32
	Sent        int // the number of items that the command carried

	// Session and Conn are set when the cursor of the reply needs them. They are given back with Release.
	Session *session.Client
	Conn    *pool.Connection
}

// Run carries out an operation. It is tried twice at most: reads and writes that may be retried are, when the first try
// failed in a way that a second may not.
func (x *Executor) Run(ctx context.Context, op *Operation) (Outcome, error) {
	a := attempt{x: x, op: op, meta: op.Command.Meta()}
	a.retry = a.retryKind()
	out, err := a.once(ctx)
	if err == nil || !a.shouldRetry(ctx, err) {
		a.finish(&out)
		return out, err
	}
	out, err = a.again(ctx, err)
	a.finish(&out)
	return out, err
}

// again tries a second time and says which of the two errors counts. Retryable writes, "Executing Retryable Write
// Commands": an error of the second try that comes from the driver, or that says that nothing was written, gives way to
// the first one, which describes the failure better.
func (a *attempt) again(ctx context.Context, first error) (Outcome, error) {
	a.number++
	a.avoid = a.server
	out, err := a.once(ctx)
	if err == nil {
		return out, nil
	}
	if !fromServer(err) || hasLabelNoWrites(err) {
		return out, first
	}
	return out, err
}

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
