package mongootel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
)

// scope identifies the driver. OpenTelemetry, "Tracer Attributes".
const scope = "github.com/specdrivers/onion/runtime/mongo"

// New returns a tracer for options.Tracing. It uses the tracer provider of the program, otel.GetTracerProvider, unless
// one is given. A provider that the program sets later counts, too.
func New(provider ...trace.TracerProvider) options.Tracer {
	p := otel.GetTracerProvider()
	if len(provider) > 0 && provider[0] != nil {
		p = provider[0]
	}
	return tracer{p.Tracer(scope, trace.WithInstrumentationVersion(conn.DriverVersion))}
}

type tracer struct{ otel trace.Tracer }

// Start begins a span of kind client.
func (t tracer) Start(ctx context.Context, name string, began time.Time, attributes []options.SpanAttribute) options.Span {
	_, s := t.otel.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(convert(attributes)...),
		trace.WithTimestamp(began)) // the zero time is none
	return span{s}
}

type span struct{ otel trace.Span }

// Context returns ctx with the span in it.
func (s span) Context(ctx context.Context) context.Context { return trace.ContextWithSpan(ctx, s.otel) }

// Traceparent returns the value of the W3C header traceparent, or "" if the span is not valid.
func (s span) Traceparent() string {
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.otel), header)
	return header.Get("traceparent")
}

// SetAttributes adds attributes to the span.
func (s span) SetAttributes(attributes []options.SpanAttribute) {
	s.otel.SetAttributes(convert(attributes)...)
}

// End ends the span, and records err as an exception.
func (s span) End(err error) {
	if err != nil {
		s.otel.RecordError(err)
		s.otel.SetStatus(codes.Error, err.Error())
	}
	s.otel.End()
}

func convert(attributes []options.SpanAttribute) []attribute.KeyValue {
	list := make([]attribute.KeyValue, len(attributes))
	for i, a := range attributes {
		if a.IsNumber {
			list[i] = attribute.Int64(a.Key, a.Number)
		} else {
			list[i] = attribute.String(a.Key, a.Text)
		}
	}
	return list
}
