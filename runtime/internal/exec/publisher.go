package exec

import (
	"sync/atomic"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/observe"
	"github.com/specdrivers/onion/runtime/internal/tracing"
)

// Publisher reports commands to listeners, the log and the tracer. Without any of them it costs one comparison.
type Publisher struct {
	Events  observe.Commands
	Tracing tracing.Settings

	operations atomic.Int64
}

// note holds what the events of one command share. Its exchange is nil without a listener.
type note struct {
	exchange  *observe.Exchange
	sensitive bool
	span      options.Span // nil without tracing
}

// NextOperation returns the next operation number. All commands of an operation share the number.
func (p *Publisher) NextOperation() int64 { return p.operations.Add(1) }
