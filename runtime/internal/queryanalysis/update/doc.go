// Package update analyses updates: it marks the values of encrypted fields in operators and replacement documents, and refuses
// operators that encrypted fields do not support. It does no I/O; only query analysis imports it.
package update
