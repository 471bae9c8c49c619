package topology

import (
	"sync"
	"time"

	"github.com/specdrivers/onion/runtime/selection"
)

// rttMonitor measures the round trip time of a server whose monitor streams, on a connection of its own. The monitor
// adds the samples of its own handshakes and polls.
//
// Server Monitoring, "Measuring RTT".
type rttMonitor struct {
	m       *monitor
	started bool // only the monitor's goroutine uses it

	mu  sync.Mutex
	rtt selection.RTT
}

// start starts the measurements, once. The monitor calls it when it learns that the server streams.
func (r *rttMonitor) start() {
	if !r.started {
		r.started = true
		r.m.t.monitors.Go(r.run)
	}
}

// run pings the server every heartbeatFrequencyMS. An error only closes the connection: the monitor finds out for
// itself whether the server is gone.
func (r *rttMonitor) run() {
	var conn monitorConn
	defer func() {
		if conn != nil {
			conn.Close() // an error only means that the socket was already closed
		}
	}()
	for {
		sample, next, err := r.ping(conn)
		conn = next
		if err == nil {
			r.add(sample)
		}
		if !r.m.sleep(r.m.t.set.heartbeatFrequency, nil) {
			return
		}
	}
}

// ping measures one hello. Without a connection it opens one and measures the hello of the handshake. It returns the
// connection for the next ping.
func (r *rttMonitor) ping(conn monitorConn) (time.Duration, monitorConn, error) {
	ctx, cancel := r.m.t.withConnectTimeout(r.m.ctx)
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
