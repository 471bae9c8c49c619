package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Conn is what a pool holds: an established connection.
type Conn interface {
	// Close closes the socket. The pool calls it while another goroutine uses the connection when it interrupts it.
	Close() error

	// Broken reports whether an error makes the connection unfit for another use.
	Broken() bool
}

// ProbedConn is a Conn that can tell whether the server has closed it.
type ProbedConn interface {
	Conn

	// Alive looks at the socket without waiting. The pool calls it before it hands out a connection that was idle for long.
	Alive() bool
}

// LateConn is a Conn that may come back while a reply is still on its way that its operation has given up.
type LateConn interface {
	Conn

	// Late reports whether there is such a reply.
	Late() bool

	// FinishReply reads the reply and throws it away. After an error the connection is broken.
	FinishReply(ctx context.Context) error
}

// ServiceConn is a Conn behind a load balancer.
type ServiceConn interface {
	Conn

	// ServiceID is the serviceId of the server's hello reply.
	ServiceID() *bson.ObjectID
}

// defaultMaintainInterval is the time between two runs of the background goroutine when nothing asks for one sooner.
const defaultMaintainInterval = 10 * time.Second

// Config says how a pool works. Address and Connect are required.
type Config[C Conn] struct {
	Address string
	Options event.PoolOptions // nil fields mean the defaults: 100, 0, 2, no limit, no limit

	// Connect opens a connection and performs the initial handshake. It must return when ctx ends; ctx ends when the
	// check-out that needs the connection is given up, when the connection is interrupted, and when the pool is closed.
	Connect func(ctx context.Context, connectionID int64) (C, error)

	// Authenticate authenticates a connection that Connect returned; nil when there is nothing to do.
	Authenticate func(ctx context.Context, c C) error

	// OnEstablishError is told of every connection that could not be established, before its ConnectionClosed event,
	// unless the pool itself gave it up or its check-out ran out of time. It may call Clear. It may be nil.
	OnEstablishError func(*EstablishError)

	// LoadBalanced makes generations belong to services; the connections must then be ServiceConns.
	LoadBalanced bool

	// Monitor receives the events; nil = nobody listens.
	Monitor *event.PoolMonitor

	// MaintainInterval is the time between two background runs; 0 means the default, a negative value means that the
	// background goroutine is never started.
	MaintainInterval time.Duration
}

// limits are the options with their defaults applied.
type limits struct {
	maxPoolSize      int
	minPoolSize      int
	maxConnecting    int
	maxIdleTime      time.Duration
	waitQueueTimeout time.Duration
}

func limitsOf(o *event.PoolOptions) limits {
	return limits{
		maxPoolSize:      option.Or(o.MaxPoolSize, options.DefaultMaxPoolSize),
		minPoolSize:      option.Or(o.MinPoolSize, 0),
		maxConnecting:    max(1, option.Or(o.MaxConnecting, options.DefaultMaxConnecting)),
		maxIdleTime:      option.Or(o.MaxIdleTime, 0),
		waitQueueTimeout: option.Or(o.WaitQueueTimeout, 0),
	}
}
