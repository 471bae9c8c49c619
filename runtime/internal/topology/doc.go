// Package topology keeps a client's view of its deployment current and finds servers for its operations. It has a
// monitor and a pool for each server, the server selection loop, and the polling of SRV records.
//
// Package sdam decides what a check or an error means, and package selection decides which server is suitable. This
// package has the goroutines, the time and the connections.
//
// # Goroutines
//
//   - Each server has a monitor. It checks the server on a connection that is never authenticated: it asks and waits
//     for heartbeatFrequencyMS, or reads what the server streams.
//   - While a monitor streams, a second goroutine measures round trip times on a connection of its own: a reply that the
//     server has held back says nothing about the network.
//   - A client with an SRV name has one goroutine that looks the records up again.
//   - Each pool has the goroutines that package pool describes. When a server leaves the topology, a goroutine closes its
//     pool, because the one that changes the description must not wait for that.
//   - A check, a ping, an attempt to connect or authenticate, and the reading of a late reply run in a short-lived
//     goroutine, for which the caller waits (callback.RunInGoroutine): a connection of the program may end that goroutine,
//     and the monitor or the pool survives.
//
// Operations run on the goroutines of their callers, which also report their errors, through HandleError.
//
// # Locks
//
// The channel turn is the lock of whoever changes the description: update and shutDown hold it from the computation of
// the next description to its last effect. The mutex of a monitor guards the cancellation of its check, and that of an
// rttMonitor its samples; every other field of theirs belongs to the monitor's goroutine.
//
// # Closing
//
// Close ends the topology's context, which ends checks, searches for servers and SRV look-ups, and makes update return
// without a change. A goroutine then waits for the monitors, so that no heartbeat follows the closing events, publishes
// these events, closes every pool with the connections in use, and waits for the pools. Close returns once it is done,
// or when its own context ends: then that goroutine goes on.
//
// # The snapshot and its changes
//
// The current description, with the servers it names, is one immutable snapshot behind an atomic pointer. Selecting a
// server reads it and takes no lock. If no server fits, selection asks for checks and waits for the channel that the
// next change closes; it reads the channel from the snapshot that it has looked at, so no change can slip in between.
//
// Every change of the description before Close goes through update, one at a time:
//
//  1. sdam computes the next description and its effects from the current one.
//  2. The pools of servers that have become usable are made ready.
//  3. The new snapshot is stored. From here on, selection sees it.
//  4. The events are published, in the order in which sdam gives them.
//  5. Pools are cleared, monitors of new servers start, monitors of removed servers stop, checks are requested.
//
// Because of the order of 2, 3 and 5, no server is selected while its pool is still paused, and no pool is cleared
// while operations can still select its server by the old description.
//
// # Invariants
//
//   - A snapshot never changes after it is stored, so a reader may keep it.
//   - The effects of two changes never mix: the second change waits for the last effect of the first.
//   - An error acts once. sdam ignores errors of an older generation or topologyVersion than the description's own.
//   - Heartbeat events come in pairs, even when the monitor is stopped in the middle of a check.
//   - Listeners are called by the goroutine that changes the description, so they must return soon and must not use the
//     client. A listener that panics is logged and survived (package observe).
//   - A server that has left the topology stays safe to use, but its pool is closed and returns an error.
//
// Goroutines wait on channels and wait groups only, so testing/synctest can drive time.
package topology
