// Package pool is a connection pool as the Connection Monitoring and Pooling (CMAP) specification defines it: paused,
// ready and closed states, generations (also per service behind a load balancer), a fair wait queue, a limit on the
// connections that are established at a time, background population and removal, and events in the specified order.
//
// A pool knows nothing of MongoDB's protocol: the functions in Config connect and authenticate, and what they return
// only has to be a Conn. It knows nothing of the topology either: who owns the pool calls Ready and Clear, and is told
// of failures through Config.OnEstablishError.
//
// Locking: one mutex guards the state; it is held for a few instructions and never while an event is delivered, a
// connection is closed or a goroutine waits. Waiting is done on channels. Ready, Clear and Close are serialized with
// their events by a second lock, which is a channel. A listener must return soon and must not call the pool.
//
// The package may be imported by the topology and by tests; it imports fault and generated code.
package pool
