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
//   - Each pool has the goroutines that package pool describes.
//
// Every goroutine ends with the topology's context, and Close waits for them. Operations bring their own goroutines:
// what they learn from an error, they report themselves, through HandleError.
//
// # The snapshot and its changes
//
// The current description, with the servers it names, is one immutable snapshot behind an atomic pointer. Selecting a
// server reads it and takes no lock. If no server fits, selection asks for checks and waits for the channel that the
// next change closes; it reads the channel from the snapshot that it has looked at, so no change can slip in between.
//
// Whatever changes the description goes through update, one change at a time:
//
//  1. sdam computes the next description and its effects from the current one.
//  2. The pools of servers that have become usable are made ready.
//  3. The new snapshot is stored. From here on, selection sees it.
//  4. The events are published, in the order in which sdam gives them.
//  5. Pools are cleared, monitors of new servers start, monitors of removed servers stop, checks are requested.
//
// The order of 2, 3 and 5 keeps a server from being selected while its pool is still paused, and its pool from being
// cleared while operations still select it for what it was.
//
// # Invariants
//
//   - A snapshot never changes after it is stored. Whoever keeps one may read it for ever.
//   - Two effects of different changes never mix: the second change waits for the first one's last effect.
//   - An error acts once. sdam ignores errors of an older generation or topologyVersion than the description's own.
//   - Heartbeat events come in pairs, even when the monitor is stopped in the middle of a check.
//   - Listeners are called by the goroutine that changes the description, so they must return soon and must not use the
//     client. A listener that panics is logged and survived (package observe).
//   - A server that has left the topology may still be in use by whoever holds it; its pool is closed and says so.
//
// Everything waits on channels only, so testing/synctest can drive time.
package topology
