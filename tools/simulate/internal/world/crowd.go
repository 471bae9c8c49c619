package world

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// stopped is more writes than a world has, so a member that lags by this many gets none.
const stopped = 1 << 40

// rollBack stops the replication of all members but the primary, so writes pile up there that no majority has. Its end
// cuts the primary off while the others elect a new one and go on.
func (n *nemesis) rollBack(ctx context.Context, f scenario.Fault) (end func()) {
	primary := n.d.Primary()
	if primary < 0 {
		return nil
	}
	var follow []func()
	for i := range n.s.World.Nodes {
		if i != primary {
			member := scenario.Fault{Kind: scenario.Lag, Node: i}
			follow = append(follow, n.hold(member, func() { n.d.Lag(i, stopped) }, func() { n.d.Lag(i, 0) }))
		}
	}
	return func() {
		n.writeCanary(ctx, primary)
		cut := scenario.Fault{Kind: scenario.Isolate, Node: primary}
		heal := n.hold(cut, func() { n.d.Partition(primary, n.s.World.Length) }, func() { n.d.Partition(primary, 0) })
		n.wait(f.Wait)
		for _, end := range follow {
			end()
		}
		heal()
	}
}

// oldNews holds the primary's replies to its clients and makes it step down after a while. The held replies arrive when the
// clients already know the next primary.
func (n *nemesis) oldNews(f scenario.Fault) (end func()) {
	primary := n.d.Primary()
	if primary < 0 {
		return nil
	}
	var ends []func()
	for _, c := range n.s.Clients {
		ends = append(ends, n.net.Block(c.Number, n.address(primary), false, true))
	}
	if n.wait(f.Wait) && n.d.Primary() == primary {
		n.d.StepDown()
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// crowd has a client do more at once than its pools have connections for.
func (n *nemesis) crowd(ctx context.Context, f scenario.Fault) {
	c := n.clients[max(f.Client, 0)]
	ctx, cancel := context.WithTimeout(ctx, f.For)
	defer cancel()
	began, deadline := time.Now(), time.Now().Add(f.For)
	var running sync.WaitGroup
	for range f.N {
		running.Go(func() {
			err := database(c.mongo()).Collection("still").FindOne(ctx, byID("nobody")).Err()
			if late := time.Since(deadline); late > grace {
				n.violate("deadline", "an operation of a crowd ended %v after its context: %v", late, err)
			}
			if err != nil && !errors.Is(err, mongo.ErrNoDocuments) && !c.isExpected(err, began) {
				n.violate("errors", "an operation of a crowd: %v", err)
			}
		})
	}
	running.Wait()
}
