package exec

import (
	"context"

	"github.com/specdrivers/onion/runtime/internal/decide"
)

// Pace waits, if it has to, before a caller repeats what has failed, such as a commit or the resumption of a stream. It reports
// whether there is time for it.
func (x *Executor) Pace(ctx context.Context, p *decide.Pacer) bool {
	if !p.Failed(x.Topology.Changes()) {
		return !Expired(ctx)
	}
	return Sleep(ctx, p.Pause(x.Random()))
}
