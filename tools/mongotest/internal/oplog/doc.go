// Package oplog writes the entries of a store as the documents that local.oplog.rs has on a server: i, u, d, c and n, and
// applyOps for what a transaction of several commands wrote.
//
// Left out: the index builds of servers, which log how they start and end, and statement ids; an index is one createIndexes.
package oplog
