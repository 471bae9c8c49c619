// Package mongootel traces a client with OpenTelemetry.
//
//	client, err := mongo.Connect(ctx, uri, &options.Client{
//		Tracing: &options.Tracing{Tracer: mongootel.New()},
//	})
//
// Each operation has a span. Inside it, each command that the operation sends has one, retries included. A transaction
// has a span around the spans of its operations. Sensitive commands, such as saslStart, have none. The spans go to the
// tracer provider that the program has set up; this package configures nothing.
//
// Two environment variables set options that a program leaves out: OTEL_GO_INSTRUMENTATION_MONGODB_ENABLED turns
// tracing on or off, and OTEL_GO_INSTRUMENTATION_MONGODB_QUERY_TEXT_MAX_LENGTH says how much of a command its span shows.
//
// It is a module of its own, so only programs that trace depend on OpenTelemetry. The package runtime/internal/tracing
// decides the names and attributes of spans. runtime/mongo/guide/observing.md is the guide.
package mongootel
