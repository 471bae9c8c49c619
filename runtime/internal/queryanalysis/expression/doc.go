// Package expression analyses aggregation expressions: it marks literals that are compared with encrypted fields, says whether
// a result is encrypted, and refuses what would compute with an encrypted value. It does no I/O; only query analysis imports it.
package expression
