// The commands that other packages run, and replSetInitiate, which always finds an existing set.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/login"
	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/session"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// The handlers of commands that other packages run. Each passes the parts of the request that the package needs.

func configureFailPoint(_ context.Context, r *request) (bson.Raw, error) {
	return r.node.failPoints.Configure(r.Call)
}

func withUsers(run func(*login.Directory, *call.Call) (bson.Raw, error)) handler {
	return func(_ context.Context, r *request) (bson.Raw, error) { return run(r.cluster.Users, r.Call) }
}

func withLogin(run func(*login.Directory, *call.Call, *login.State) (bson.Raw, error)) handler {
	return func(_ context.Context, r *request) (bson.Raw, error) {
		return run(r.cluster.Users, r.Call, &r.conn.login)
	}
}

func logout(_ context.Context, r *request) (bson.Raw, error) { return login.RunLogout(&r.conn.login) }

func startSession(_ context.Context, r *request) (bson.Raw, error) {
	return r.cluster.sessions.RunStart(r.conn.owner())
}

func endSessions(_ context.Context, r *request) (bson.Raw, error) {
	return r.cluster.sessions.RunEnd(r.Call, r.conn.owner())
}

func refreshSessions(_ context.Context, r *request) (bson.Raw, error) {
	return r.cluster.sessions.RunRefresh(r.Call, r.conn.owner())
}

func killSessions(_ context.Context, r *request) (bson.Raw, error) {
	return r.cluster.sessions.RunKill(r.Call, r.conn.owner())
}

func killAllSessions(_ context.Context, r *request) (bson.Raw, error) {
	return r.cluster.sessions.RunKillAll(r.Call)
}

func commitTransaction(ctx context.Context, r *request) (bson.Raw, error) {
	return r.endTransaction(ctx, r.cluster.sessions.Commit)
}

func abortTransaction(ctx context.Context, r *request) (bson.Raw, error) {
	return r.endTransaction(ctx, r.cluster.sessions.Abort)
}

// endTransaction ends the transaction, then waits for the write concern. Other commands may use the session meanwhile.
func (r *request) endTransaction(ctx context.Context, end func(*session.Statement) (store.Timestamp, error)) (bson.Raw, error) {
	at, err := end(r.statement())
	if err != nil {
		return nil, err
	}
	ctx, cancel := r.timeLimit(ctx)
	defer cancel()
	r.session.Release()
	dst, start := bson.AppendDocumentStart(nil)
	if err := r.awaitWriteConcern(ctx, at); err != nil {
		dst = r.appendWriteConcernError(dst, status.From(err))
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// set returns the replica set that a command is about.
func (r *request) set() (*replica.Set, error) {
	if r.cluster.Set == nil {
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	return r.cluster.Set, nil
}

func replSetStepDown(ctx context.Context, r *request) (bson.Raw, error) {
	set, err := r.set()
	if err != nil {
		return nil, err
	}
	return set.RunStepDown(ctx, r.Call, r.node.Index)
}

func replSetFreeze(_ context.Context, r *request) (bson.Raw, error) {
	set, err := r.set()
	if err != nil {
		return nil, err
	}
	return set.RunFreeze(r.Call, r.node.Index)
}

// replSetGetStatus answers from the set. A router refuses it with the text that tells clients that it is a router.
func replSetGetStatus(_ context.Context, r *request) (bson.Raw, error) {
	if r.cluster.IsRouter() {
		refusal := reply.New().String("info", "mongos").Value("ok", 0.0)
		return refusal.String("errmsg", "replSetGetStatus is not supported through mongos").Done(), nil
	}
	set, err := r.set()
	if err != nil {
		return nil, err
	}
	return set.RunGetStatus(r.node.Index)
}

// replSetInitiate finds that the set already exists.
func replSetInitiate(_ context.Context, r *request) (bson.Raw, error) {
	if _, err := r.set(); err != nil {
		return nil, err
	}
	return nil, status.Errorf(errcode.AlreadyInitialized, "already initialized")
}

// runOnSet runs a command of the replica set.
func runOnSet(run func(*replica.Set, *request) (bson.Raw, error)) handler {
	return func(_ context.Context, r *request) (bson.Raw, error) {
		set, err := r.set()
		if err != nil {
			return nil, err
		}
		return run(set, r)
	}
}

var (
	replSetReconfig = runOnSet(func(s *replica.Set, r *request) (bson.Raw, error) { return s.RunReconfig(r.Call, r.node.Index) })
	replSetSyncFrom = runOnSet(func(s *replica.Set, r *request) (bson.Raw, error) { return s.RunSyncFrom(r.Call, r.node.Index) })

	replSetMaintenance = runOnSet(func(s *replica.Set, r *request) (bson.Raw, error) { return s.RunMaintenance(r.Call, r.node.Index) })
	replSetResizeOplog = runOnSet(func(s *replica.Set, r *request) (bson.Raw, error) { return s.RunResizeOplog(r.Call) })
)

func replSetGetConfig(_ context.Context, r *request) (bson.Raw, error) {
	set, err := r.set()
	if err != nil {
		return nil, err
	}
	return set.RunGetConfig()
}
