package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/tools/mongotest"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// nemesis makes the faults of a scenario happen, and ends all of them when peace comes.
type nemesis struct {
	*world
	peace chan struct{}

	mu      sync.Mutex
	active  map[string]int // how many faults of a kind hold on to a node
	removed map[int]int    // members that are out of the replica set

	canaries []any // the ids of documents that a roll-back takes
}

func newNemesis(w *world) *nemesis {
	return &nemesis{world: w, peace: make(chan struct{}), active: map[string]int{}, removed: map[int]int{}}
}

// run carries out the faults and returns when peace has come.
func (n *nemesis) run(ctx context.Context) {
	var running sync.WaitGroup
	for _, f := range n.s.Faults {
		running.Go(func() {
			if n.wait(f.At - n.elapsed()) {
				n.carryOut(ctx, f)
			}
		})
	}
	<-time.After(n.s.World.Length - n.elapsed())
	close(n.peace)
	running.Wait()
	n.net.Forget()
	for i := range n.s.World.Nodes {
		n.d.Partition(i, 0)
		n.d.Lag(i, 0)
		n.d.Latency(i, 0)
		n.disableFailPoints(ctx, i)
	}
}

// wait sleeps and reports false when peace came first.
func (n *nemesis) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-n.peace:
		return false
	}
}

// carryOut begins a fault, waits and ends it.
func (n *nemesis) carryOut(ctx context.Context, f scenario.Fault) {
	m := Mark{Kind: "fault", Node: f.Node, Client: f.Client, Start: n.elapsed(), Text: describe(f)}
	if f.Kind == scenario.StepDown || f.Kind == scenario.RollBack || f.Kind == scenario.OldNews {
		m.Node = n.d.Primary()
	}
	before := n.state(f.Node)
	end, err := n.begin(ctx, f)
	n.countBegun(f, before)
	if err != nil {
		n.violate("world", "%s: %v", describe(f), err)
	}
	if f.For > 0 {
		n.wait(f.For)
	}
	n.countUsedUp(f)
	if end != nil {
		end()
	}
	m.End = n.elapsed()
	n.mark(m)
}

func describe(f scenario.Fault) string {
	text := f.Kind
	if f.N > 0 {
		text += fmt.Sprintf(" n=%d", f.N)
	}
	if f.Wait > 0 {
		text += fmt.Sprintf(" wait=%v", f.Wait)
	}
	return text
}

// begin starts a fault and returns what ends it.
func (n *nemesis) begin(ctx context.Context, f scenario.Fault) (end func(), err error) {
	switch f.Kind {
	case scenario.Kill:
		return n.hold(f, func() { n.d.Kill(f.Node) }, func() { n.restart(f.Node) }), nil
	case scenario.StepDown:
		if n.d.Primary() >= 0 {
			n.countEffect(f.Kind)
		}
		n.d.StepDown()
	case scenario.Isolate:
		return n.hold(f, func() { n.d.Partition(f.Node, n.s.World.Length) }, func() { n.d.Partition(f.Node, 0) }), nil
	case scenario.Lag:
		return n.hold(f, func() { n.d.Lag(f.Node, f.N) }, func() { n.d.Lag(f.Node, 0) }), nil
	case scenario.RollBack:
		return n.rollBack(ctx, f), nil
	case scenario.OldNews:
		return n.oldNews(f), nil
	case scenario.Crowd:
		n.crowd(ctx, f)
	case scenario.SlowNode:
		return n.hold(f, func() { n.d.Latency(f.Node, f.Wait) }, func() { n.d.Latency(f.Node, 0) }), nil
	case scenario.Drop:
		n.d.CloseConnections(f.Node)
	case scenario.Reconfigure:
		return n.reconfigure(f), nil
	case scenario.Skew:
		return n.hold(f, func() { n.d.Skew(f.Node, f.Wait) }, func() { n.d.Skew(f.Node, 0) }), nil
	case scenario.LoseName:
		n.changeNames(func() { n.names.silent++ })
		return func() { n.changeNames(func() { n.names.silent-- }) }, nil
	case scenario.FewerNames:
		n.changeNames(func() { n.names.missing[f.Node]++ })
		return func() { n.changeNames(func() { n.names.missing[f.Node]-- }) }, nil
	case scenario.NewToken:
		n.login.revokeToken(n.d)
	case scenario.CloseClient:
		return nil, n.clients[max(f.Client, 0)].reopen(ctx)
	case scenario.FailCode, scenario.FailClose, scenario.FailSlow, scenario.FailConcern, scenario.Overload, scenario.Reauthenticate:
		return nil, n.setFailPoint(ctx, f)
	case scenario.OverloadMost:
		for node := range n.s.World.Nodes {
			if one := f; node != f.Node {
				one.Node = node
				err = errors.Join(err, n.setFailPoint(ctx, one))
			}
		}
	case scenario.FailCommits:
		for f.Node = range n.s.World.Nodes {
			err = errors.Join(err, n.setFailPoint(ctx, f))
		}
		return nil, err
	default:
		return n.disturb(f), nil
	}
	return nil, nil
}

// hold applies a fault to a node and undoes it when the last fault of the kind that holds on to the node ends.
func (n *nemesis) hold(f scenario.Fault, apply, undo func()) (end func()) {
	held := key(f.Kind, f.Node)
	n.mu.Lock()
	n.active[held]++
	first := n.active[held] == 1
	n.mu.Unlock()
	if first {
		apply()
	}
	return func() {
		n.mu.Lock()
		n.active[held]--
		last := n.active[held] == 0
		n.mu.Unlock()
		if last {
			undo()
		}
	}
}

// changeNames changes what DNS answers. Before that, it checks that the clients have followed the answer that there was.
func (n *nemesis) changeNames(f func()) {
	for _, node := range n.names.missingNodes(n.s.World.Nodes) {
		for _, c := range n.clients {
			n.countEffect(judgedNames)
			for _, s := range c.mongo().TopologyDescription().Servers {
				if name, _, _ := strings.Cut(s.Address, "."); name == n.name(node) && !c.leaving.Load() {
					n.violate("names", "client %d still knows %s, which DNS has not named for %v", c.plan.Number, s.Address, rescan)
				}
			}
		}
	}
	n.names.change(f)
}

// name returns the first part of a node's address.
func (n *nemesis) name(node int) string {
	name, _, _ := strings.Cut(n.address(node), ".")
	return name
}

func key(kind string, node int) string { return fmt.Sprint(kind, node) }

// reconfigure takes a member out of the replica set unless two would be left.
func (n *nemesis) reconfigure(f scenario.Fault) (end func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.removed) > 0 || n.s.World.Nodes < 4 && n.d.Primary() == f.Node {
		return nil
	}
	n.removed[f.Node]++
	n.configure()
	n.countEffect(scenario.Reconfigure)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.removed, f.Node)
		n.configure()
	}
}

func (n *nemesis) configure() {
	var members []mongotest.Member
	for i := range n.s.World.Nodes {
		if n.removed[i] == 0 {
			members = append(members, mongotest.Member{Node: i, Priority: 1})
		}
	}
	if err := n.d.Reconfigure(members...); err != nil {
		n.violate("world", "reconfiguring: %v", err)
	}
}

func (n *nemesis) restart(node int) {
	if err := n.d.Restart(node); err != nil {
		n.violate("world", "restarting node %d: %v", node, err)
	}
}

// address returns the name that the network has for a node.
func (n *nemesis) address(node int) string {
	hosts := n.d.Hosts()
	address, _, _ := strings.Cut(hosts[node%len(hosts)], ":")
	return address
}

// disturb does something to the paths between clients and a node.
func (n *nemesis) disturb(f scenario.Fault) (end func()) {
	address := n.address(f.Node)
	var ends []func()
	for _, c := range n.s.Clients {
		if f.Client >= 0 && c.Number != f.Client {
			continue
		}
		switch f.Kind {
		case scenario.BlockBoth, scenario.BlockUp, scenario.BlockDown:
			ends = append(ends, n.net.Block(c.Number, address, f.Kind != scenario.BlockDown, f.Kind != scenario.BlockUp))
		case scenario.SlowPath:
			ends = append(ends, n.net.Slow(c.Number, address, f.Wait))
		case scenario.Refuse:
			ends = append(ends, n.net.Refuse(c.Number, address))
		case scenario.HalfOpen:
			n.net.HalfOpen(c.Number, address)
		case scenario.Reset:
			n.net.Reset(c.Number, address)
		case scenario.MidFrame:
			n.net.ResetReply(c.Number, address, f.N)
		case scenario.Stall:
			n.net.StallReply(c.Number, address, f.N, f.Wait)
		default:
			n.violate("world", "there is no fault %q", f.Kind)
		}
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
