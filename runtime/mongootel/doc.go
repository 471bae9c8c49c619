// Package mongootel traces a client with OpenTelemetry.
//
//	client, err := mongo.Connect(ctx, uri, &options.Client{
//		Tracing: &options.Tracing{Tracer: mongootel.New()},
//	})
//
// There is a span for each operation, inside it one for each command that the operation sends, retries included, and
// around the operations of a transaction one for the transaction. Sensitive commands, such as those of authentication,
// have none. The spans go to the tracer provider that the program has set up; this package configures nothing.
//
// Two environment variables speak for options that a program leaves out: OTEL_GO_INSTRUMENTATION_MONGODB_ENABLED turns
// tracing on or off, and OTEL_GO_INSTRUMENTATION_MONGODB_QUERY_TEXT_MAX_LENGTH says how much of a command its span shows.
//
// It is a module of its own, so that only programs that trace depend on OpenTelemetry. What spans are called and which
// attributes they have is decided in generated/core/trace.
package mongootel
