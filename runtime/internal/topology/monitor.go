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

	"github.com/specdrivers/onion/generated/core/selecttable"
)

// monitor checks one server. The goroutine of run owns every field except those below mu.
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
	more            bool      // the server sends the next reply without being asked
	topologyVersion bson.Raw  // from the last reply; nil when the server cannot stream
	known           bool      // the last check succeeded
	checked         time.Time // when the last check ended, not counting cancelled ones
	connected       time.Time // when the last connection attempt started

	repeated repetition

	rtt rttMonitor

	mu     sync.Mutex
	giveUp context.CancelCauseFunc // ends the check in progress, or just about to be; nil between checks
	reopen bool                    // the connection was cancelled between checks
}

// errCheckCancelled ends a check because an operation has found the server to be unreachable.
var errCheckCancelled = errors.New("topology: the check was cancelled because an operation failed")

func newMonitor(t *Topology, address string) *monitor {
	m := &monitor{t: t, address: address, wake: make(chan struct{}, 1)}
	m.ctx, m.cancel = context.WithCancel(t.ctx)
	m.rtt.m, m.rtt.wake = m, make(chan struct{}, 1)
	return m
}

// run checks the server until it leaves the topology.
func (m *monitor) run() {
	defer m.closeConn()
	for m.ctx.Err() == nil {
		server, wasKnown, err := m.check()
		switch {
		case m.ctx.Err() != nil:
			return
		case errors.Is(err, errCheckCancelled):
			m.waitAfterCancel()
			continue
		}
		m.checked = time.Now()
		m.report(server)
		if server.Err == nil {
			m.rtt.follow(m.isStreaming())
		}
		if m.shouldCheckAtOnce(server, wasKnown) {
			if server.Err != nil {
				m.repeated.noteBreak(time.Since(m.connected))
			}
			sleep(m.ctx, m.repeated.waitTime(), nil)
			continue
		}
		m.t.pause(m.ctx, m.wake)
	}
}

// isStreaming reports whether the server sends a reply whenever something changes, as of the last check.
func (m *monitor) isStreaming() bool {
	return m.t.set.streaming && (m.topologyVersion != nil || m.more)
}

// report updates the topology with the outcome of a check. It reads the round trip times inside the update, because
// they may have been reset since the check, together with the description.
func (m *monitor) report(s description.Server) {
	m.t.update(func(now description.Topology) (description.Topology, sdam.Effects) {
		if s.Err != nil {
			return m.t.model.CheckFailed(now, s)
		}
		s.RTT, s.MinRTT = m.rtt.values()
		return m.t.model.Apply(now, s)
	})
}

// shouldCheckAtOnce reports whether the next check starts without a pause. It does if the server streams. It also does
// if the connection of a known server broke: that may have happened at any time since the last check.
//
// Server Monitoring, "Network or command error during server check", step 4.
func (m *monitor) shouldCheckAtOnce(s description.Server, wasKnown bool) bool {
	if s.Err == nil && m.isStreaming() {
		return true
	}
	return s.Err != nil && fault.IsNetworkError(s.Err) && wasKnown
}

// pause sleeps until the next check of a server is due or requested, but at least for minHeartbeatFrequencyMS.
func (t *Topology) pause(ctx context.Context, wake <-chan struct{}) {
	began := time.Now()
	if !sleep(ctx, t.set.heartbeatFrequency, wake) {
		return
	}
	if slept := time.Since(began); slept < selecttable.MinHeartbeatFrequency {
		sleep(ctx, selecttable.MinHeartbeatFrequency-slept, nil)
	}
}

// waitAfterCancel sleeps until minHeartbeatFrequencyMS has passed, both since the last check that ran to its end and
// since the last connection attempt started.
//
// The pseudocode of the specification waits that long after a cancelled check, too. The row PauseAfterCancelledCheck
// says why this driver does not. The driver still opens connections no more often than the specification allows.
//
// Server Monitoring, "Monitor thread", run.
func (m *monitor) waitAfterCancel() {
	last := m.checked
	if m.connected.After(last) {
		last = m.connected
	}
	left := time.Until(last.Add(selecttable.MinHeartbeatFrequency))
	if left = max(left, selecttable.PauseAfterCancelledCheck); left > 0 {
		sleep(m.ctx, left, nil)
	}
}

// sleep waits until d has passed or early receives. It reports false when ctx ends.
func sleep(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-early:
	case <-timer.C:
	}
	return true
}

// requestCheck asks for a check as soon as one is allowed. The check in progress, if there is one, answers the request.
// An operation that still finds no server after it asks again.
//
// Server Monitoring, "Requesting an immediate check".
func (m *monitor) requestCheck() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.giveUp != nil {
		return
	}
	select {
	case m.wake <- struct{}{}:
	default: // a request is already pending
	}
}

// cancelCheck ends the check in progress, if there is one. It always closes the connection, so the next check opens
// another.
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

// beginCheck makes the context for one check, which answers all requests so far. If the connection was cancelled since
// the last check, beginCheck closes it and pauses as after a cancelled check, so that the new connection does not come
// sooner.
func (m *monitor) beginCheck() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(m.ctx)
	m.mu.Lock()
	for m.reopen {
		m.reopen = false
		m.mu.Unlock()
		if m.conn != nil {
			m.closeConn()
			m.rtt.reset()
			m.known = false // the operation that failed has marked the server Unknown
			m.waitAfterCancel()
		}
		m.mu.Lock()
	}
	m.giveUp = cancel
	select {
	case <-m.wake:
	default:
	}
	m.mu.Unlock()
	return ctx, func() {
		m.mu.Lock()
		m.giveUp = nil
		m.mu.Unlock()
		cancel(nil)
	}
}

// closeConn closes the connection, if there is one, and clears the state that belongs to it.
func (m *monitor) closeConn() {
	if m.conn != nil {
		m.conn.Close() // an error only means that the socket was already closed
	}
	m.conn, m.more, m.topologyVersion, m.serverConnID = nil, false, nil, nil
}
