// Package pool is a connection pool as the Connection Monitoring and Pooling (CMAP) specification defines it: paused,
// ready and closed states, generations (also per service behind a load balancer), a fair wait queue, a limit on the
// connections that are established at a time, background population and removal, and events in the specified order.
//
// A pool knows nothing about MongoDB's protocol. The functions in Config connect and authenticate, and the values that
// they return only have to implement Conn. A pool knows nothing about the topology either. Its owner calls Ready and
// Clear, and learns about failures through Config.OnEstablishError.
//
// Locking: one mutex guards the state. It is held for a few instructions, and never while an event is delivered, a
// connection is closed or a goroutine waits. Goroutines wait on channels. A second lock, which is a channel, puts
// Ready, Clear and Close in one order with their events. A listener must return soon and must not call the pool.
//
// Topology and tests may import the package. It imports fault and generated code.
package pool
