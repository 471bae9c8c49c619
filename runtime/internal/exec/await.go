package exec

import (
	"context"
	"time"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/timeout"
)

// shortenAwait limits how long the server of a getMore may wait for documents: to the time that is left, less a round
// trip. Each try has less time than the one before.
//
// Client Side Operations Timeout, "Tailable awaitData Cursors".
func (e *execution) shortenAwait(ctx context.Context) {
	more, ok := e.op.Command.(*command.GetMore)
	if !ok || more.MaxAwaitTime == 0 {
		return
	}
	event := timeout.Event{Part: timeout.Awaiting, MaxAwait: timeout.AwaitShort}
	deadline, limited := ctx.Deadline()
	if limited {
		event.CallTime = timeout.CallLimited
	}
	if _, v := timeout.Step(e.op.timing, event); v.Await == timeout.AwaitWithinCall {
		more.MaxAwaitTime = max(min(more.MaxAwaitTime, time.Until(deadline)-e.try.minRTT), time.Millisecond)
	}
}
