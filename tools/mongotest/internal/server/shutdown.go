// The command shutdown: the node stops as if it were killed, without an answer.
//
// Left out: the primary of a replica set does not wait for other members to catch up, and timeoutSecs changes nothing.

package server

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
)

func shutdown(_ context.Context, r *request) (bson.Raw, error) {
	k, n := r.cluster, r.node
	k.stopped.Go(func() { // in a goroutine: stopping waits for this command to end
		n.Stop()
		if k.Set != nil {
			k.Set.NoteUnreachable(n.Index)
		}
	})
	return nil, call.ErrDrop
}
