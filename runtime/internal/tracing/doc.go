// Package tracing decides what a client traces, and the name and attributes of each span. It makes no span: package exec does,
// with the client's Tracer.
package tracing
