// Package hostile serves tests of the driver, not users: it plays servers that lie, break the protocol or never end: its
// Peer answers a driver over a real socket with whatever a test tells it to. The tests of the package attack the driver
// through its public API. Each attack must end in an error within the deadline, leave no goroutine and no connection behind,
// and allocate no more than honest replies would. Only tests and tools import it.
package hostile
