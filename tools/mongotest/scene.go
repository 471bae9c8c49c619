package mongotest

import (
	"fmt"
	"time"

	"github.com/specdrivers/onion/tools/mongotest/internal/replica"
	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// Member is a member of a replica set in the configuration.
type Member struct {
	// Node is the member's number, counted from 0.
	Node    int
	Hidden  bool
	Arbiter bool
	// Priority decides elections. A member with priority 0, the zero value, never becomes primary, so at least one
	// member needs 1. Unlike on a real server, a primary of lower priority stays until the next election.
	Priority int
	Tags     map[string]string
}

// Primary returns the number of the primary, or -1 while the replica set has none. For any other deployment it returns
// 0.
func (d *Deployment) Primary() int {
	if d.cluster.Set == nil {
		return 0
	}
	return d.cluster.Set.PrimaryNode()
}

// StepDown makes the primary of a replica set step down, and the set elects another member. It returns when there is a
// new primary or the deployment is closed. For any other deployment it does nothing, because routers keep answering
// while a shard elects.
func (d *Deployment) StepDown() {
	if d.cluster.Set == nil {
		return
	}
	if elected := d.cluster.Set.StepDown(); elected != nil {
		<-elected
	}
}

// Kill stops node i at once: it closes the port and cuts the connections. A load balancer skips the node. If it was the
// primary of a replica set, the set elects another one.
func (d *Deployment) Kill(i int) {
	d.node(i).Stop()
	d.noteUnreachable(i)
}

func (d *Deployment) noteUnreachable(i int) {
	if d.cluster.Set != nil {
		d.cluster.Set.NoteUnreachable(i)
	}
}

// Restart starts node i again on its old port, as a new process of the same server.
func (d *Deployment) Restart(i int) error {
	n := d.node(i)
	if !n.Stopped() {
		return fmt.Errorf("mongotest: node %d runs", i)
	}
	if d.balancer == nil {
		if err := n.Listen(n.Address()); err != nil {
			return err
		}
	}
	n.Restart()
	n.Serve()
	return nil
}

// Partition cuts node i off for the given time: its connections stay open but it answers nothing. If it was the primary
// of a replica set, the other members elect another one.
func (d *Deployment) Partition(i int, length time.Duration) {
	d.node(i).Cut(length)
	d.noteUnreachable(i)
}

// Latency makes node i wait before every reply. 0 turns it off.
func (d *Deployment) Latency(i int, wait time.Duration) { d.node(i).Latency.Store(int64(wait)) }

// Skew makes the clock that node i reports wrong by offset: its local time and the dates of its last writes. 0 turns it
// off. The cluster time does not change.
func (d *Deployment) Skew(i int, offset time.Duration) { d.node(i).Skew.Store(int64(offset)) }

// Lag keeps member i of a replica set behind by the last writes while it is a secondary. behind is the number of
// writes; all that one command writes counts as one. The member keeps what it already has, so a majority never loses a
// write that it had. A large number therefore stops replication. The member reads an older state, does not count
// towards write concerns and the majority, and loses elections against members that have more. 0 gives it everything at
// once; [Deployment.CatchUp] does so gradually. A member that becomes primary catches up first. While too many members
// lag, a write with write concern majority, the default from version 5.0 on, waits until wtimeout or maxTimeMS.
func (d *Deployment) Lag(i, behind int) {
	d.node(i)
	if d.cluster.Set != nil {
		d.cluster.Set.Lag(i, int64(max(behind, 0)))
	}
}

// CatchUp ends the lag of member i gradually. The member receives perSecond writes each second, while others go on
// writing. Once it has everything, it follows as any other member does.
func (d *Deployment) CatchUp(i, perSecond int) {
	d.node(i)
	if d.cluster.Set != nil {
		d.cluster.Set.CatchUp(i, max(perSecond, 1))
	}
}

// InitialSync starts node i of a replica set, which the test has killed, with an empty disk. While it copies the data
// of another member, it is neither primary nor secondary, answers no reads and has no vote. Then it becomes a
// secondary.
func (d *Deployment) InitialSync(i int, length time.Duration) error {
	if d.cluster.Set == nil {
		return fmt.Errorf("mongotest: only a member of a replica set syncs")
	}
	if !d.node(i).Stopped() {
		return fmt.Errorf("mongotest: node %d runs", i)
	}
	d.cluster.Set.Resync(i, length)
	return d.Restart(i)
}

// Reconfigure gives a replica set another configuration. It removes the members that it does not name; they keep
// running.
func (d *Deployment) Reconfigure(members ...Member) error {
	if d.cluster.Set == nil {
		return fmt.Errorf("mongotest: only a replica set can be reconfigured")
	}
	named := map[int]bool{}
	var list []replica.Member
	for _, m := range members {
		if m.Node < 0 || m.Node >= len(d.cluster.Nodes) {
			return fmt.Errorf("mongotest: there is no node %d", m.Node)
		}
		if named[m.Node] {
			return fmt.Errorf("mongotest: node %d is named twice", m.Node)
		}
		named[m.Node] = true
		list = append(list, replica.Member(m))
	}
	if len(named) == 0 {
		return fmt.Errorf("mongotest: a replica set has at least one member")
	}
	d.cluster.Set.Reconfigure(list)
	return nil
}

// CloseConnections cuts every connection of node i. The node keeps listening.
func (d *Deployment) CloseConnections(i int) { d.node(i).CloseConnections() }

func (d *Deployment) node(i int) *server.Node {
	if i < 0 || i >= len(d.cluster.Nodes) {
		panic(fmt.Sprintf("mongotest: there is no node %d in a deployment of %d", i, len(d.cluster.Nodes)))
	}
	return d.cluster.Nodes[i]
}
