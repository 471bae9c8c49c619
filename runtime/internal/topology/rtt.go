package topology

import (
	"context"
	"sync"
	"time"

	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/selection"
)

// rttMonitor measures the round trip time of a server while its monitor streams, on a connection of its own. The
// monitor adds the samples of its own handshakes and polls.
//
// Server Monitoring, "Measuring RTT".
type rttMonitor struct {
	m    *monitor
	wake chan struct{}      // asks for a sample
	end  context.CancelFunc // ends the measurements; nil while there are none. Only the monitor's goroutine uses it

	mu  sync.Mutex
	rtt selection.RTT
}

// follow starts the measurements when the monitor streams, and ends them when it polls.
func (r *rttMonitor) follow(streams bool) {
	switch {
	case streams && r.end == nil:
		ctx, cancel := context.WithCancel(r.m.ctx)
		r.end = cancel
		r.m.t.monitors.Go(func() { r.run(ctx) })
	case !streams && r.end != nil:
		r.end()
		r.end = nil
	}
}

// run pings the server every heartbeatFrequencyMS, and sooner after measure. An error only closes the connection: the
// monitor finds out for itself whether the server is gone.
func (r *rttMonitor) run(ctx context.Context) {
	var open monitorConn
	defer func() {
		if open != nil {
			open.Close() // an error only means that the socket was already closed
		}
	}()
	for ctx.Err() == nil {
		last := open
		open = nil
		var sample time.Duration
		ping := func() { sample, open, _ = r.ping(ctx, last) }
		if exited := callback.RunInGoroutine(conn.DialerName, ping); exited != nil && last != nil {
			last.Close() // an error only means that the socket was already closed
		}
		if open != nil {
			r.add(sample)
		}
		r.m.t.pause(ctx, r.wake)
	}
}

// measure asks for a sample as soon as one is allowed.
func (r *rttMonitor) measure() {
	select {
	case r.wake <- struct{}{}:
	default: // a request is already pending
	}
}

// ping measures one hello. Without a connection it opens one and measures the hello of the handshake. It returns the
// connection for the next ping.
func (r *rttMonitor) ping(ctx context.Context, conn monitorConn) (time.Duration, monitorConn, error) {
	ctx, cancel := r.m.t.withConnectTimeout(ctx)
	defer cancel()
	if conn == nil {
		conn, err := r.m.t.dialMonitor(ctx, r.m.address)
		if err != nil {
			return 0, nil, err
		}
		_, elapsed := conn.Handshake()
		return elapsed, conn, nil
	}
	began := time.Now()
	if _, _, err := conn.Check(ctx, nil, 0); err != nil {
		conn.Close() // report the error of the check, not this one
		return 0, nil, err
	}
	return time.Since(began), conn, nil
}

func (r *rttMonitor) add(sample time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rtt.Add(sample)
}

func (r *rttMonitor) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rtt.Reset()
}

// values returns the average and the minimum round trip time.
func (r *rttMonitor) values() (average, least time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rtt.Average(), r.rtt.Min()
}
