package exec

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
)

// noteServer keeps the type of the server. A server that was Unknown may have become known through a connection to it.
func (t *try) noteServer() {
	if !t.serverType.IsAvailable() {
		t.serverType = t.server.Type()
	}
	t.known.Kind = kindOf(t.serverType)
}

// noteConnection keeps what the server at the other end of the connection supports.
func (t *try) noteConnection() {
	t.limits = t.wire.Hello()
	if t.limits.LogicalSessionTimeout != nil || t.pooled.ServiceID() != nil {
		t.known.Sessions = operation.HasSessions
		if t.known.Kind != operation.StandaloneServer {
			t.known.Numbers = operation.TakesNumbers
		}
	}
	if wire.RetryableWriteLabel.In(t.limits.MaxWireVersion) {
		t.known.Labelling = operation.ServerLabels
	}
	if wire.SnapshotReads.In(t.limits.MaxWireVersion) {
		t.known.Snapshots = operation.HasSnapshots
	}
}

func kindOf(server description.ServerType) operation.Kind {
	switch server {
	case description.Mongos:
		return operation.RouterServer
	case description.LoadBalancer:
		return operation.BalancedRouter
	case description.Standalone:
		return operation.StandaloneServer
	}
	return operation.MemberServer
}

// binding returns what chose the server: selection, a cursor or a transaction.
func (e *execution) binding() operation.Binding {
	switch {
	case e.belongsToTransaction() && e.session.PinnedServer() != nil:
		return operation.TransactionPin
	case e.op.Conn != nil:
		return operation.CursorConnection
	case e.op.Server != nil:
		return operation.CursorServer
	}
	return operation.Unbound
}

// timeLeft returns how much of the operation's time is left.
func (e *execution) timeLeft(ctx context.Context) operation.Time {
	switch {
	case Expired(ctx):
		return operation.TimeOver
	case e.course.State.Stage == operation.AtCheckOut && !e.try.searchEnds.IsZero() && !time.Now().Before(e.try.searchEnds):
		return operation.SearchOver
	}
	return operation.TimeLeft
}

// itemsOf asks a command about n of its items.
func itemsOf(items retryableItems, from, n int) operation.Items {
	if items.RetryableItems(from, n) {
		return operation.ItemsRetryable
	}
	return operation.ItemsForbid
}
