package tracing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/generated/core/trace"
	"github.com/specdrivers/onion/generated/options"
)

// Settings say what a client traces.
type Settings struct {
	Tracer             options.Tracer // nil when nothing is traced
	QueryTextMaxLength int            // how much of a command AttrQueryText shows; 0 leaves it out
	Comment            bool           // commands carry the traceparent of their span as their comment
}

// NewSettings decides what a client traces. Options come before the environment. A Tracer is enough to turn tracing on,
// unless the environment says otherwise.
//
// Specification: open-telemetry/open-telemetry.md, "Enabling, Disabling, and Configuring OpenTelemetry".
func NewSettings(o *options.Tracing, getenv func(string) string) Settings {
	if o == nil || o.Tracer == nil {
		return Settings{}
	}
	enabled := true
	if value := getenv(trace.EnvEnabled); value != "" {
		enabled = slices.Contains(trace.EnabledValues(), strings.ToLower(value))
	}
	if o.Enabled != nil {
		enabled = *o.Enabled
	}
	if !enabled {
		return Settings{}
	}
	s := Settings{Tracer: o.Tracer, QueryTextMaxLength: trace.DefaultQueryTextMaxLength, Comment: o.SpanComment != nil && *o.SpanComment}
	if n, err := strconv.Atoi(getenv(trace.EnvQueryTextMaxLength)); err == nil {
		s.QueryTextMaxLength = n
	}
	if o.QueryTextMaxLength != nil {
		s.QueryTextMaxLength = *o.QueryTextMaxLength
	}
	return s
}
