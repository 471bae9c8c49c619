// Package topology keeps a client's view of its deployment current and finds servers for its operations. It has a
// monitor and a pool for each server, the server selection loop, and the polling of SRV records.
//
// Package sdam decides what a check or an error means, and package selection decides which server is suitable. This
// package has the goroutines, the time and the connections. Its rules for concurrency are:
//
//   - The current description, with the servers it names, is one immutable snapshot behind an atomic pointer. Selecting a
//     server reads it and takes no lock.
//   - Changes go through update, one at a time. It carries the effects of a change out before the next change: pools are
//     made ready before a server can be selected and are cleared once it no longer can; events are published in the
//     order in which sdam gives them.
//   - Listeners are called by the goroutine that changes the description, so they must return soon and must not use the
//     client. A listener that panics is logged and survived (package observe).
//   - Every goroutine ends with the topology's context; Close waits for them.
//
// Waiting is done on channels only, so that testing/synctest can drive time.
package topology
