package exec

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
)

// pause waits before a retry for as long as the verdict says. It reports false if there is no time for that.
func (e *execution) pause(ctx context.Context) bool {
	if e.verdict.Wait == operation.Spacing {
		return Sleep(ctx, e.pacer.Pause(e.x.Random()))
	}
	pause := decide.OverloadPause(e.baseBackoff, e.course.Retries, e.x.Random())
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return false
	}
	return Sleep(ctx, pause)
}

// Sleep waits until the pause is over or ctx ends. It reports whether the caller may go on.
func Sleep(ctx context.Context, pause time.Duration) bool {
	if pause <= 0 {
		return !Expired(ctx)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return !Expired(ctx)
}

// baseBackoff returns the base of backoffs in a server's error, or 0. For a write concern error it may be in the reply
// or in the error itself.
func baseBackoff(err error) time.Duration {
	const field = "baseBackoffMS"
	var ms int64
	if c, ok := errors.AsType[fault.CommandError](err); ok {
		ms, _ = c.Raw.Lookup(field).AsInt64OK()
	} else if w, ok := errors.AsType[fault.WriteException](err); ok {
		if ms, ok = w.Raw.Lookup(field).AsInt64OK(); !ok && w.WriteConcernError != nil {
			ms, _ = w.WriteConcernError.Raw.Lookup(field).AsInt64OK()
		}
	}
	return time.Duration(max(0, min(ms, math.MaxInt64/int64(time.Millisecond)))) * time.Millisecond // the server's number must not overflow
}
