package exec

import (
	"math"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
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

	plainCommands sync.Pool // of *[]byte: commands that are not encrypted yet

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
	running  runningOperations
	warned   sync.Once // that a server sent a field that is too large to be sent back
}

// NextID returns a number for an operation that takes several commands.
func (x *Executor) NextID() int64 { return x.Commands.NextOperation() }

// EndImplicit gives the server session of an implicit session back, as soon as no cleanup uses it. An explicit session
// stays as it is.
func (x *Executor) EndImplicit(s *session.Client) { x.endImplicit(s, time.Now()) }

func (x *Executor) endImplicit(s *session.Client, now time.Time) {
	if s.IsImplicit() {
		x.release(s, now)
	}
}

// ReleaseSession gives the server session of any session back, as soon as no cleanup uses it.
func (x *Executor) ReleaseSession(s *session.Client) { x.release(s, time.Now()) }

func (x *Executor) release(s *session.Client, now time.Time) {
	if s.IsFree() {
		x.Sessions.Release(s.Server(), x.sessionTimeout(), now)
		return
	}
	s.WhenFree(func() { x.ReleaseServerSession(s.Server()) })
}

// AcquireServerSession takes a server session from the pool, or makes one.
func (x *Executor) AcquireServerSession() *session.Server {
	return x.Sessions.Acquire(x.sessionTimeout(), time.Now())
}

// ReleaseServerSession gives a server session back to the pool.
func (x *Executor) ReleaseServerSession(s *session.Server) {
	x.Sessions.Release(s, x.sessionTimeout(), time.Now())
}

func (x *Executor) sessionTimeout() time.Duration { return sessionTimeout(x.Topology.Description()) }

// sessionTimeout is how long the deployment keeps a session; 0 behind a load balancer, where sessions do not expire.
func sessionTimeout(d *description.Topology) time.Duration {
	if d.LogicalSessionTimeoutMinutes == nil || d.Type == description.LoadBalanced {
		return 0
	}
	const most = int64(math.MaxInt64 / time.Minute) // the server's number must not cause an overflow
	return time.Duration(max(0, min(*d.LogicalSessionTimeoutMinutes, most))) * time.Minute
}
