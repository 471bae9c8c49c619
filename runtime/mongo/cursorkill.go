package mongo

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/exec"
	"github.com/specdrivers/onion/runtime/internal/session"
	"github.com/specdrivers/onion/runtime/internal/topology"
)

// cursorKill is a killCursors command with what it took over from its cursor.
type cursorKill struct {
	client   *Client
	timeout  *cursorTimeout
	cmd      command.KillCursors
	db       string
	server   *topology.Server
	conn     *topology.Pooled // leads to the cursor's router; nil except behind a load balancer
	session  *session.Cleanup // nil without sessions
	resuming bool

	deadline time.Time // of the caller's context; zero if there is none or it has passed
}

// carryOut sends the command.
//
// Client Side Operations Timeout, "Cursor close() methods refresh timeoutMS".
func (k *cursorKill) carryOut(ctx context.Context) error {
	deadline, call := decide.CallDeadline(ctx, time.Now())
	k.deadline = deadline
	return k.client.cleanUp(ctx, &cleanup{run: k.run, bound: k.bound(call), release: k.release})
}

// bound asks the state machine what ends the command.
func (k *cursorKill) bound(call timeout.CallTime) timeout.Bound {
	event := timeout.Event{Part: timeout.Close, CallTime: call}
	if k.resuming {
		event.Part = timeout.Replace
	}
	if k.session != nil {
		event.SessionTime = k.session.Session().Limit()
	}
	_, v := timeout.Step(k.timeout.state, event)
	return v.Bound
}

func (k *cursorKill) run(ctx context.Context, again bool) (reached bool, err error) {
	op := exec.Operation{Command: &k.cmd, DB: k.db, Server: k.server, Conn: k.conn}
	part, call := timeout.KillCursors, timeout.CallLimited
	if k.resuming {
		part = timeout.KillReplaced
	}
	k.timeout.adjustCommand(&op, part)
	if again || k.deadline.IsZero() {
		call = timeout.CallUnlimited // the deadline has passed
	}
	ctx, cancel := k.boundContext(ctx, k.bound(call))
	defer cancel()
	if k.session != nil {
		op.Session = k.session.Session()
		if err := k.session.AwaitPrevious(ctx); err != nil {
			return false, err
		}
	}
	_, err = k.client.run(ctx, &op)
	return op.Reached(), err
}

// boundContext applies a bound to a context.
func (k *cursorKill) boundContext(ctx context.Context, bound timeout.Bound) (context.Context, context.CancelFunc) {
	switch bound {
	case timeout.WholeTimeout:
		return context.WithTimeout(ctx, *k.timeout.timeout)
	case timeout.ShortTime:
		return context.WithTimeout(ctx, killTimeout)
	case timeout.UntilCall:
		return context.WithDeadline(ctx, k.deadline)
	case timeout.ShortWithinCall:
		end := time.Now().Add(killTimeout)
		if k.deadline.Before(end) {
			end = k.deadline
		}
		return context.WithDeadline(ctx, end)
	}
	return ctx, func() {}
}

func (k *cursorKill) release() {
	if k.session != nil {
		k.session.End()
	}
	if k.conn != nil {
		k.server.CheckIn(k.conn)
	}
}
