package mongo

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// cursorKill is a killCursors on its way, with what the cursor held for it.
type cursorKill struct {
	client   *Client
	timeout  *cursorTimeout
	cmd      command.KillCursors
	db       string
	server   *topology.Server
	conn     *topology.Pooled // leads to the cursor's router; nil except behind a load balancer
	session  *session.Cleanup // nil without sessions
	resuming bool

	deadline time.Time // of the context, if it bounds the command; zero otherwise
}

// carryOut sends the command. A call of Close has the whole timeout anew, unless the caller has set a deadline that has not
// passed; before another cursor takes its place, everything stays within ctx.
//
// Client Side Operations Timeout, "Cursor close() methods refresh timeoutMS".
func (k *cursorKill) carryOut(ctx context.Context) error {
	job := cleanup{run: k.run, release: k.release}
	if deadline, ok := ctx.Deadline(); ok && !exec.Expired(ctx) && (k.timed() || k.resuming) {
		job.within, k.deadline = true, deadline
	}
	job.endless = k.deadline.IsZero() && !k.resuming && k.timeout.timeout != nil && *k.timeout.timeout == 0
	return k.client.cleanUp(ctx, &job)
}

// timed reports whether the timeoutMS of the cursor counts, and not one of the session.
func (k *cursorKill) timed() bool {
	return k.timeout.timeout != nil && (k.session == nil || !k.session.Session().HasDeadline())
}

func (k *cursorKill) run(ctx context.Context, again bool) (reached bool, err error) {
	op := exec.Operation{
		Command: &k.cmd, DB: k.db, Server: k.server, Conn: k.conn, NoMaxTime: k.resuming || k.timeout.timeout == nil,
	}
	limit := killTimeout
	if k.timed() {
		op.AlreadyBounded()
		if !k.resuming {
			limit = *k.timeout.timeout
		}
	}
	if !k.deadline.IsZero() && !again {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, k.deadline)
		defer cancel()
	}
	if limit > 0 && (k.deadline.IsZero() || again || k.resuming) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if k.session != nil {
		op.Session = k.session.Session()
		if err := k.session.AwaitPrevious(ctx); err != nil {
			return false, err
		}
	}
	_, err = k.client.run(ctx, &op)
	return op.Reached(), err
}

func (k *cursorKill) release() {
	if k.session != nil {
		k.session.End()
	}
	if k.conn != nil {
		k.server.CheckIn(k.conn)
	}
}
