package mongodebug

import (
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// sentCommand is a command in flight. It keeps parts of the event, which the event's contract allows.
type sentCommand struct {
	command  bson.Raw
	topology *description.Topology // as it was when the command was sent
}

// startedCommands holds the commands in flight by request id. It is split into parts to reduce lock contention.
type startedCommands [16]struct {
	mu   sync.Mutex
	byID map[int64]sentCommand
}

func (s *startedCommands) init() {
	for i := range s {
		s[i].byID = map[int64]sentCommand{}
	}
}

func (s *startedCommands) add(id int64, c sentCommand) {
	part := &s[uint64(id)%uint64(len(s))]
	part.mu.Lock()
	defer part.mu.Unlock()
	part.byID[id] = c
}

func (s *startedCommands) take(id int64) sentCommand {
	part := &s[uint64(id)%uint64(len(s))]
	part.mu.Lock()
	defer part.mu.Unlock()
	c := part.byID[id]
	delete(part.byID, id)
	return c
}

func (r *recorder) commandStarted(e *event.CommandStarted) {
	c := sentCommand{command: e.Command}
	if client := r.client.Load(); client != nil {
		c.topology = client.TopologyDescription().Topology
	}
	r.started.add(e.RequestID, c)
	r.problems.noteRetry(e.OperationID, e.CommandName, addressOf(e.ConnectionID))
}

func (r *recorder) commandSucceeded(e *event.CommandSucceeded) {
	c := r.started.take(e.RequestID)
	now := time.Now()
	failure := failedWrites(e.Reply, r.values)
	r.activity.Add(now, e.Duration, failure != nil)
	r.problems.noteSettled(e.OperationID, e.CommandName, e.Duration)
	if failure == nil {
		r.durations.add(e.CommandName, e.Duration, "")
	} else {
		r.durations.add(e.CommandName, e.Duration, failure.Kind)
		failure.describe(r.remember(c, e.CommandName, e.DatabaseName, e.ConnectionID, e.Duration, now))
		r.problems.add(0, *failure)
	}
	if r.slowest.Wants(now, e.Duration) && !hasWaited(e) {
		r.slowest.Add(now, e.Duration, r.remember(c, e.CommandName, e.DatabaseName, e.ConnectionID, e.Duration, now))
	}
}

func (r *recorder) commandFailed(e *event.CommandFailed) {
	c := r.started.take(e.RequestID)
	now := time.Now()
	p := problemOf(e.Failure, r.values)
	r.activity.Add(now, e.Duration, true)
	r.durations.add(e.CommandName, e.Duration, p.Kind)
	p.describe(r.remember(c, e.CommandName, e.DatabaseName, e.ConnectionID, e.Duration, now))
	if r.slowest.Wants(now, e.Duration) {
		r.slowest.Add(now, e.Duration, p.rememberedCommand)
	}
	r.problems.add(e.OperationID, p)
	r.notify()
}

// rememberedCommand is a command that the page keeps, with the data that explains the choice of its server.
type rememberedCommand struct {
	view.Operation
	command  bson.Raw // $readPreference is in it; nil when there is nothing to explain
	topology *description.Topology
}

func (r *recorder) remember(c sentCommand, name, db, connection string, took time.Duration, now time.Time) rememberedCommand {
	m := rememberedCommand{topology: c.topology}
	m.Operation = view.Operation{
		ID: r.ids.Add(1), Name: name, Namespace: namespace(db, c.command), Server: addressOf(connection),
		At: now.Add(-took).UnixMilli(), For: view.Milliseconds(took), Shape: record.Shape(c.command, r.values), Why: c.topology != nil,
	}
	if rp, ok := c.command.Lookup(wire.FieldReadPreference).DocumentOK(); ok {
		m.command = append(bson.Raw(nil), rp...) // not the whole command, which may be long
	}
	return m
}

// namespace returns the database and the collection of a command. The first field names the collection, unless it holds
// the id of a cursor; then another field does.
func namespace(db string, command bson.Raw) string {
	if len(command) == 0 {
		return db
	}
	for _, v := range command.All() {
		if _, ok := v.AsInt64OK(); ok {
			v = command.Lookup("collection")
		}
		if name, ok := v.StringOK(); ok {
			return db + "." + name
		}
		break
	}
	return db
}

// addressOf returns the server in the name of a connection, "host:port[-n]".
func addressOf(connection string) string {
	address, _, _ := strings.Cut(connection, "[-")
	return address
}

// hasWaited reports whether a getMore was slow because there was nothing to return yet, as with a change stream. No
// other command returns a nextBatch.
func hasWaited(e *event.CommandSucceeded) bool {
	batch, ok := e.Reply.Lookup(wire.FieldCursor, wire.FieldNextBatch).ArrayOK()
	id, _ := e.Reply.Lookup(wire.FieldCursor, "id").AsInt64OK()
	return ok && id != 0 && len(batch) <= len(bson.Raw{5, 0, 0, 0, 0})
}
