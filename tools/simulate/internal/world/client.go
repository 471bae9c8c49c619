package world

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// appName is what the clients call themselves, so fail points leave the others alone.
const appName = "simulate"

// client is one client of the scenario. A fault may close it and open another in its place.
type client struct {
	world *world
	plan  scenario.Client

	mu       sync.Mutex
	current  *mongo.Client
	observer *observer
	closed   int           // how often it was closed
	leaving  atomic.Bool   // Close has begun
	turn     chan struct{} // holds an element while a fault reopens the client
}

// open connects a new client.
func (c *client) open(ctx context.Context) error {
	w := c.world
	o := c.options()
	seen := newObserver(c)
	seen.listen(o)
	uri := w.d.URI()
	if w.s.World.SRV {
		uri = w.names.URI()
	}
	if w.s.World.Auth == "oidc" {
		scheme, rest, _ := strings.Cut(uri, "://")
		_, hosts, _ := strings.Cut(rest, "@")
		uri = scheme + "://" + hosts
		o.Auth = &options.Credential{AuthMechanism: new("MONGODB-OIDC"), OIDCMachineCallback: w.login.callback}
	}
	made, err := mongo.Connect(ctx, uri, o)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current, c.observer = made, seen
	c.leaving.Store(false)
	return nil
}

func (c *client) options() *options.Client {
	p, w := c.plan, c.world
	o := &options.Client{Dialer: w.net.Dialer(p.Number), Resolver: w.names, AppName: new(appName), Logger: slog.New(slog.DiscardHandler)}
	set(&o.MaxPoolSize, p.MaxPool)
	set(&o.MinPoolSize, p.MinPool)
	set(&o.MaxConnecting, p.MaxConnecting)
	set(&o.HeartbeatFrequency, p.Heartbeat)
	set(&o.ConnectTimeout, p.Connect)
	set(&o.ServerSelectionTimeout, p.Selection)
	set(&o.Timeout, p.Timeout)
	set(&o.MaxIdleTime, p.Idle)
	set(&o.ServerMonitoringMode, options.ServerMonitoringMode(p.Mode))
	if p.Encrypted && w.vault != nil {
		o.AutoEncryption, o.MaxPoolSize = w.vault.encryption(), new(0) // with a limit, another client would read the keys
	}
	if p.Compressor != "" {
		o.Compressors = []string{p.Compressor}
	}
	return o
}

// set sets an option unless the value is zero.
func set[T comparable](to **T, v T) {
	var zero T
	if v != zero {
		*to = &v
	}
}

// mongo returns the client that is open now.
func (c *client) mongo() *mongo.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

func (c *client) currentObserver() *observer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.observer
}

// closeTime is how long a client may take to close.
const closeTime = 30 * time.Second

// close closes the client and checks that nothing of it is left.
func (c *client) close(ctx context.Context) {
	began, idle := time.Now(), c.world.rested.Load()
	c.leaving.Store(true)
	current, seen := c.mongo(), c.currentObserver()
	if current.Stats().Sessions.InProgress > 0 {
		c.world.countEffect(judgedClose)
	}
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	if err := current.Close(ctx); err != nil {
		c.world.violate("close", "client %d: %v", c.plan.Number, err)
	}
	if took := time.Since(began); took > closeTime+grace {
		c.world.violate("close", "client %d took %v to close", c.plan.Number, took)
	}
	<-time.After(time.Millisecond) // an operation that Close cut off returns in its own goroutine
	seen.finish()
	stats := current.Stats()
	if n := stats.Sessions.InProgress; n != 0 && c.closed == 0 && idle {
		c.world.violate("leaks", "client %d was closed with %d sessions in progress", c.plan.Number, n)
	}
	if n := c.world.net.Open(c.plan.Number); n != 0 {
		c.world.violate("leaks", "client %d was closed and has %d open connections", c.plan.Number, n)
	}
}

// reopen closes the client in the middle of its work and opens another one.
func (c *client) reopen(ctx context.Context) error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.close(ctx)
	c.mu.Lock()
	c.closed++
	c.mu.Unlock()
	for {
		err := c.open(ctx)
		if err == nil || !c.world.names.isDisturbed() {
			return err
		}
		<-time.After(time.Second) // DNS has no answer, or one without names
	}
}
