package mongo

import "github.com/specdrivers/onion/runtime/internal/exec"

// stream is what an exhaust cursor knows of the batches that the server sends unasked.
type stream struct {
	open bool // the next batch is on its way
	own  bool // the cursor's connection is there for the stream alone
}

// beforeBatch has the server send batches unasked, or takes the next one of these.
func (c *Cursor) beforeBatch(op *exec.Operation) {
	switch {
	case c.stream.open:
		op.Answer = exec.AwaitedBatch
	case c.settings.exhaust:
		op.Answer = exec.BatchStream
	}
}

// afterBatch keeps the connection as long as a batch is on its way. An error ends a stream, too: the server sends
// nothing after it.
func (c *Cursor) afterBatch(out *exec.Outcome) {
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

// endStream gives up the batches that are on their way. Only the end of the connection keeps the server from sending them.
//
// Find, getMore and killCursors Commands, "Exhaust".
func (c *Cursor) endStream() {
	if c.stream.open {
		c.stream.open = false
		c.outcome.Conn.Conn.Close()
	}
	c.releaseStream()
}

// releaseStream gives the connection back that the cursor kept for the stream.
func (c *Cursor) releaseStream() {
	if c.stream.own {
		c.outcome.Server.CheckIn(c.outcome.Conn)
		c.outcome.Conn, c.stream.own = nil, false
	}
}
