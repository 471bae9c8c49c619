// Package engine runs the data commands of the in-memory server: it reads a command document, works on a store, and
// appends the elements of the reply.
//
// It knows nothing of connections, authentication, session lifetimes, read and write concerns or fail points. The layer
// above checks those, and adds ok, operationTime and $clusterTime to the reply. The protocol between the two:
//
//   - Commands lists what the engine runs. Run appends the reply's elements (no document frame) to a buffer, or returns
//     an error that status.From turns into code, name and labels.
//
//   - Request carries the command and its surroundings. Snapshot is the state to read (nil: the latest), Txn the open
//     transaction (nil: none), Retry the executed statements of a retryable write (nil: not retryable).
//
//   - After a write, Request.Applied is the time of its commit.
//
//   - The context's deadline is the command's time limit: past it the command fails with MaxTimeMSExpired.
//
//   - A write that meets a document of an open transaction waits for that transaction to end, as long as the context
//     lasts. Inside a transaction it fails with WriteConflict and the label TransientTransactionError.
//
//   - Expire runs one pass over the TTL indexes. Cursors closes the cursors of a session, idle cursors, or all.
//
// A change stream is a live source (see cursor.go and follow.go). It reads store.Oplog up to the last entry that a
// majority has, and supplies the reply's postBatchResumeToken.
//
// One Engine may be used by any number of goroutines.
package engine
