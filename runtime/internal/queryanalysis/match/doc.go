// Package match analyses filters: it marks the literals that are compared with encrypted fields, and refuses operators that
// encrypted fields do not support. It does no I/O; only query analysis imports it.
package match
