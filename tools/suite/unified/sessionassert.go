package unified

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
)

// AssertSessionTransactionState asserts the state of the session's transaction.
func (s *Session) AssertSessionTransactionState(want string) {
	s.run.t.Helper()
	if got := strings.ReplaceAll(s.session.TransactionState().String(), " ", "_"); got != want {
		s.run.failf("the transaction is %s, want %s", got, want)
	}
}

// pinnedTo returns what the session is pinned to, empty when it is pinned to nothing.
func (s *Session) pinnedTo() string { return s.session.PinnedServer() }

// AssertSessionPinned asserts that the session is pinned to a server.
func (s *Session) AssertSessionPinned() {
	s.run.t.Helper()
	if s.pinnedTo() == "" {
		s.run.failf("the session is not pinned")
	}
}

// AssertSessionUnpinned asserts that the session is pinned to no server.
func (s *Session) AssertSessionUnpinned() {
	s.run.t.Helper()
	if to := s.pinnedTo(); to != "" {
		s.run.failf("the session is pinned to %s", to)
	}
}

// AssertSessionDirty asserts that the session will not be used again.
func (s *Session) AssertSessionDirty() {
	s.run.t.Helper()
	if !s.session.Dirty() {
		s.run.failf("the session is not dirty")
	}
}

// AssertSessionNotDirty asserts that the session may be used again.
func (s *Session) AssertSessionNotDirty() {
	s.run.t.Helper()
	if s.session.Dirty() {
		s.run.failf("the session is dirty")
	}
}

// TargetedFailPoint sets a fail point on the router that the session is pinned to.
func (s *Session) TargetedFailPoint(point bson.D) {
	s.run.t.Helper()
	to := s.pinnedTo()
	if to == "" {
		s.run.failf("the session is not pinned to a router")
	}
	direct, err := mongo.Connect(s.run.ctx, s.run.deployment.host(to), s.run.deployment.options())
	s.run.must(err, "connect to "+to)
	p := &failPoint{client: direct, point: point, owned: true}
	s.run.must(direct.Database("admin").RunCommand(s.run.ctx, point).Err(), "set the fail point")
	s.client.failPoints = append(s.client.failPoints, p)
	if s.run.deployment.fresh {
		_ = direct.Close(context.Background())
	}
}

// clusterTime returns the cluster time that the run's own client has come to, nil where there is none.
func (r *Run) clusterTime() bson.Raw {
	reply, err := r.internal.Database("admin").RunCommand(r.ctx, bson.Doc("ping", 1)).Raw()
	r.must(err, "read the cluster time")
	t, _ := reply.Lookup("$clusterTime").DocumentOK()
	return t
}
