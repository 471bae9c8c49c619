package server

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// handle answers one command. An error means that the connection is dropped.
func (r *request) handle() (bson.Raw, error) {
	ctx := r.begin()
	defer r.end()
	if r.cluster.Received != nil {
		r.cluster.Received(r.describeReceived())
	}
	return r.nextAnswer(ctx)
}

// nextAnswer answers a command or sends the next answer of a stream. A test can intercept each answer.
func (r *request) nextAnswer(ctx context.Context) (bson.Raw, error) {
	if answer := r.cluster.Intercept(r.Name, r.describeReceived); answer != nil {
		switch a := answer(r.describeReceived()); {
		case a.Drop:
			return nil, call.ErrDrop
		case a.Reply != nil:
			return a.Reply, nil
		}
	}
	began := time.Now()
	body, err := r.execute(ctx)
	r.noteUsage(began)
	r.profile(began, body, status.From(err))
	if errors.Is(err, call.ErrDrop) {
		return nil, err
	}
	if err != nil {
		r.node.counters.userErrors.Add(1)
		return r.errorReply(status.From(err)), nil
	}
	r.exhaust = r.ExhaustAllowed && r.isStreamed(body)
	return r.finish(body), nil
}

// isStreamed reports whether a command that allows it is answered again.
func (r *request) isStreamed(reply bson.Raw) bool {
	switch r.Name {
	case "hello", "isMaster", "ismaster":
		return wire.StreamingHello.In(r.Wire)
	case "getMore":
		id, _ := reply.Lookup("cursor", "id").AsInt64OK()
		return id != 0 && (!r.cluster.IsRouter() || wire.MongosExhaust.In(r.Wire))
	}
	return false
}

// execute makes the checks that every command passes, in a server's order, then runs the command.
func (r *request) execute(ctx context.Context) (bson.Raw, error) {
	if err := r.checkMessage(); err != nil {
		return nil, err
	}
	if r.command = r.cluster.commands[r.Name]; !r.command.exists(r.cluster) {
		return nil, r.cluster.errNoSuchCommand(r.Name)
	}
	if !r.Field("help").IsZero() && r.Flag("help") && r.Name != "getParameter" && r.Name != "setParameter" {
		return reply.New().String("help", "help for: "+r.command.name+" no help defined").Done(), nil
	}
	for _, check := range [...]func(*request) error{
		(*request).checkAPIVersion, (*request).checkFields, (*request).checkAuthenticated, (*request).advanceClusterTime,
		(*request).openSession,
	} {
		if err := check(r); err != nil {
			return nil, err
		}
	}
	if err := concern.CheckReadPreference(r.Field("$readPreference"), r.Wire); err != nil {
		return nil, err
	}
	fails := !r.command.immune
	if fails {
		if err := r.node.failPoints.Before(r.target()).Act(r.sleeper(ctx)); err != nil {
			return nil, err
		}
	}
	if err := r.checkState(ctx); err != nil {
		return nil, err
	}
	if err := r.checkReadConcern(); err != nil {
		return nil, err
	}
	if err := r.checkWriteConcern(); err != nil {
		return nil, err
	}
	r.node.counters.count(r)
	body, err := r.run(ctx)
	if err != nil || !fails {
		return body, err
	}
	if after := r.node.failPoints.After(r.target()); after != nil {
		body = r.addWriteConcernError(body, after)
	}
	return body, nil
}

// run runs the command, in its session if it has one.
func (r *request) run(ctx context.Context) (bson.Raw, error) {
	if r.endsWithClient() {
		r.conn.watch.begin()
		defer r.conn.watch.end()
	}
	if ms, _ := r.Field("maxTimeMS").AsInt64OK(); ms > 0 && !r.command.timed && !r.command.immune && r.node.failPoints.TimesOut() {
		return nil, status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
	}
	if r.session == nil {
		return r.command.run(ctx, r)
	}
	return r.cluster.sessions.Run(ctx, r.statement(), r.command.access == writes, func() (bson.Raw, error) {
		return r.command.run(ctx, r)
	})
}

// begin makes the request the operation of its connection and returns its context.
func (r *request) begin() context.Context {
	o := r.conn.operation.Load()
	if o.isWatched() {
		o = new(operation)
		r.conn.operation.Store(o)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Context, o.request, o.id, o.began = r.conn.ctx, r, r.cluster.operations.Add(1), time.Now()
	o.killed, o.done, o.forget, o.session, o.writing, o.cause = false, nil, nil, nil, false, 0
	return o
}

// end removes the request from its connection. A stream of answers continues with the connection's own context.
func (r *request) end() {
	o := r.conn.operation.Load()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.forget != nil {
		o.forget()
	}
	o.request = nil
}

// count counts a command that passed the checks. Writes count per statement.
func (n *counters) count(r *request) {
	n.mu.Lock()
	if n.byName == nil {
		n.byName = map[string]int64{}
	}
	n.byName[r.command.name]++
	n.mu.Unlock()
	switch r.Name {
	case "find":
		n.queries.Add(1)
	case "getMore":
		n.getMores.Add(1)
	case "insert":
		n.inserts.Add(r.statements("documents"))
	case "update":
		n.updates.Add(r.statements("updates"))
	case "delete":
		n.deletes.Add(r.statements("deletes"))
	case "commitTransaction":
		n.commands.Add(1)
		n.committed.Add(1)
	case "abortTransaction":
		n.commands.Add(1)
		n.aborted.Add(1)
	default:
		n.commands.Add(1)
	}
	if r.session != nil && r.session.StartsTxn {
		n.started.Add(1)
	}
}

// statements returns the number of elements in an array or a document sequence.
func (r *request) statements(field string) int64 {
	if docs, ok := r.Sequences[field]; ok {
		return int64(len(docs))
	}
	if v := r.Field(field); v.Type == bsontype.Array {
		return int64(bson.RawArray(v.Value).Len())
	}
	return 1
}
