package topology

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/sdamtable"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/internal/callback"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/sdam"
)

// exchange is one step of a check: a question to the server, or the reading of one of its replies.
type exchange struct {
	awaited bool // the server may hold the reply back until something changes
	run     func(ctx context.Context) (reply bson.Raw, elapsed time.Duration, err error)
}

// runGuarded runs the exchange in a goroutine of its own: if a connection of the program ends that goroutine, the
// monitor survives.
func (e *exchange) runGuarded(ctx context.Context) (reply bson.Raw, elapsed time.Duration, err error) {
	if exited := callback.RunInGoroutine(conn.DialerName, func() { reply, elapsed, err = e.run(ctx) }); exited != nil {
		return nil, 0, exited
	}
	return reply, elapsed, err
}

// check asks the server once and turns the outcome into a description. It also reports whether the server was known
// when the check began. It returns errCheckCancelled if the check was cancelled. Any other failure is in the Err of the
// description.
//
// Server Monitoring, "Monitor thread", checkServer.
func (m *monitor) check() (server description.Server, wasKnown bool, err error) {
	ctx, done := m.beginCheck()
	defer done()
	wasKnown = m.known
	server, err = m.checkOnce(ctx)
	return server, wasKnown, err
}

func (m *monitor) checkOnce(ctx context.Context) (description.Server, error) {
	next := m.nextExchange()
	m.beginHeartbeat(next.awaited)
	began := time.Now()
	reply, elapsed, err := next.runGuarded(ctx)
	if err != nil {
		return m.failCheck(ctx, next.awaited, time.Since(began), err)
	}
	server := sdam.ServerFromHello(m.address, reply, time.Now())
	if server.Err != nil {
		return m.failCheck(ctx, next.awaited, elapsed, server.Err)
	}
	if !next.awaited {
		m.rtt.add(elapsed)
	}
	m.repeated.note(next.awaited, server.TopologyVersion, elapsed)
	m.noteReply(reply, server.TopologyVersion)
	m.known = true
	m.t.publish.HeartbeatSucceeded(m.heartbeat(next.awaited), elapsed, reply)
	return server, nil
}

// noteReply keeps the parts of a reply that the next check needs. Of the topologyVersion it keeps only the known
// fields: the server may have sent more, of any size.
func (m *monitor) noteReply(reply bson.Raw, version *description.TopologyVersion) {
	m.topologyVersion = nil
	if version != nil {
		dst, start := bson.AppendDocumentStart(make([]byte, 0, 48))
		dst = bson.AppendObjectIDElement(dst, sdamtable.FieldProcessID, version.ProcessID)
		dst = bson.AppendInt64Element(dst, sdamtable.FieldCounter, version.Counter)
		m.topologyVersion = bson.AppendDocumentEnd(dst, start)
	}
	if id, ok := reply.Lookup(wire.FieldConnectionID).AsInt64OK(); ok {
		m.serverConnID = &id
	}
}

// failCheck closes the connection and returns the description of a server that failed. It publishes the failure even if
// the monitor stops, because every heartbeat that started must end.
//
// SDAM Logging and Monitoring, "Heartbeats".
func (m *monitor) failCheck(
	ctx context.Context, awaited bool, elapsed time.Duration, err error,
) (description.Server, error) {
	if m.ctx.Err() != nil {
		m.t.publish.HeartbeatFailed(m.heartbeat(awaited), elapsed, err)
		m.closeConn()
		return description.Server{}, m.ctx.Err() // the server has left the topology: there is nothing else to report
	}
	cancelled := context.Cause(ctx) == errCheckCancelled
	if cancelled {
		err = errCheckCancelled
	}
	m.t.publish.HeartbeatFailed(m.heartbeat(awaited), elapsed, err)
	m.closeConn()
	m.rtt.reset()
	m.known = false
	if cancelled {
		return description.Server{}, errCheckCancelled
	}
	return description.Server{Address: m.address, Err: err, LastUpdateTime: time.Now()}, nil
}

// nextExchange decides what the next check does.
func (m *monitor) nextExchange() exchange {
	switch {
	case m.conn == nil:
		return exchange{run: m.connect}
	case m.more:
		return exchange{awaited: true, run: m.readNext}
	case m.t.set.streaming && m.topologyVersion != nil:
		return exchange{awaited: true, run: m.askAwaiting}
	}
	return exchange{run: m.ask}
}

// connect opens the connection. The handshake counts as the check.
//
// Server Monitoring, "Clients update the topology from each handshake".
func (m *monitor) connect(ctx context.Context) (bson.Raw, time.Duration, error) {
	m.connected = time.Now()
	ctx, cancel := m.t.withConnectTimeout(ctx)
	defer cancel()
	conn, err := m.t.dialMonitor(ctx, m.address)
	if err != nil {
		return nil, 0, err
	}
	m.conn = conn
	reply, elapsed := conn.Handshake()
	return reply, elapsed, nil
}

// ask runs a plain hello.
func (m *monitor) ask(ctx context.Context) (bson.Raw, time.Duration, error) {
	ctx, cancel := m.t.withConnectTimeout(ctx)
	defer cancel()
	return m.measure(func() (bson.Raw, bool, error) { return m.conn.Check(ctx, nil, 0) })
}

// askAwaiting runs an awaitable hello, after which the server starts to stream.
func (m *monitor) askAwaiting(ctx context.Context) (bson.Raw, time.Duration, error) {
	ctx, cancel := m.withAwaitTimeout(ctx)
	defer cancel()
	return m.measure(func() (bson.Raw, bool, error) {
		return m.conn.Check(ctx, m.topologyVersion, m.t.set.heartbeatFrequency)
	})
}

// readNext reads the next reply of the stream.
func (m *monitor) readNext(ctx context.Context) (bson.Raw, time.Duration, error) {
	ctx, cancel := m.withAwaitTimeout(ctx)
	defer cancel()
	return m.measure(func() (bson.Raw, bool, error) { return m.conn.Next(ctx) })
}

func (m *monitor) measure(run func() (bson.Raw, bool, error)) (bson.Raw, time.Duration, error) {
	began := time.Now()
	reply, more, err := run()
	m.more = err == nil && more
	return reply, time.Since(began), err
}

// withAwaitTimeout limits the exchange to connectTimeoutMS plus the time for which the server may hold the reply back.
//
// Server Monitoring, "Socket timeout".
func (m *monitor) withAwaitTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.t.set.connectTimeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, m.t.set.connectTimeout+m.t.set.heartbeatFrequency)
}
