package main

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
)

// callsPerTask counts the calls on a net.Conn for one run of a task.
type callsPerTask struct{ writes, reads float64 }

// callRuns is how many iterations the calls are averaged over.
const callRuns = 100

// countingDialer opens connections that count the calls of Write and Read. Both drivers take it as their Dialer. Only
// the counting uses it: a driver may do more with a *net.TCPConn than with a wrapped one.
type countingDialer struct {
	dialer net.Dialer
	mu     sync.Mutex
	conns  []*countedConn
}

// DialContext opens a connection that counts.
func (d *countingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	nc, err := d.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &countedConn{Conn: nc}
	d.mu.Lock()
	d.conns = append(d.conns, c)
	d.mu.Unlock()
	return c, nil
}

// countPerTask does a task n times and returns the calls for each. A driver that does one thing at a time uses one
// connection: the one with the most writes. The other connections belong to its monitors.
func (d *countingDialer) countPerTask(n int, run func(n int)) callsPerTask {
	run(1) // opens the connection
	before := d.snapshot()
	run(n)
	var most callsPerTask
	for c, now := range d.snapshot() {
		was := before[c]
		calls := callsPerTask{(now.writes - was.writes) / float64(n), (now.reads - was.reads) / float64(n)}
		if calls.writes > most.writes {
			most = calls
		}
	}
	return most
}

func (d *countingDialer) snapshot() map[*countedConn]callsPerTask {
	d.mu.Lock()
	defer d.mu.Unlock()
	counts := map[*countedConn]callsPerTask{}
	for _, c := range d.conns {
		counts[c] = callsPerTask{float64(c.writes.Load()), float64(c.reads.Load())}
	}
	return counts
}

// mostBytes returns what all connections have carried in the direction that carried more.
func (d *countingDialer) mostBytes() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	var sent, received int64
	for _, c := range d.conns {
		sent, received = sent+c.sent.Load(), received+c.received.Load()
	}
	return float64(max(sent, received))
}

// countedConn counts the calls of Write and Read, and their bytes.
type countedConn struct {
	net.Conn
	writes, reads  atomic.Int64
	sent, received atomic.Int64 // bytes
}

// Write counts a write.
func (c *countedConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

// Read counts a read when it returns: a driver may keep one pending on an idle connection.
func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.reads.Add(1)
	c.received.Add(int64(n))
	return n, err
}
