// Package exec runs operations. It is the only place that selects a server, checks out a connection, writes a command,
// and reads its reply. It does not decide: generated decisions (generated/core/operation and its neighbours, asked
// through package decide) say what comes next, and exec does it and reports what happened.
//
// The form of a command is generated, too (generated/core/command). Package mongo, the only importer, turns the outcome
// into the results of its methods.
//
// # One operation
//
// An execution is the state of one operation, and follow is its loop. The first event is Begun. Each verdict names one
// step (select, check out, encode, send, authenticate, pause) and each step ends in one event, until a verdict says
// Return:
//
//	Begun -> Select -> CheckOut -> Encode -> Send -> Return
//	            ^                              |
//	            +-- Pause <---- Failed <-------+   from any step
//
// A failure is reported twice. As Stumbled it asks whether the same try can go on: with another transaction number, or
// after the connection has authenticated again. As Failed it asks everything else at once: which labels the error gets,
// which error the caller will see, whether session, connection, pool and server suffer, and whether there is another
// try. fail carries the answers out in this order, because the topology must know about a broken server before the
// connection goes back, and the pin of a transaction must go last.
//
// # Who owns what
//
// A try owns its server, its connection and its message. A cursor or a transaction may lend it a connection, which it
// then does not give back. The execution owns what outlives a try: the session, the transaction number, the servers to
// avoid and the error to report.
//
// # Goroutines and locks
//
// The package starts no goroutine. An operation runs on the goroutine of its caller, and so does a Cleanup, such as
// killCursors: package mongo starts a goroutine for one that goes on after its call has returned. Close calls Wait,
// which returns once no operation and no cleanup is counted any more, or when its context ends. One caller at a time
// may wait.
//
// An Executor's counts are atomic. A slot of the running operations has a lock, which operations only try to take: one
// that finds no free slot runs without. A session or an Operation belongs to one goroutine at a time.
//
// # Invariants
//
//   - Every way out gives the connection back, a panic in a method of the program's own document included.
//   - A retry of a write carries the number of its first try. A number that reached no server is used again.
//   - Nothing is sent that cannot be answered before the deadline.
//   - A reply is checked to its last element before anything looks a field up in it: a look-up stops silently at a
//     malformed element, and what follows, such as write errors, would seem to be absent.
package exec
