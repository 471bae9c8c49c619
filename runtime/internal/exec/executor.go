package exec

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Executor carries out the operations of one client. It is safe for concurrent use; its fields are set before the first
// operation and not changed.
type Executor struct {
	Topology *topology.Topology
	Sessions *session.Pool
	Clock    *session.Clock
	Auth     *auth.Authenticator // nil without authentication
	Commands *Publisher

	Crypt Crypt // encrypts and decrypts; nil without encryption

	ServerAPI   []byte // the elements that declare the stable API, nil without one
	Marshal     *bson.MarshalOptions
	RetryReads  bool
	RetryWrites bool

	ServerSelectionTimeout time.Duration

	// SocketTimeout is socketTimeoutMS, which does not count under timeoutMS; 0 when it is unset.
	SocketTimeout time.Duration

	MaxAdaptiveRetries int            // how often an operation is retried once the server was overloaded
	Retarget           bool           // a retry after an overload avoids the server outside of sharded clusters, too
	Random             func() float64 // the jitter of backoffs, in [0, 1)

	counters counters
	running  inFlight
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
	csot    bool // a timeoutMS is in force, so that the deprecated timeouts do not count

	// NoMaxTime keeps the driver from sending maxTimeMS: the timeout bounds more than this command.
	NoMaxTime bool

	Marshal *bson.MarshalOptions // how values are encoded; nil means as the client says

	ReadPreference *options.ReadPreference
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern

	// Session is the session to use; nil makes one for the operation, except for NoSession. KeepSession keeps that
	// session for the next command of the same operation. EndsTransaction marks commitTransaction and abortTransaction.
	Session     *session.Client
	NoSession   bool
	KeepSession bool

	EndsTransaction bool

	// MinWireVersion is what the server must have; TooOld is the error of one that has less. 0 asks for nothing.
	MinWireVersion int32
	TooOld         error

	// Server is the server that must be used, because it holds the cursor; nil selects one. Conn is the connection that
	// must be used, because it leads to the cursor's router.
	Server *topology.Server
	Conn   *topology.Pooled

	// Cursor keeps what a cursor needs when the reply has one that is open: the implicit session, and behind a load
	// balancer the connection.
	Cursor bool

	// Exhaust lets the server answer a getMore with one batch after the other. Awaited says that the next one is on its
	// way on Conn: nothing is sent. An error ends the stream.
	Exhaust, Awaited bool

	// What a run needs is here because the operation is on the heap anyway.
	execution execution
	env       command.Env // of the try in progress
}

// Outcome is what became of an operation.
type Outcome struct {
	Reply       bson.Raw // nil for an unacknowledged write
	Server      *topology.Server
	WireVersion int32
	Sent        int // the number of items that the command carried, also beside an error

	// Labels are those of a write concern error in the reply, with the labels that the driver adds.
	Labels []string

	// MoreToCome says that the server sends another reply on Conn without being asked.
	MoreToCome bool

	// Session and Conn are set when the cursor of the reply needs them. They are given back with Release.
	Session *session.Client
	Conn    *topology.Pooled
}

// NextID numbers an operation that takes several commands.
func (x *Executor) NextID() int64 { return x.Commands.NextOperation() }

// Run carries out an operation and retries it as the specifications say.
//
// A write that was applied although its write concern was not satisfied is an outcome, not an error: the reply says so.
func (x *Executor) Run(ctx context.Context, op *Operation) (Outcome, error) {
	if x.Commands.Tracing.Tracer != nil {
		return x.runTraced(ctx, op)
	}
	return x.run(ctx, op)
}

func (x *Executor) run(ctx context.Context, op *Operation) (Outcome, error) {
	if !op.bounded {
		bound, cancel, err := x.bound(ctx, op)
		if err != nil {
			return Outcome{}, err
		}
		defer cancel()
		op.bounded = false // the next run of the same operation has a deadline of its own
		ctx = bound
	}
	x.counters.begin()
	e := &op.execution
	*e = execution{x: x, op: op, meta: op.Command.Meta(), id: op.ID}
	if e.id == 0 {
		e.id = x.NextID()
	}
	if c, ok := op.Command.(targeted); ok {
		e.collection = c.Target()
	}
	e.slot = x.running.enter(InFlight{
		ID: e.id, Operation: e.meta.Operation, Database: op.DB, Collection: e.collection, Began: time.Now(),
	})
	err := errPanicked
	defer func() { // a method of the program's own document may panic while it is encoded
		e.slot.leave()
		x.counters.end(err)
	}()
	var out Outcome
	out, err = e.run(ctx)
	return out, err
}

var errPanicked = errors.New("mongo: the operation panicked")

// Release gives back what an outcome kept for its cursor.
func (x *Executor) Release(out *Outcome) {
	if out.Conn != nil {
		out.Server.CheckIn(out.Conn)
		out.Conn = nil
	}
	if out.Session != nil {
		x.EndImplicit(out.Session)
		out.Session = nil
	}
}

// EndImplicit gives the server session of an implicit session back. An explicit session stays as it is.
func (x *Executor) EndImplicit(s *session.Client) {
	if s.Implicit() {
		x.ReleaseServerSession(s.Server())
	}
}

// AcquireServerSession takes a server session from the pool, or makes one.
func (x *Executor) AcquireServerSession() *session.Server {
	return x.Sessions.Acquire(sessionTimeout(x.Topology.Description()))
}

// ReleaseServerSession gives a server session back to the pool.
func (x *Executor) ReleaseServerSession(s *session.Server) {
	x.Sessions.Release(s, sessionTimeout(x.Topology.Description()))
}
