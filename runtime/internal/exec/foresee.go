package exec

import (
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// foresee describes, for a try that failed before it had a connection and so a message, what the message would have
// been: whether the server takes transaction numbers, and which items it would have held. The limits that the server
// had when it was selected decide how many.
//
// Retryable Writes, "Supported Server Versions" and "Supported Write Operations".
func (e *execution) foresee(event *operation.Event) {
	t := &e.try
	if t.wire != nil || t.chosen == nil || !takesTxnNumbers(t.chosen) {
		return
	}
	event.Numbers = operation.TakesNumbers
	items, ok := e.op.Command.(retryableItems)
	if !ok || e.course.State.Policy != operation.NotRetried {
		return
	}
	t.limits = limitsOf(t.chosen)
	if e.countItems() == nil {
		event.Items = itemsOf(items, e.op.From, t.sent)
	}
}

// countItems writes the command into memory of its own to find out how many items the message takes.
func (e *execution) countItems() error {
	env := e.environment(e.try.chosen.MaxWireVersion)
	if e.encrypts() {
		_, err := e.appendWhole(nil, env)
		return err
	}
	msg, err := e.op.Command.Append(make([]byte, wire.HeaderSize), env)
	if err == nil {
		_, err = e.appendSequences(msg, inSections, len(msg)+1-wire.HeaderSize, env)
	}
	return err
}

// takesTxnNumbers reports whether a server supports retryable writes, as far as its monitor knows. Behind a load
// balancer there is no monitor.
func takesTxnNumbers(s *description.Server) bool {
	return s.Type == description.LoadBalancer || s.Type != description.Standalone && s.LogicalSessionTimeoutMinutes != nil
}

// limitsOf returns the limits in the reply to a monitor, within the bounds that connections apply.
func limitsOf(s *description.Server) *conn.Hello {
	within := func(n, byDefault, most int32) int32 {
		if n <= 0 {
			return byDefault
		}
		return min(n, most)
	}
	return &conn.Hello{
		MaxBSONObjectSize:   within(s.MaxBSONObjectSize, wire.DefaultMaxBSONObjectSize, wire.GreatestMaxBSONObjectSize),
		MaxMessageSizeBytes: within(s.MaxMessageSizeBytes, wire.DefaultMaxMessageSizeBytes, wire.GreatestMaxMessageSizeBytes),
		MaxWriteBatchSize:   within(s.MaxWriteBatchSize, wire.DefaultMaxWriteBatchSize, wire.GreatestMaxWriteBatchSize),
	}
}
