// Package pool is a connection pool as the Connection Monitoring and Pooling (CMAP) specification defines it: paused,
// ready and closed states, generations (also per service behind a load balancer), a fair wait queue, a limit on the
// connections that are established at a time, background population and removal, and events in the specified order.
//
// A pool knows nothing about MongoDB's protocol. The functions in Config connect and authenticate, and the values that
// they return only have to implement Conn. A pool knows nothing about the topology either. Its owner calls Ready and
// Clear, and learns about failures through Config.OnEstablishError.
//
// # Locks
//
// One mutex guards the state. It is held for a few instructions, and never while an event is delivered, a connection is
// closed or a goroutine waits. Goroutines wait on channels. A second lock, which is a channel, puts Ready, Clear and
// Close in one order with their events: an observer never sees the event of a later clear before the event of an
// earlier one. A listener must return soon and must not call the pool.
//
// # Goroutines
//
// A pool has one goroutine of its own, maintain. It closes idle connections that have perished, and starts another one
// that fills the pool up to minPoolSize. A connection whose operation stopped waiting for a reply is read to the end of
// that reply by a goroutine too, for a second at most, and counts as in use until then. Close waits for all of them.
// Everything else runs on the goroutine of the caller: a check-out establishes its connection itself, so an operation's
// context ends the work that the operation caused.
//
// # The life of a connection
//
// A check-out takes the connection that was used last, because it is the least likely to have been closed by the
// server. Without one it takes a place: the right to establish a connection. There are maxPoolSize places, and
// maxConnecting of them are in use at a time. Without a place it waits in the queue, and whoever frees a connection or
// a place hands it to the first waiter under the mutex. Nothing is put down for waiters to race for, so a later
// check-out cannot overtake an earlier one, and a grant that arrives while its waiter gives up is used and not lost.
//
// CheckIn decides about a connection by its state at that moment, and not by what the operation thought of it: a broken,
// stale or interrupted connection is closed, and so is one that still holds something of its operation.
//
// # Invariants
//
//   - total counts every connection that is not closed, and never exceeds maxPoolSize. A closed connection leaves the
//     count after its event, so an observer who counts events sees no more than the limit either.
//   - A connection belongs to one generation for life. Clear only raises the pool's: nothing walks the idle connections,
//     and each is found to be stale when it is looked at next.
//   - Only a ready pool hands out or creates connections. Whoever establishes one looks at the state again afterwards,
//     because the pool may have been cleared meanwhile.
//   - The error of a check-out that ran out of time says nothing about the server. It never clears the pool.
//
// Topology and tests may import the package. It imports fault and generated code.
package pool
