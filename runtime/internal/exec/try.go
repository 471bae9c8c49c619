package exec

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/auth"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/pool"
)

// try is one attempt at an operation: a server, a connection, a message and its reply.
type try struct {
	*execution

	selecting      time.Time // when selection started; zero without timeoutMS
	server         *topology.Server
	minRTT         time.Duration           // the server's, at the time of its selection
	readPreference *options.ReadPreference // the one that selected the server
	pooled         *topology.Pooled
	wire           *conn.Conn
	owned          bool // the connection goes back to the pool after the try

	sent    int      // the number of items that the message carries
	sentAny bool     // a message was sent at least in part, so the server may have acted
	labels  []string // from the write concern error of the reply
	more    bool     // another reply will follow
	foreign bool     // the error comes from encryption and says nothing about the server
	began   time.Time
}

// run makes the try. After an error the connection is still checked out.
func (t *try) run(ctx context.Context) (Outcome, error) {
	if err := t.connect(ctx); err != nil {
		return Outcome{}, err
	}
	panicked := true
	defer func() {
		if panicked {
			t.checkIn() // a method of the program's own document panicked during encoding
		}
	}()
	reply, err := t.talk(ctx)
	panicked = false
	if err != nil {
		return Outcome{}, err
	}
	out := t.outcome(reply)
	if out.MoreToCome = t.more; t.more || t.keepsConnection(reply) {
		t.pooled.SetPin(pool.PinnedByCursor)
		out.Conn = t.pooled
	} else {
		t.checkIn()
	}
	return out, nil
}

// connect selects a server and checks out a connection. If the server leaves the topology in between, its pool is
// closed. The selection is then out of date, so connect repeats it once.
func (t *try) connect(ctx context.Context) error {
	for again := true; ; again = false {
		if err := t.selectServer(ctx); err != nil {
			return err
		}
		err := t.checkOut(ctx)
		if _, closed := errors.AsType[fault.PoolClosedError](err); !closed || !again || t.fixed() {
			return err
		}
	}
}

// fixed reports whether a cursor or a transaction has chosen the server.
func (t *try) fixed() bool {
	return t.op.Server != nil || t.inTxn && t.session.PinnedServer() != nil
}

func (t *try) outcome(reply bson.Raw) Outcome {
	return Outcome{
		Reply: reply, Server: t.server, WireVersion: t.wire.Hello().MaxWireVersion, Sent: t.sent, Labels: t.labels,
		timed: t.op.csot, operation: t.meta.Operation,
	}
}

// selectServer selects a server, unless a cursor or a transaction has chosen one.
func (t *try) selectServer(ctx context.Context) error {
	t.readPreference = t.op.ReadPreference
	if t.inTxn {
		t.readPreference = t.session.Transaction().ReadPreference
	}
	switch {
	case t.op.Server != nil:
		t.server = t.op.Server
		t.minRTT = t.server.Description().MinRTT
	case t.inTxn && t.session.PinnedServer() != nil:
		t.server = t.session.PinnedServer()
		t.minRTT = t.server.Description().MinRTT
	default:
		if err := t.choose(ctx); err != nil {
			return err
		}
	}
	t.slot.update(t.server.Address(), t.retries+1)
	return nil
}

func (t *try) choose(ctx context.Context) error {
	if t.op.csot {
		t.selecting = time.Now()
	}
	writes := t.meta.Access == command.Write
	request := topology.Request{
		Operation: t.meta.Operation, Command: t.meta.Command, OperationID: t.id, ReadPreference: t.readPreference,
		Deprioritized: t.avoid, Write: writes && !t.meta.ReadPreference,
	}
	if writes && t.meta.ReadPreference && t.readPreference != nil {
		request.PrimaryOnly = writesOnPrimaryOnly
	}
	server, err := t.x.Topology.SelectServer(ctx, &request)
	t.server, t.readPreference, t.minRTT = server, request.ReadPreference, request.MinRTT
	return err
}

// writesOnPrimaryOnly reports whether an available server is too old to write the result of an aggregation as a
// secondary. The read preference then does not count. CRUD, "Read Preferences and Server Selection" of $out and $merge.
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

// writesOnSecondaries is the first wire version in which secondaries run $out and $merge.
const writesOnSecondaries = wire.Server50

// errNoRetryHere ends a retry if its server cannot recognize the write as a retry. Sending it could write twice.
var errNoRetryHere = errors.New("mongo: the server of the retry does not support retryable writes")

// checkOut takes a connection, unless a cursor or a transaction supplies one.
func (t *try) checkOut(ctx context.Context) error {
	switch {
	case t.op.Conn != nil:
		t.pooled = t.op.Conn
	case t.inTxn && t.session.PinnedConnection() != nil:
		t.pooled = t.session.PinnedConnection()
	default:
		if err := t.takeConnection(ctx); err != nil {
			return err
		}
	}
	t.wire = t.pooled.Conn.Conn
	if t.session != nil && !t.session.Implicit() && !t.sessionsSupported() {
		return errSessionsUnsupported
	}
	if t.inTxn {
		t.pin()
		return nil
	}
	if t.retry == command.RetryWrite && !t.takesTxnNumbers() {
		if t.txnNumber != 0 {
			return errNoRetryHere
		}
		t.retry = command.RetryNone // no try was sent so far, so that nothing can be written twice
	}
	t.startSession()
	return nil
}

// takeConnection checks out a connection. Under timeoutMS, the part of serverSelectionTimeoutMS that selection has left
// limits it.
//
// Client Side Operations Timeout, "Server Selection".
func (t *try) takeConnection(ctx context.Context) error {
	checkOut := t.server.CheckOut
	if t.op.csot {
		if t.selecting.IsZero() {
			t.selecting = time.Now() // a cursor or a transaction has chosen the server
		}
		limit := t.selecting.Add(t.x.ServerSelectionTimeout)
		if deadline, ok := ctx.Deadline(); !ok || limit.Before(deadline) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, limit)
			defer cancel()
		}
		checkOut = t.server.CheckOutPatiently
	}
	pooled, err := checkOut(ctx)
	if err != nil {
		t.final = t.op.csot && Expired(ctx) // as when no server is found in that time
		return err
	}
	t.pooled, t.owned = pooled, true
	return nil
}

// takesTxnNumbers reports whether the server supports retryable writes: it is not standalone and has sessions.
func (t *try) takesTxnNumbers() bool {
	return t.sessionsSupported() && t.server.Type() != description.Standalone
}

func (t *try) checkIn() {
	if t.owned {
		t.owned = false
		t.server.CheckIn(t.pooled)
	}
}

// startSession takes a server session after the check-out. Sessions that are allocated earlier would outnumber the
// connections. Sessions, "Implicit sessions".
func (t *try) startSession() {
	if t.session != nil || t.op.NoSession || !t.acknowledged() || !t.sessionsSupported() {
		return
	}
	t.session = session.NewImplicit(t.x.AcquireServerSession())
	t.made = true
}

// sessionsSupported reports whether the server has logical sessions.
func (t *try) sessionsSupported() bool {
	return t.wire.Hello().LogicalSessionTimeout != nil || t.pooled.ServiceID() != nil
}

// talk writes the command, reads the reply and interprets it.
func (t *try) talk(ctx context.Context) (bson.Raw, error) {
	for reauthenticated := false; ; reauthenticated = true {
		msg, err := t.encode(ctx)
		if err != nil {
			return nil, err
		}
		reply, err := t.exchange(ctx, msg)
		if err == nil || reauthenticated || t.x.Auth == nil || !wantsReauthentication(err) {
			return reply, err
		}
		if err := t.reauthenticate(ctx); err != nil {
			return nil, err
		}
	}
}

// reauthenticate authenticates the connection again, within the timeoutMS of the operation if there is one.
//
// Client Side Operations Timeout, "Blocking Sections for Operation Execution".
func (t *try) reauthenticate(ctx context.Context) error {
	if t.op.csot {
		ctx = auth.UnderTimeout(ctx, 0)
		defer t.withoutSocketTimeout()()
	}
	return t.x.Auth.Reauthenticate(ctx, t.wire)
}

// withoutSocketTimeout turns socketTimeoutMS off, which timeoutMS replaces, until the caller calls what it returns.
func (t *try) withoutSocketTimeout() (restore func()) {
	if t.x.SocketTimeout <= 0 {
		return noCancel
	}
	t.wire.SetIOTimeout(0)
	return func() { t.wire.SetIOTimeout(t.x.SocketTimeout) }
}

// exchange sends one message and classifies its reply.
func (t *try) exchange(ctx context.Context, msg []byte) (bson.Raw, error) {
	if err := t.enoughTime(ctx); err != nil {
		return nil, err
	}
	compressible := !wire.Uncompressible(t.meta.Command)
	note := t.x.Commands.started(ctx, t, msg)
	t.began, t.sentAny = time.Now(), true
	t.touchSession()
	if t.op.csot {
		defer t.withoutSocketTimeout()()
	}
	if !t.acknowledged() {
		err := t.pooled.Fault(t.wire.Send(ctx, msg, compressible))
		t.x.Commands.ended(ctx, t, note, unacknowledgedReply, err)
		return nil, err
	}
	if t.op.Memory != nil && note.exchange == nil { // a monitor may keep the replies that it is shown
		t.wire.Lend(t.op.Memory)
	}
	reply, err := t.roundTrip(ctx, msg, compressible)
	if err != nil {
		err = t.pooled.Fault(err)
		t.x.Commands.ended(ctx, t, note, nil, err)
		return nil, err
	}
	facts, err := t.read(reply.Body)
	if err != nil {
		t.x.Commands.ended(ctx, t, note, reply.Body, err)
		return nil, err
	}
	t.x.Commands.ended(ctx, t, note, reply.Body, nil)
	body := reply.Body
	if t.x.Crypt != nil {
		if body, err = t.decrypt(ctx, body); err != nil {
			return nil, err
		}
	}
	return body, t.judgeReply(body, facts)
}

// roundTrip sends one message and waits for the reply. In a stream it only waits for the next reply.
func (t *try) roundTrip(ctx context.Context, msg []byte, compressible bool) (reply conn.Reply, err error) {
	switch {
	case t.op.Awaited:
		t.op.Awaited = false // another try, if there is one, sends a new request
		reply, err = t.wire.Receive(ctx)
	case t.op.Exhaust:
		conn.SetExhaustAllowed(msg)
		reply, err = t.wire.RoundTrip(ctx, msg, compressible)
	default:
		return t.wire.RoundTripOrLate(ctx, msg, compressible, t.mayBeLate())
	}
	t.more = reply.MoreToCome
	return reply, err
}

// mayBeLate reports whether to keep the connection if the reply comes after the deadline. It does not do so for a
// connection that a cursor or a transaction keeps or is about to keep.
func (t *try) mayBeLate() bool {
	return t.owned && (t.pooled.ServiceID() == nil || !t.op.Cursor && !t.inTxn)
}

// touchSession records in the session that the command is being sent.
func (t *try) touchSession() {
	if t.session == nil {
		return
	}
	t.session.Server().Touch(t.began)
	if t.first {
		t.session.Transaction().Begun()
	}
}

// keepsConnection reports whether the cursor of a reply needs the connection. Behind a load balancer, no other
// connection leads to the router with the cursor. A transaction keeps its own connection.
func (t *try) keepsConnection(reply bson.Raw) bool {
	return t.op.Cursor && t.owned && t.pooled.ServiceID() != nil && cursorOpen(reply)
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
	const most = int64(math.MaxInt64 / time.Minute) // the server's number must not cause an overflow
	return time.Duration(max(0, min(*d.LogicalSessionTimeoutMinutes, most))) * time.Minute
}

// readPreferenceMode is the mode that applies. It is primary if none is set.
func readPreferenceMode(rp *options.ReadPreference) options.ReadPreferenceMode {
	if rp == nil || rp.Mode == 0 {
		return options.Primary
	}
	return rp.Mode
}
