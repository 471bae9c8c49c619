package mongotest

import (
	"fmt"
	"time"
)

// Primary is the number of the primary, or -1 while the replica set has none. Of any other deployment it is 0.
func (d *Deployment) Primary() int {
	if d.set == nil {
		return 0
	}
	d.set.mu.Lock()
	defer d.set.mu.Unlock()
	return d.set.primary
}

// StepDown makes the primary of a replica set a secondary; another member is elected in its place. It returns when there
// is a new primary, or the deployment is closed. Of any other deployment it does nothing: the shards of a cluster are not
// seen behind the routers, which go on answering.
func (d *Deployment) StepDown() {
	if d.set == nil {
		return
	}
	if elected := d.set.stepDown(); elected != nil {
		<-elected
	}
}

// stepDown returns a channel that is closed when a new primary has been elected, or nil when there was none to lose.
func (s *memberSet) stepDown() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary < 0 || s.stopped {
		return nil
	}
	elected := s.elected
	s.leaver = s.primary
	s.loseLocked()
	return elected
}

// Kill stops node i at once: its port is closed and its connections are cut; a load balancer gives it no more. A replica
// set elects another primary if it was that.
func (d *Deployment) Kill(i int) {
	n := d.node(i)
	n.stop()
	if d.set != nil {
		d.set.gone(i)
	}
}

// gone is called when a member cannot be reached any more.
func (s *memberSet) gone(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position(i) // it stays there
	if s.primary == i || s.stranded == i {
		if s.d.config.loseWrites {
			s.rollBack()
			s.d.nodes[i].engine.Cursors().KillAll() // they may have seen what is lost
		}
		s.loseLocked()
		return
	}
	if !s.majorityUp() && s.primary >= 0 {
		s.stranded = s.primary
		s.loseLocked()
	}
}

func (s *memberSet) majorityUp() bool {
	up := 0
	for _, m := range s.members {
		if s.d.nodes[m.Node].up() {
			up++
		}
	}
	return 2*up > len(s.members)
}

// Restart starts node i again on its old port, as another process of the same server.
func (d *Deployment) Restart(i int) error {
	n := d.node(i)
	if !n.stopped() {
		return fmt.Errorf("mongotest: node %d runs", i)
	}
	if d.balancer == nil {
		if err := n.listen(n.address); err != nil {
			return err
		}
	}
	n.renew()
	n.serve()
	return nil
}

// Partition cuts node i off for the given length of time: connections stay open and nothing is answered. The rest of a
// replica set elects another primary if it was that.
func (d *Deployment) Partition(i int, length time.Duration) {
	n := d.node(i)
	n.cut(length)
	if d.set != nil {
		d.set.gone(i)
	}
}

// Latency makes node i wait before every reply; 0 ends it.
func (d *Deployment) Latency(i int, wait time.Duration) { d.node(i).latency.Store(int64(wait)) }

// Reconfigure gives a replica set another configuration: members that are not named are removed from the set, though
// they keep running.
func (d *Deployment) Reconfigure(members ...Member) error {
	if d.set == nil {
		return fmt.Errorf("mongotest: only a replica set can be reconfigured")
	}
	named := map[int]bool{}
	for _, m := range members {
		if m.Node < 0 || m.Node >= len(d.nodes) {
			return fmt.Errorf("mongotest: there is no node %d", m.Node)
		}
		if named[m.Node] {
			return fmt.Errorf("mongotest: node %d is named twice", m.Node)
		}
		named[m.Node] = true
	}
	if len(named) == 0 {
		return fmt.Errorf("mongotest: a replica set has at least one member")
	}
	s := d.set
	s.mu.Lock()
	defer s.mu.Unlock()
	s.members = append([]Member(nil), members...)
	s.setVersion++
	if p := s.member(s.primary); p == nil || p.Arbiter || p.Priority == 0 {
		s.loseLocked()
		return nil
	}
	s.announce()
	return nil
}

// CloseConnections cuts every connection of node i; the node goes on listening.
func (d *Deployment) CloseConnections(i int) {
	d.node(i).closeConnections(func(*clientConn) bool { return true })
}

func (d *Deployment) node(i int) *node {
	if i < 0 || i >= len(d.nodes) {
		panic(fmt.Sprintf("mongotest: there is no node %d in a deployment of %d", i, len(d.nodes)))
	}
	return d.nodes[i]
}
