package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// Pool is a pool of connections to one server. Its methods may be called from any goroutine.
type Pool[C Conn] struct {
	cfg Config[C]
	lim limits

	transition chan struct{} // held by Ready, Clear and Close until their events are delivered

	mu         sync.Mutex
	state      cmap.PoolState
	announcing bool // PoolReady is not delivered yet: check-outs wait, no connection is created
	generation uint64
	cause      error            // what cleared the pool
	available  []*Connection[C] // established and not in use; the most recently used one is last
	waiting    waitQueue[C]     // empty unless no connection is available and none can be created
	all        connectionList[C]
	total      int  // connections that are not closed, and granted places
	pending    int  // how many of the total are not yet established
	populating bool // a goroutine is establishing connections up to minPoolSize
	lastID     int64
	runs       uint64        // ticks of the background goroutine: a clock that is free for check-ins
	pinned     [pinKinds]int // connections in use by reason
	services   map[bson.ObjectID]*service

	spare      sync.Pool     // waiters that are not in use
	wake       chan struct{} // asks for a background run
	background sync.WaitGroup
	ctx        context.Context // ends when the pool is closed; for background work
	cancel     context.CancelFunc
}

// Address is the address of the pool's server.
func (p *Pool[C]) Address() string { return p.cfg.Address }

// Connection is a connection of a pool. Between CheckOut and CheckIn only the goroutine that checked it out may use it.
type Connection[C Conn] struct {
	// Conn is what Config.Connect returned.
	Conn C

	pool       *Pool[C]
	id         int64
	generation uint64
	service    *service // nil unless load balanced
	created    time.Time

	opened      bool // Conn is set
	inUse       atomic.Bool
	interrupted atomic.Bool

	// The pool's mutex guards the fields below.
	pin       Pin
	pending   bool
	finishing bool                    // it was checked in, and a late reply is outstanding
	cancel    context.CancelCauseFunc // ends the establishment while the connection is pending
	idleSince time.Time
	idleRun   uint64 // the value of Pool.runs when it became available
	prev      *Connection[C]
	next      *Connection[C]
}

// Pin says what keeps a connection checked out beyond one operation.
type Pin uint8

// These are the reasons for keeping a connection. The error of a check-out that times out lists them.
const (
	NotPinned Pin = iota
	PinnedByCursor
	PinnedByTransaction

	pinKinds = iota
)

// connectionList holds every connection of a pool that is not closed.
type connectionList[C Conn] struct{ first *Connection[C] }

// service is one service behind a load balancer. The pool's mutex guards it.
type service struct {
	id          bson.ObjectID
	generation  uint64
	connections int
	cause       error // the reason for the last clear
}

// waiter is a check-out that waits for its turn.
type waiter[C Conn] struct {
	granted chan grant[C] // capacity 1: granting never blocks
	prev    *waiter[C]
	next    *waiter[C]
	queued  bool
	spare   poison.Mark
	since   time.Time // when it began to wait
}

// grant ends the wait with a connection, with the right to create one, or with an error.
type grant[C Conn] struct {
	conn *Connection[C]
	err  error // nil with a nil conn: a connection may be created, and its place is already counted
}

// waitQueue is a first-in, first-out queue whose members can leave at any time. The pool's mutex guards it.
type waitQueue[C Conn] struct {
	first, last *waiter[C]
	length      int
}
