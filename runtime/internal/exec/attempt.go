package exec

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

// attempt is an operation on its way through its tries.
type attempt struct {
	x     *Executor
	op    *Operation
	meta  command.Meta
	retry command.Retry // as what the operation may be retried with the client's settings

	number int              // 0 for the first try
	avoid  *topology.Server // the server of the failed try

	server  *topology.Server
	pooled  *pool.Connection
	wire    *conn.Conn
	session *session.Client // the session in use: the operation's own, or an implicit one
	made    bool            // the session was made here

	operationID    int64                   // the number under which events tell of the operation
	readPreference *options.ReadPreference // by which the server was selected
	labels         []string                // of the write concern error of the reply
	applied        *appliedWrite           // the first try, if it wrote and is retried for its write concern

	txnNumber int64 // of a retryable write, 0 for anything else
	sent      int
	began     time.Time
}

// appliedWrite is a write that took place and whose write concern was not satisfied.
type appliedWrite struct {
	out Outcome
	err error
}

// once makes one try.
func (a *attempt) once(ctx context.Context) (Outcome, error) {
	a.pooled, a.wire, a.labels = nil, nil, nil // a failure to connect must not be judged by the last connection
	if err := a.selectServer(ctx); err != nil {
		return Outcome{}, err
	}
	if err := a.checkOut(ctx); err != nil {
		return Outcome{}, a.labelled(err)
	}
	settled := false
	defer func() {
		if !settled {
			a.checkIn() // a method of the program's own document panicked while it was encoded
		}
	}()
	reply, err := a.talk(ctx)
	settled = true
	if err != nil {
		err = a.labelled(err)
		if a.applied != nil && a.number == 0 {
			a.applied.err = err
		}
		a.server.HandleError(a.pooled, err)
		a.checkIn()
		return Outcome{}, err
	}
	out := a.outcome(reply)
	if a.keepsConnection(reply) {
		a.pooled.SetPin(pool.PinnedByCursor)
		out.Conn = a.pooled
	} else {
		a.checkIn()
	}
	return out, nil
}

func (a *attempt) outcome(reply bson.Raw) Outcome {
	return Outcome{
		Reply: reply, Server: a.server, WireVersion: a.wire.Hello().MaxWireVersion, Sent: a.sent, Labels: a.labels,
	}
}

// selectServer finds a server, unless a cursor or a connection fixes it.
func (a *attempt) selectServer(ctx context.Context) error {
	if a.op.Server != nil {
		a.server, a.readPreference = a.op.Server, a.op.ReadPreference
		return nil
	}
	writes := a.meta.Access == command.Write
	a.readPreference = a.op.ReadPreference
	if writes && a.meta.ReadPreference && writesOnPrimaryOnly(a.x.Topology.Description()) {
		a.readPreference = nil
	}
	request := topology.Request{
		Operation: a.meta.Operation, OperationID: a.operationID, ReadPreference: a.readPreference, Avoid: a.avoid,
		Write: writes && !a.meta.ReadPreference,
	}
	server, err := a.x.Topology.SelectServer(ctx, &request)
	if err != nil {
		return err
	}
	a.server = server
	return nil
}

// writesOnPrimaryOnly reports whether an available server is too old to write the result of an aggregation as a
// secondary, so that the read preference does not count. CRUD, "Read Preferences and Server Selection" of $out and $merge.
func writesOnPrimaryOnly(d *description.Topology) bool {
	if d.Type == description.LoadBalanced {
		return false
	}
	for i := range d.Servers {
		switch s := &d.Servers[i]; s.Type {
		case description.Standalone, description.Mongos, description.RSPrimary, description.RSSecondary:
			if s.MaxWireVersion < writesOnSecondaries {
				return true
			}
		}
	}
	return false
}

// writesOnSecondaries is the wire version from which on secondaries carry out $out and $merge, that of MongoDB 5.0.
var writesOnSecondaries = mustWireVersion("5.0")

// errNoRetryHere ends a retry whose server cannot tell that the write is one: sending it could write twice.
var errNoRetryHere = errors.New("mongo: the server of the retry does not support retryable writes")

// checkOut takes a connection, unless a cursor brought one along.
func (a *attempt) checkOut(ctx context.Context) error {
	if a.op.Conn != nil {
		a.pooled = a.op.Conn
	} else {
		pooled, err := a.server.CheckOut(ctx)
		if err != nil {
			return err
		}
		a.pooled = pooled
	}
	a.wire = a.pooled.Conn.(*topology.Connection).Conn
	if a.retry == command.RetryWrite && !a.takesTxnNumbers() {
		if a.number > 0 {
			a.checkIn()
			return errNoRetryHere
		}
		a.retry = command.RetryNone
	}
	a.startSession()
	return nil
}

// takesTxnNumbers reports whether the server does retryable writes: it is not a standalone one and has sessions.
func (a *attempt) takesTxnNumbers() bool {
	return a.sessionsSupported() && a.server.Description().Type != description.Standalone
}

func (a *attempt) checkIn() {
	if a.op.Conn == nil {
		a.server.CheckIn(a.pooled)
	}
}

// startSession takes a server session once a connection is there: sessions that are allocated earlier would outnumber
// the connections. Sessions, "Implicit sessions".
func (a *attempt) startSession() {
	if a.session != nil {
		return
	}
	if a.op.Session != nil {
		a.session = a.op.Session
		return
	}
	if a.op.NoSession || !a.acknowledged() || !a.sessionsSupported() {
		return
	}
	a.session = session.NewImplicit(a.x.Sessions.Acquire(sessionTimeout(a.x.Topology.Description())))
	a.made = true
}

// sessionsSupported reports whether the server has logical sessions.
func (a *attempt) sessionsSupported() bool {
	return a.wire.Hello().LogicalSessionTimeout != nil || a.pooled.ServiceID() != nil
}

// finish gives the implicit session back unless the outcome's cursor, or the operation's next command, goes on using it.
func (a *attempt) finish(out *Outcome) {
	if !a.made {
		return
	}
	if a.op.Cursor && cursorOpen(out.Reply) || a.op.KeepSession && out.Reply != nil {
		out.Session = a.session
		return
	}
	a.x.endImplicit(a.session)
}

// talk writes the command, reads the reply and says what it means.
func (a *attempt) talk(ctx context.Context) (bson.Raw, error) {
	for reauthenticated := false; ; reauthenticated = true {
		msg, err := a.encode()
		if err != nil {
			return nil, err
		}
		reply, err := a.exchange(ctx, msg)
		if err == nil || reauthenticated || a.x.Auth == nil || !wantsReauthentication(err) {
			return reply, err
		}
		if err := a.x.Auth.Reauthenticate(ctx, a.wire); err != nil {
			return nil, err
		}
	}
}

// exchange sends one message and classifies its reply.
func (a *attempt) exchange(ctx context.Context, msg []byte) (bson.Raw, error) {
	compressible := !wire.Uncompressible(a.meta.Command)
	note := a.x.Commands.started(ctx, a, msg)
	a.began = time.Now()
	if a.session != nil {
		a.session.Server().Touch(a.began)
	}
	if !a.acknowledged() {
		err := a.pooled.Fault(a.wire.Send(ctx, msg, compressible))
		a.x.Commands.ended(ctx, a, note, unacknowledgedReply, err)
		return nil, err
	}
	reply, err := a.wire.RoundTrip(ctx, msg, compressible)
	if err != nil {
		err = a.pooled.Fault(err)
		if a.session != nil {
			a.session.Server().MarkDirty()
		}
		a.x.Commands.ended(ctx, a, note, nil, err)
		return nil, err
	}
	facts, err := a.read(reply.Body)
	if err != nil {
		a.x.Commands.ended(ctx, a, note, reply.Body, err)
		return nil, err
	}
	a.x.Commands.ended(ctx, a, note, reply.Body, nil)
	return reply.Body, a.judgeWriteConcern(reply.Body, facts)
}

// acknowledged reports whether the server answers the operation.
func (a *attempt) acknowledged() bool {
	return !a.meta.WriteConcern || command.IsAcknowledged(a.op.WriteConcern)
}

// keepsConnection reports whether the cursor of a reply needs the connection: behind a load balancer no other one leads
// to the router that holds it.
func (a *attempt) keepsConnection(reply bson.Raw) bool {
	return a.op.Cursor && a.op.Conn == nil && a.pooled.ServiceID() != nil && cursorOpen(reply)
}

func cursorOpen(reply bson.Raw) bool {
	id, _ := reply.Lookup("cursor", "id").AsInt64OK()
	return id != 0
}

// sessionTimeout is how long the deployment keeps a session; 0 behind a load balancer, where sessions do not expire.
func sessionTimeout(d *description.Topology) time.Duration {
	if d.LogicalSessionTimeoutMinutes == nil || d.Type == description.LoadBalanced {
		return 0
	}
	return time.Duration(*d.LogicalSessionTimeoutMinutes) * time.Minute
}

// readPreferenceMode is the mode that counts: primary when none is set.
func readPreferenceMode(rp *options.ReadPreference) options.ReadPreferenceMode {
	if rp == nil || rp.Mode == 0 {
		return options.Primary
	}
	return rp.Mode
}
