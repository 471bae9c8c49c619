package options

import (
	"context"
	"time"
)

// Tracer makes the spans of a client. The package mongootel has one for OpenTelemetry. It must be safe for concurrent use.
type Tracer interface {
	// Start begins a child of the span that ctx carries: at the time began, or now if that is zero. Every span has the
	// kind client. Start does not keep attributes.
	Start(ctx context.Context, name string, began time.Time, attributes []SpanAttribute) Span
}

// Span is an operation, a command or a transaction that a Tracer follows.
type Span interface {
	// Context returns ctx with the span in it. Spans that begin with that context are children of the span.
	Context(ctx context.Context) context.Context

	// Traceparent identifies the span in the form of the W3C's traceparent header. It is empty when there is nothing to
	// refer to.
	Traceparent() string

	// SetAttributes adds attributes. It does not keep the slice.
	SetAttributes(attributes []SpanAttribute)

	// End ends the span and records the error, if there is one.
	End(err error)
}

// SpanAttribute is an attribute of a span: a text, or a number when IsNumber is set.
type SpanAttribute struct {
	Key      string
	Text     string
	Number   int64
	IsNumber bool
}
