package exec

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// Executor runs the operations of one client. It is safe for concurrent use. Set its fields before the first operation,
// and do not change them after that.
type Executor struct {
	Topology *topology.Topology
	Sessions *session.Pool
	Clock    *session.Clock
	Auth     *auth.Authenticator // nil without authentication
	Commands *Publisher

	Crypt Crypt // encrypts and decrypts; nil without encryption

	whole sync.Pool // of *[]byte: commands that are yet to be encrypted

	ServerAPI   []byte // the elements that declare the stable API, nil without one
	Marshal     *bson.MarshalOptions
	RetryReads  bool
	RetryWrites bool

	ServerSelectionTimeout time.Duration

	// SocketTimeout is socketTimeoutMS, or 0 if it is not set. It does not apply under timeoutMS.
	SocketTimeout time.Duration

	MaxAdaptiveRetries int            // how often an operation may be retried after the server was overloaded
	Retarget           bool           // outside of sharded clusters, too, a retry after an overload avoids the server
	Random             func() float64 // the jitter of backoffs, in [0, 1)

	counters counters
	running  inFlight
	warned   sync.Once // that a server sent a field that is too large to be sent back
}

// Operation is one operation of a program. Only one goroutine runs it at a time.
type Operation struct {
	Command command.Command
	DB      string

	// ID is the number of the operation in events. 0 takes the next number. If an operation needs several commands,
	// they share the number.
	ID int64

	// Batch is Command if it has a section of kind 1. From is the first item to send. One message holds as many items
	// as fit.
	Batch command.Batch
	From  int

	// Timeout is the inherited timeoutMS. The command's own takes precedence. Part is what the operation is to the call that it
	// belongs to; the zero value is an operation by itself. Span is what one timeout covers if the operation opens a cursor.
	Timeout *time.Duration
	Part    timeout.Part
	Span    timeout.Span

	timing timeout.State   // what timeoutMS means for the run
	timed  timeout.Verdict // what was decided when it began

	Marshal *bson.MarshalOptions // how to encode values; nil means the client's options

	ReadPreference *options.ReadPreference
	ReadConcern    *options.ReadConcern
	WriteConcern   *options.WriteConcern

	// Session is the session to use. If it is nil, Implicit says what the driver does instead.
	Session  *session.Client
	Implicit Implicit

	// MinWireVersion is the lowest wire version that the operation accepts. TooOld is the error for a server with a
	// lower one. 0 accepts any server.
	MinWireVersion int32
	TooOld         error

	// Server is the server that must be used because it holds the cursor. If it is nil, the driver selects one. Conn is
	// the connection that must be used because it leads to the cursor's router.
	Server *topology.Server
	Conn   *topology.Pooled

	// Answer is what the server answers with.
	Answer Answer

	// Memory is what a large reply may be read into, and where its memory stays. nil allocates each. The Outcome is then
	// good until the next operation with the same Memory.
	Memory *[]byte

	// The fields for a run are part of the operation, because it is on the heap anyway.
	execution execution
	env       command.Env // for the try in progress
}

// Implicit is the use of implicit sessions.
type Implicit uint8

// What the driver does for an operation without a session of the program.
const (
	MakeSession Implicit = iota // for the operation alone
	KeepSession                 // also for the next commands of the same operation, until Release
	NoSession                   // the command takes none
)

// Answer is the kind of the server's answer.
type Answer uint8

// What the server may answer with.
const (
	OneReply     Answer = iota
	OpenCursor          // a cursor. The outcome keeps what it needs: the implicit session, and behind a load balancer the connection
	BatchStream         // a batch, or a stream of them if the server likes
	AwaitedBatch        // the next batch of a stream, which arrives on Conn without a request. An error ends the stream
)

// Outcome is the result of an operation.
type Outcome struct {
	Reply       bson.Raw // nil for an unacknowledged write
	Server      *topology.Server
	WireVersion int32
	Sent        int // the number of items that the command carried, also if there is an error

	// Labels are the labels of a write concern error in the reply, including the ones that the driver adds.
	Labels []string

	// MoreToCome says that the server will send another reply on Conn without being asked.
	MoreToCome bool

	// Session and Conn are set if the reply's cursor needs them. Release gives them back.
	Session *session.Client
	Conn    *topology.Pooled

	timing    timeout.State // of the operation
	operation string
}

// NextID returns a number for an operation that takes several commands.
func (x *Executor) NextID() int64 { return x.Commands.NextOperation() }

// Run runs an operation and retries it as the specifications require.
//
// A write that was applied but whose write concern was not satisfied is an outcome, not an error. The reply shows the
// failure.
func (x *Executor) Run(ctx context.Context, op *Operation) (Outcome, error) {
	if !x.Traces() {
		return x.run(ctx, op)
	}
	var out Outcome
	err := x.Traced(ctx, op, func(ctx context.Context) (err error) {
		out, err = x.run(ctx, op)
		return err
	})
	return out, err
}

func (x *Executor) run(ctx context.Context, op *Operation) (Outcome, error) {
	ctx, cancel, err := x.bound(ctx, op)
	if err != nil {
		return Outcome{}, err
	}
	defer cancel()
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
	err = errPanicked
	defer func() { // a method of the program's own document may panic during encoding
		e.slot.leave()
		x.counters.end(err)
	}()
	var out Outcome
	out, err = e.run(ctx)
	return out, err
}

var errPanicked = errors.New("mongo: the operation panicked")

// Release gives back the resources that an outcome kept for its cursor.
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

// EndImplicit gives the server session of an implicit session back, as soon as no cleanup uses it. An explicit session stays as
// it is.
func (x *Executor) EndImplicit(s *session.Client) {
	switch {
	case !s.Implicit():
	case s.Free():
		x.ReleaseServerSession(s.Server())
	default:
		s.WhenFree(func() { x.ReleaseServerSession(s.Server()) })
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

// sessionTimeout is how long the deployment keeps a session; 0 behind a load balancer, where sessions do not expire.
func sessionTimeout(d *description.Topology) time.Duration {
	if d.LogicalSessionTimeoutMinutes == nil || d.Type == description.LoadBalanced {
		return 0
	}
	const most = int64(math.MaxInt64 / time.Minute) // the server's number must not cause an overflow
	return time.Duration(max(0, min(*d.LogicalSessionTimeoutMinutes, most))) * time.Minute
}
