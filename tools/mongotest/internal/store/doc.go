// Package store keeps the databases of a deployment: documents, indexes, an oplog, and the recent states.
//
// A Snapshot is one immutable state; reading it takes no lock. All writes go through a Txn, which works on a copy that
// shares everything it does not change. Every committed write has a timestamp and an oplog entry. Store knows nothing
// about commands or the query language. For a partial index, its creator supplies the function that selects documents.
package store
