package mongo

import "github.com/specdrivers/onion/runtime/internal/exec"

// exhaustStream is the state of an exhaust cursor, to which the server sends batches without being asked for each.
type exhaustStream struct {
	open bool // the next batch is on its way
	own  bool // the cursor keeps its connection only because of the stream
}

// prepareStream makes op start the stream of batches, or read the next batch if the stream is open.
func (c *Cursor) prepareStream(op *exec.Operation) {
	switch {
	case c.stream.open:
		op.Answer = exec.AwaitedBatch
	case c.settings.exhaust:
		op.Answer = exec.BatchStream
	}
}

// updateStream keeps the connection while another batch is on its way. An error ends the stream, too: the server sends
// nothing after it.
func (c *Cursor) updateStream(out *exec.Outcome) {
	if !c.settings.exhaust {
		return
	}
	if out.MoreToCome && c.outcome.Conn == nil {
		c.outcome.Conn, c.stream.own = out.Conn, true
	}
	if c.stream.open = out.MoreToCome; !c.stream.open {
		c.releaseStream()
	}
}

// endStream abandons the batches that are on their way. It closes the connection, because nothing else stops the
// server.
//
// Find, getMore and killCursors Commands, "Exhaust".
func (c *Cursor) endStream() {
	if c.stream.open {
		c.stream.open = false
		c.outcome.Conn.Conn.Close()
	}
	c.releaseStream()
}

// releaseStream checks in the connection that the cursor kept for the stream.
func (c *Cursor) releaseStream() {
	if c.stream.own {
		c.outcome.Server.CheckIn(c.outcome.Conn)
		c.outcome.Conn, c.stream.own = nil, false
	}
}
