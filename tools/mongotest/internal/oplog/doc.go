// Package oplog writes the entries of a store as documents of local.oplog.rs. Their ops are i, u, d, c and n. What a
// transaction of several commands wrote becomes an applyOps.
//
// Left out are statement ids, and the entries that servers log at the start and end of an index build; here an index is
// one createIndexes.
package oplog
