// Package store keeps the databases of a deployment: documents, indexes, an oplog, and every state they had lately.
//
// A Snapshot is one immutable state; reading takes no lock. All writes go through a Txn, which works on a copy that
// shares what it does not change, and every committed write has a timestamp and an oplog entry. Store knows nothing of
// commands or of the query language: what a partial index selects is a function that its maker supplies.
package store
