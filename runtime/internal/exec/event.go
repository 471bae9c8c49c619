package exec

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// locate fills in where the operation is.
func (e *execution) locate(event *operation.Event, what operation.What) {
	event.What, event.Kind, event.Binding = what, e.try.kind, e.binding()
	wireVersion, t := int32(0), &e.try
	if t.wire != nil {
		wireVersion = t.wire.Hello().MaxWireVersion
		if t.sessionsSupported() {
			event.Sessions = operation.HasSessions
			if event.Kind != operation.StandaloneServer {
				event.Numbers = operation.TakesNumbers
			}
		}
	}
	if wire.RetryableWriteLabel.In(wireVersion) {
		event.Labelling = operation.ServerLabels
	}
	if wire.SnapshotReads.In(wireVersion) {
		event.Snapshots = operation.HasSnapshots
	}
	if what == operation.Encoded {
		if items, ok := e.op.Command.(retryables); ok {
			event.Items = itemsOf(items, e.op.From, t.sent)
		}
	}
}

// kindOf says what a server is, or was before it became Unknown.
func kindOf(server *topology.Server) operation.Kind {
	switch server.Type() {
	case description.Mongos:
		return operation.RouterServer
	case description.LoadBalancer:
		return operation.BalancedRouter
	case description.Standalone:
		return operation.StandaloneServer
	}
	return operation.MemberServer
}

// binding says who has chosen the server.
func (e *execution) binding() operation.Binding {
	switch {
	case e.joined() && e.session.PinnedServer() != nil:
		return operation.TransactionPin
	case e.op.Conn != nil:
		return operation.CursorConnection
	case e.op.Server != nil:
		return operation.CursorServer
	}
	return operation.Unbound
}

// timeLeft says what is left of the operation's time.
func (e *execution) timeLeft(ctx context.Context) operation.Time {
	switch {
	case Expired(ctx):
		return operation.TimeOver
	case e.course.State.Stage == operation.AtCheckOut && !e.try.searchEnds.IsZero() && !time.Now().Before(e.try.searchEnds):
		return operation.SearchOver
	}
	return operation.TimeLeft
}

// sessionsSupported reports whether the server has logical sessions.
func (t *try) sessionsSupported() bool {
	return t.wire.Hello().LogicalSessionTimeout != nil || t.pooled.ServiceID() != nil
}

// itemsOf asks a command about n of its items.
func itemsOf(items retryables, from, n int) operation.Items {
	if items.RetryableItems(from, n) {
		return operation.ItemsRetryable
	}
	return operation.ItemsForbid
}
