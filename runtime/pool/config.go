package pool

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// Conn is the kind of value that a pool holds: an established connection.
type Conn interface {
	// Close closes the socket. To interrupt a connection, the pool calls Close while another goroutine uses it.
	Close() error

	// IsBroken reports whether an error has made the connection unusable.
	IsBroken() bool
}

// ProbedConn is a Conn that can tell whether the server has closed it.
type ProbedConn interface {
	Conn

	// IsAlive checks the socket without waiting. The pool calls it before it hands out a connection that was idle for a
	// long time.
	IsAlive() bool
}

// LateConn is a Conn that may be checked in while a reply is outstanding that its operation no longer waits for.
type LateConn interface {
	Conn

	// AwaitsLateReply reports whether there is such a reply.
	AwaitsLateReply() bool

	// FinishReply reads the reply and discards it. After an error the connection is broken.
	FinishReply(ctx context.Context) error
}

// SettledConn is a Conn that can tell whether it still holds something of the operation that used it.
type SettledConn interface {
	Conn

	// Settled reports whether nothing is left of the operation. If something is, the pool closes the connection when it is
	// checked in: what is left would reach the next operation.
	Settled() bool
}

// restingConn is a Conn that notes whether it is in the pool, for builds with the tag poison.
type restingConn interface{ Rest(resting bool) }

// ServiceConn is a Conn behind a load balancer.
type ServiceConn interface {
	Conn

	// ServiceID is the serviceId of the server's hello reply.
	ServiceID() *bson.ObjectID
}

// defaultMaintainInterval is the longest time between two runs of the background goroutine.
const defaultMaintainInterval = 10 * time.Second

// Config configures a pool. Address and Connect are required.
type Config[C Conn] struct {
	Address string
	Options event.PoolOptions // nil fields mean the defaults: 100, 0, 2, no limit, no limit

	// Connect opens a connection and does the initial handshake. It must return when ctx ends. ctx ends when the
	// check-out that needs the connection gives up, when the connection is interrupted, and when the pool is closed.
	Connect func(ctx context.Context, connectionID int64) (C, error)

	// Authenticate authenticates a connection that Connect returned. It is nil when there is nothing to do.
	Authenticate func(ctx context.Context, c C) error

	// OnEstablishError receives the error of every connection that could not be established, before the
	// ConnectionClosed event. The pool does not call it if the pool itself gave the connection up or the check-out ran
	// out of time. OnEstablishError may call Clear. It may be nil.
	OnEstablishError func(*EstablishError)

	// LoadBalanced gives each service its own generation. The connections must then be ServiceConns.
	LoadBalanced bool

	// Monitor receives the events. nil means that there is no listener.
	Monitor *event.PoolMonitor

	// MaintainInterval is the time between two background runs. 0 means the default. With a negative value the
	// background goroutine never starts.
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
		minPoolSize:      option.Or(o.MinPoolSize, options.DefaultMinPoolSize),
		maxConnecting:    max(1, option.Or(o.MaxConnecting, options.DefaultMaxConnecting)),
		maxIdleTime:      option.Or(o.MaxIdleTime, options.DefaultMaxIdleTime),
		waitQueueTimeout: option.Or(o.WaitQueueTimeout, options.DefaultWaitQueueTimeout),
	}
}

// EstablishError describes a connection that could not be established.
type EstablishError struct {
	ConnectionID int64
	Generation   uint64
	ServiceID    *bson.ObjectID // the service, if the hello reply named one
	AfterHello   bool           // authentication failed
	Err          error          // the error that the check-out returns, with its labels
}
