package mongo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/concern"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/option"
	"github.com/specdrivers/onion/runtime/internal/session"
)

// Session groups operations. Each operation sees what earlier ones in the session did. Operations can also form a
// transaction, or all read from one snapshot. An operation is part of a session when its context carries the session:
// see [NewSessionContext] and [Client.UseSession].
//
// A session is used by one goroutine at a time. EndSession must be called.
type Session struct {
	client  *Client
	state   *session.Client
	options options.Session
}

// Errors from the misuse of sessions.
var (
	// ErrWrongClient is returned by an operation whose context carries a session of another client.
	ErrWrongClient = errors.New("mongo: the session in the context belongs to another client: start one with this client")

	errSnapshotCausal = errors.New(
		"mongo: a session cannot be both causally consistent and a snapshot: set one of CausalConsistency and Snapshot")
	errSnapshotTime        = errors.New("mongo: SnapshotTime needs Snapshot: set both")
	errSnapshotTransaction = errors.New(
		"mongo: " + txn.TransactionInSnapshot() + ": start another session without Snapshot")
	errSessionEnded              = errors.New("mongo: the session has ended: start another one")
	errUnacknowledgedTxn         = errors.New("mongo: " + txn.UnacknowledgedWriteConcern())
	errWriteConcernInTransaction = errors.New("mongo: " + txn.WriteConcernInTransaction())

	errNoClusterTime = errors.New("mongo: the cluster time has no clusterTime: pass what ClusterTime of another session returned")
)

// StartSession starts a session. Nothing is sent. The caller ends it with EndSession.
//
// Use the session soon: the server discards idle sessions, and one from the client's pool may have little more than a
// minute left. An unacknowledged write in the session is an error.
func (c *Client) StartSession(opts ...*options.Session) (*Session, error) {
	if err := c.check(context.Background()); err != nil {
		return nil, err
	}
	if c.closed.Load() {
		return nil, ErrClientClosed
	}
	s := &Session{client: c}
	if o := mergeOptions(opts); o != nil {
		s.options = option.Copy(*o) // Sessions, "startSession": the program may change its struct
	}
	kind, err := sessionKind(&s.options)
	switch {
	case err != nil:
		return nil, err
	case option.Or(s.options.DefaultTimeout, 0) < 0:
		return nil, fault.ErrNegativeTimeout
	}
	if t := s.options.DefaultTransaction; t != nil && !concern.IsAcknowledged(t.WriteConcern) {
		return nil, errUnacknowledgedTxn
	}
	s.state = session.NewExplicit(c.exec.AcquireServerSession(), kind, option.Or(s.options.SnapshotTime, bson.Timestamp{}))
	c.explicit.Add(1)
	return s, nil
}

// sessionKind resolves the options that exclude each other.
func sessionKind(o *options.Session) (operation.SessionKind, error) {
	snapshot := option.Or(o.Snapshot, false)
	causal := option.Or(o.CausalConsistency, !snapshot)
	switch {
	case causal && snapshot:
		return 0, errSnapshotCausal
	case o.SnapshotTime != nil && !snapshot:
		return 0, errSnapshotTime
	case snapshot:
		return operation.SnapshotSession, nil
	case causal:
		return operation.CausalSession, nil
	}
	return operation.ExplicitSession, nil
}

// NumberSessionsInProgress is the number of sessions that the program has started and not ended.
func (c *Client) NumberSessionsInProgress() int {
	if c == nil || c.shared == nil {
		return 0
	}
	return int(c.explicit.Load())
}

type sessionKey struct{}

// NewSessionContext returns a context that makes operations part of a session. With a nil session, operations leave the
// session that ctx carries.
func NewSessionContext(ctx context.Context, s *Session) context.Context {
	if ctx == nil {
		return nil // the operations report the nil context
	}
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionFromContext returns the session that a context carries, or nil.
func SessionFromContext(ctx context.Context) *Session {
	if ctx == nil {
		return nil
	}
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// Client is the client that started the session.
func (s *Session) Client() *Client {
	if s == nil {
		return nil
	}
	return s.client
}

// ID is the document that identifies the session to the server, {id: UUID}.
func (s *Session) ID() bson.Raw {
	if !s.isStarted() {
		return nil
	}
	return s.state.Server().ID()
}

// ClusterTime is the latest $clusterTime document that the session has seen, nil when it has seen none.
func (s *Session) ClusterTime() bson.Raw {
	if !s.isStarted() {
		return nil
	}
	return s.state.Clock().ClusterTime()
}

// OperationTime is the operationTime that the server last sent in the session, or nil.
func (s *Session) OperationTime() *bson.Timestamp {
	if !s.isStarted() {
		return nil
	}
	if t := s.state.OperationTime(); t != (bson.Timestamp{}) {
		return &t
	}
	return nil
}

// SnapshotTime is the point in time that a snapshot session reads from, nil before its first read and for other
// sessions.
func (s *Session) SnapshotTime() *bson.Timestamp {
	if !s.isStarted() {
		return nil
	}
	if t := s.state.SnapshotTime(); t != (bson.Timestamp{}) {
		return &t
	}
	return nil
}

// AdvanceClusterTime advances the session's cluster time to the time of another session.
func (s *Session) AdvanceClusterTime(clusterTime bson.Raw) error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	if s.state.Ended() {
		return errSessionEnded
	}
	if _, _, ok := clusterTime.Lookup(wire.FieldClusterTimeTime).TimestampOK(); !ok {
		return errNoClusterTime
	}
	if !s.state.Clock().Advance(clusterTime) {
		return fmt.Errorf("mongo: the cluster time has %d bytes, more than %d: pass what ClusterTime of another session returned",
			len(clusterTime), txn.MaxClusterTimeSize)
	}
	return nil
}

// AdvanceOperationTime makes reads of a causally consistent session see what another session had done at that time.
func (s *Session) AdvanceOperationTime(t *bson.Timestamp) error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	if s.state.Ended() {
		return errSessionEnded
	}
	if t == nil {
		return errors.New("mongo: the operation time is nil: pass what OperationTime of another session returned")
	}
	s.state.AdvanceOperationTime(*t)
	return nil
}

// Ended reports whether EndSession was called.
func (s *Session) Ended() bool {
	if !s.isStarted() {
		return true
	}
	return s.state.Ended()
}

// Dirty reports whether a network error has left the server's state of the session unknown. The server session is then
// not reused after EndSession.
func (s *Session) Dirty() bool {
	if !s.isStarted() {
		return false
	}
	return s.state.Server().IsDirty()
}

// String names the session.
func (s *Session) String() string {
	if !s.isStarted() {
		return "<nil>"
	}
	return fmt.Sprintf("session %v", s.ID())
}

// timeout returns the timeout of commitTransaction, abortTransaction and WithTransaction: the session's, or else the
// client's.
//
// Client Side Operations Timeout, "Sessions".
func (s *Session) timeout() *time.Duration {
	if s.options.DefaultTimeout != nil {
		return s.options.DefaultTimeout
	}
	return s.client.scope.timeout
}

func (s *Session) check(ctx context.Context) error {
	if !s.isStarted() {
		return nilHandleError("session", "StartSession returns")
	}
	return checkContext(ctx)
}

// isStarted reports whether s is a session that StartSession made, neither nil nor the zero value.
func (s *Session) isStarted() bool { return s != nil && s.state != nil }
