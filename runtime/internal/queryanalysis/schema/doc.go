// Package schema compiles what a collection's JSON schema or encryptedFields say about encrypted fields into a tree of paths.
// A tree does not change once it is compiled, and several goroutines may use it. The pipeline of an aggregation derives new
// trees from it, one for the shape of the documents after each stage. The package does no I/O; only query analysis imports it.
package schema
