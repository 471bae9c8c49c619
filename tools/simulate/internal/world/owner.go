package world

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// owners remembers which servers have given out a cursor, or behind a load balancer which connections: two servers may give two
// cursors one number.
type owners map[int64]map[string]bool

// place returns where a command goes: a server, or behind a load balancer a connection, because only that leads to the router.
func (o *observer) place(connection string) string {
	if o.c.world.s.World.Shape == scenario.LoadBalanced {
		return connection
	}
	return serverOf(connection)
}

// noteOwner notes the server of a cursor that a reply opens.
func (o *observer) noteOwner(e *event.CommandSucceeded) {
	if id, _ := e.Reply.Lookup("cursor", "id").AsInt64OK(); id != 0 {
		if o.owners[id] == nil {
			o.owners[id] = map[string]bool{}
		}
		o.owners[id][o.place(e.ConnectionID)] = true
	}
}

// checkOwner checks that the commands of a cursor go to the server that holds it. No other server can end it.
func (o *observer) checkOwner(e *event.CommandStarted) {
	var ids []int64
	switch e.CommandName {
	case "getMore":
		id, _ := e.Command.Lookup("getMore").AsInt64OK()
		ids = append(ids, id)
	case "killCursors":
		list, _ := e.Command.Lookup("cursors").ArrayOK()
		values, _ := list.Values()
		for _, value := range values {
			id, _ := value.AsInt64OK()
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if e.CommandName == "killCursors" {
			o.c.world.countEffect(judgedOwner)
		}
		if at := o.place(e.ConnectionID); o.owners[id] != nil && !o.owners[id][at] {
			o.violate("cursors", "%s of cursor %d goes to %s, which does not hold it: %v", e.CommandName, id, at, o.owners[id])
		}
	}
}

// checkTime checks that the maxTimeMS of a command is not longer than the time that is left for it, and that a command that cleans up
// after a call has a deadline. The maxTimeMS of a getMore is the program's own.
func (o *observer) checkTime(ctx context.Context, e *event.CommandStarted) {
	deadline, bounded := ctx.Deadline()
	if !bounded && (e.CommandName == "abortTransaction" || e.CommandName == "killCursors") {
		o.violate("deadline", "%s is sent, and nothing ends the wait for its reply", e.CommandName)
	}
	ms, found := e.Command.Lookup("maxTimeMS").AsInt64OK()
	if !found || !bounded || e.CommandName == "getMore" {
		return
	}
	o.c.world.countEffect(judgedMaxTime)
	if left := time.Until(deadline); time.Duration(ms)*time.Millisecond >= left+time.Millisecond {
		o.violate("deadline", "%s tells the server maxTimeMS %d, and %v are left", e.CommandName, ms, left)
	}
}

// streamKey is the context key of the stream whose commands a context belongs to.
type streamKey struct{}

// stream is where a change stream stands: the postBatchResumeToken of its last reply.
type stream struct{ end bson.Raw }

func streamOf(ctx context.Context) *stream {
	s, _ := ctx.Value(streamKey{}).(*stream)
	return s
}

// follow checks that a stream goes on from the end of its last batch, whether or not that held events: it wants the next one only
// when all of them are taken.
func (s *stream) follow(o *observer, e *event.CommandStarted) {
	if !resumesStream(e) || s.end == nil {
		return
	}
	o.c.world.countEffect(judgedBatchEnd)
	from, _ := e.Command.Lookup("pipeline", "0", "$changeStream", "resumeAfter").DocumentOK()
	if string(from) != string(s.end) {
		o.violate("watch", "a stream resumes after %v, and its last batch ended at %v", from, s.end)
	}
}

// learn notes the end of a batch.
func (s *stream) learn(e *event.CommandSucceeded) {
	if end, ok := e.Reply.Lookup("cursor", "postBatchResumeToken").DocumentOK(); ok {
		s.end = append(bson.Raw(nil), end...)
	}
}
