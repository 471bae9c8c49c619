package topology

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/sdam"

	selecttable "github.com/specdrivers/onion/generated/core/selection"
)

// monitor checks one server. All but the fields below mu belong to the goroutine of run.
//
// Server Monitoring, "Monitor thread".
type monitor struct {
	t       *Topology
	address string
	ctx     context.Context // ends when the server leaves the topology
	cancel  context.CancelFunc
	wake    chan struct{} // asks for a check

	conn            monitorConn // nil before the first check and after a failed one
	connID          int64
	serverConnID    *int64
	more            bool      // the server sends the next reply by itself
	topologyVersion bson.Raw  // of the last reply; nil when the server cannot stream
	known           bool      // the last check succeeded
	checked         time.Time // when the last check that was not cancelled ended
	connected       time.Time // when the last connection was begun

	rtt rttMonitor

	mu     sync.Mutex
	giveUp context.CancelCauseFunc // ends the check in progress; nil between checks
	reopen bool                    // the connection was cancelled between checks
}

// errCheckCancelled ends a check because an operation has found out that the server is not there.
var errCheckCancelled = errors.New("topology: the check was cancelled because an operation failed")

func newMonitor(t *Topology, address string) *monitor {
	m := &monitor{t: t, address: address, wake: make(chan struct{}, 1)}
	m.ctx, m.cancel = context.WithCancel(t.ctx)
	m.rtt.m = m
	return m
}

// run checks the server until it leaves the topology.
func (m *monitor) run() {
	defer m.closeConn()
	for m.ctx.Err() == nil {
		wasKnown := m.known
		server, err := m.check()
		switch {
		case m.ctx.Err() != nil:
			return
		case errors.Is(err, errCheckCancelled):
			m.waitAfterCancel()
			continue
		}
		m.checked = time.Now()
		m.report(server)
		if m.t.set.streaming && m.topologyVersion != nil {
			m.rtt.start()
		}
		if m.nextAtOnce(server, wasKnown) {
			continue
		}
		m.wait()
	}
}

// report changes the topology by the outcome of a check.
func (m *monitor) report(s description.Server) {
	m.t.update(func(now description.Topology) (description.Topology, sdam.Effects) {
		if s.Err != nil {
			return m.t.model.CheckFailed(now, s)
		}
		return m.t.model.Apply(now, s)
	})
}

// nextAtOnce reports whether the next check begins without a pause: the server streams, or the connection of a server
// that was known broke, which may have happened at any time since the last check.
//
// Server Monitoring, "Network or command error during server check", step 4.
func (m *monitor) nextAtOnce(s description.Server, wasKnown bool) bool {
	if m.t.set.streaming && s.Err == nil && (m.topologyVersion != nil || m.more) {
		return true
	}
	return s.Err != nil && fault.IsNetworkError(s.Err) && wasKnown
}

// wait sleeps until the next check is due or asked for, and at least minHeartbeatFrequencyMS.
func (m *monitor) wait() {
	began := time.Now()
	if !m.sleep(m.t.set.heartbeatFrequency, m.wake) {
		return
	}
	if slept := time.Since(began); slept < selecttable.MinHeartbeatFrequency {
		m.sleep(selecttable.MinHeartbeatFrequency-slept, nil)
	}
}

// waitAfterCancel sleeps until minHeartbeatFrequencyMS has passed since the last check that ended by itself, and since
// the last connection was begun.
//
// The specification's pseudocode waits that long after a cancelled check, too; the row of PauseAfterCancelledCheck says
// why this driver does not. Connections are still begun no more often than the specification allows.
//
// Server Monitoring, "Monitor thread", run.
func (m *monitor) waitAfterCancel() {
	last := m.checked
	if m.connected.After(last) {
		last = m.connected
	}
	left := time.Until(last.Add(selecttable.MinHeartbeatFrequency))
	if left = max(left, selecttable.PauseAfterCancelledCheck); left > 0 {
		m.sleep(left, nil)
	}
}

// sleep waits until d has passed or early says so. It reports false when the monitor is stopped.
func (m *monitor) sleep(d time.Duration, early <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-m.ctx.Done():
		return false
	case <-early:
	case <-timer.C:
	}
	return true
}

// requestCheck asks for a check as soon as it may be; one that is asked for during a check follows it.
//
// Server Monitoring, "Requesting an immediate check".
func (m *monitor) requestCheck() {
	select {
	case m.wake <- struct{}{}:
	default: // one is already asked for
	}
}

// cancelCheck ends the check in progress, if there is one, and in any case the connection: the next check opens another.
//
// Server Monitoring, "hello or legacy hello Cancellation".
func (m *monitor) cancelCheck() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.giveUp != nil {
		m.giveUp(errCheckCancelled)
	} else {
		m.reopen = true
	}
}

// checking makes the context of one check.
func (m *monitor) checking() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(m.ctx)
	m.mu.Lock()
	m.giveUp = cancel
	reopen := m.reopen
	m.reopen = false
	m.mu.Unlock()
	if reopen {
		m.closeConn()
	}
	return ctx, func() {
		m.mu.Lock()
		m.giveUp = nil
		m.mu.Unlock()
		cancel(nil)
	}
}

// closeConn closes the connection, if there is one, and forgets what belongs to it.
func (m *monitor) closeConn() {
	if m.conn != nil {
		m.conn.Close() // an error says only that the socket was gone already
	}
	m.conn, m.more, m.topologyVersion, m.serverConnID = nil, false, nil, nil
}
