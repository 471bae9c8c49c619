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
// closed or a goroutine waits. Goroutines wait on channels. A second lock, the channel transition, serializes Ready,
// Clear, ClearService and Close together with their events: an observer never sees the event of a later clear before
// the event of an earlier one. A listener must return soon and must not call the pool.
//
// # Goroutines
//
// A pool has one goroutine of its own, maintain. It closes idle connections that have perished. It also starts a
// goroutine that fills the pool up to minPoolSize, unless one is at work. If an operation stopped waiting for a reply,
// CheckIn starts a goroutine that reads the reply to its end, for a second at most; the connection counts as in use
// until then. Everything else runs on the goroutine of the caller: a check-out establishes its connection itself, so an
// operation's context ends the work that the operation caused, and Clear interrupts connections itself.
//
// # Closing
//
// Close takes the lock for transitions and, under the mutex, closes the pool, takes all waiters and available
// connections, and cancels the connections that are being established. Then, without the mutex, it ends the context of
// the background goroutines, interrupts the connections in use if it was asked to, gives each waiter its error, closes
// the available connections, waits for the background goroutines and publishes the closing event. A connection that is
// in use is closed at its check-in.
//
// # The life of a connection
//
// A check-out takes the connection that was used last, because it is the least likely to have been closed by the
// server. If there is none it takes a place: the right to establish a connection. There are maxPoolSize places, and at
// most maxConnecting connections are established at a time. If there is no place either, the check-out waits in the
// queue. Whoever frees a connection or a place assigns it, under the mutex, to the first waiter. Waiters never race for
// one, so a later check-out cannot overtake an earlier one, and a grant that arrives while its waiter gives up is used
// and not lost.
//
// CheckIn judges a connection by its state at that moment. It closes a broken, stale or interrupted connection, and one
// that still holds something of its operation.
//
// # Invariants
//
//   - total counts every connection that is not closed, and never exceeds maxPoolSize. A closed connection leaves the
//     count after its event, so an observer who counts events sees no more than the limit either.
//   - A connection belongs to one generation for life. Clear only raises the pool's generation and asks for a background
//     run: that run or the next check-out finds that a connection is stale, and closes it.
//   - Only a ready pool hands out or creates connections. The state is checked again once a connection is established,
//     because the pool may have been cleared meanwhile.
//   - The error of a check-out that ran out of time says nothing about the server. It never clears the pool.
//
// Topology and tests may import the package. It imports fault and generated code.
package pool
