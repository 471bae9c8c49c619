package server

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// handle answers one command. An error means that the connection is dropped.
func (r *request) handle() (bson.Raw, error) {
	ctx := r.begin()
	defer r.end()
	if r.cluster.Received != nil {
		r.cluster.Received(r.received())
	}
	return r.next(ctx)
}

// next answers a command, or goes on with a stream of answers. A test can intercept each answer.
func (r *request) next(ctx context.Context) (bson.Raw, error) {
	if answer := r.cluster.Intercept(r.Name, r.received); answer != nil {
		switch a := answer(r.received()); {
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
	r.exhaust = r.ExhaustAllowed && r.streams(body)
	return r.finish(body), nil
}

// streams reports whether a command that allows it is answered again.
func (r *request) streams(reply bson.Raw) bool {
	switch r.Name {
	case "hello", "isMaster", "ismaster":
		return wire.StreamingHello.In(r.Wire)
	case "getMore":
		id, _ := reply.Lookup("cursor", "id").AsInt64OK()
		return id != 0 && (!r.cluster.IsRouter() || wire.MongosExhaust.In(r.Wire))
	}
	return false
}

// execute makes the checks that every command passes, in a server's order, and then runs the command.
func (r *request) execute(ctx context.Context) (bson.Raw, error) {
	if err := r.checkMessage(); err != nil {
		return nil, err
	}
	if r.command = r.cluster.commands[r.Name]; !r.command.exists(r.cluster) {
		return nil, r.cluster.noSuchCommand(r.Name)
	}
	if !r.Field("help").IsZero() && r.Flag("help") && r.Name != "getParameter" && r.Name != "setParameter" {
		return reply.New().String("help", "help for: "+r.command.name+" no help defined").Done(), nil
	}
	for _, check := range [...]func(*request) error{
		(*request).checkAPIVersion, (*request).checkAuthenticated, (*request).advanceClusterTime, (*request).openSession,
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
		body = r.withWriteConcernError(body, after)
	}
	return body, nil
}

// run runs the command, within its session if it has one.
func (r *request) run(ctx context.Context) (bson.Raw, error) {
	if r.endsWithClient() {
		r.conn.watch.begin()
		defer r.conn.watch.end()
	}
	if r.session == nil {
		return r.command.run(ctx, r)
	}
	return r.cluster.sessions.Run(ctx, r.statement(), r.command.access == writes, func() (bson.Raw, error) {
		return r.command.run(ctx, r)
	})
}

// endsWithClient reports whether a server stops the command when the client closes the connection. It finishes writes.
func (r *request) endsWithClient() bool {
	return r.command.access != writes && (r.Name != "aggregate" || !engine.IsWrite(r.Body))
}
