package topology_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/conn"
	"github.com/specdrivers/onion/runtime/internal/topology"
	"github.com/specdrivers/onion/runtime/sdam"
	"github.com/specdrivers/onion/tools/mongotest"
)

const (
	heartbeatFrequency = 500 * time.Millisecond
	connectTimeout     = 500 * time.Millisecond
)

// electionPause is how long a member does not stand for election after a step-down. If two of three members have
// stepped down, losing the third leaves the set without a primary for that long.
const electionPause = 10*time.Second + heartbeatFrequency

// scene is a topology that watches a replica set of three nodes on loopback, with load on it.
type scene struct {
	t       *testing.T
	servers *mongotest.Deployment
	*topology.Topology
	changed     chan struct{}
	pings       atomic.Int64
	steppedDown time.Time
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, servers: mongotest.Start(t, mongotest.ReplicaSet(3)), changed: make(chan struct{}, 1)}
	changed := func() {
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
	s.Topology = topology.New(topology.Config{
		Hosts: s.servers.Hosts(),
		Options: &options.Client{
			HeartbeatFrequency: new(heartbeatFrequency),
			ConnectTimeout:     new(connectTimeout),
			ReplicaSet:         new("rs0"),
			ServerMonitor: &event.ServerMonitor{
				TopologyDescriptionChanged: func(*event.TopologyDescriptionChanged) { changed() },
			},
		},
		Dialer: &conn.Dialer{ConnectTimeout: connectTimeout},
	})
	s.Connect()
	return s
}

// waitFor waits until a condition holds for the topology, and fails when that takes too long.
func (s *scene) waitFor(limit time.Duration, what string, right func(*description.Topology) bool) {
	s.t.Helper()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	began := time.Now()
	for !right(s.Description()) {
		select {
		case <-s.changed:
		case <-timer.C:
			s.t.Fatalf("%s: not within %v:\n%s", what, limit, sdam.Format(s.Description()))
		}
	}
	s.t.Logf("%s: after %v", what, time.Since(began).Round(time.Millisecond))
}

// isOfType returns the condition that the node has the type.
func (s *scene) isOfType(node int, typ description.ServerType) func(*description.Topology) bool {
	return func(t *description.Topology) bool {
		d, ok := t.Server(s.servers.Hosts()[node])
		return ok && d.Type == typ
	}
}

// hasOnlyCurrentPrimary reports whether the topology's only primary is the current one of the replica set.
func (s *scene) hasOnlyCurrentPrimary(t *description.Topology) bool {
	p := s.servers.Primary()
	return p >= 0 && t.Type == description.ReplicaSetWithPrimary && s.isOfType(p, description.RSPrimary)(t)
}

// load runs operations on the primary and on any member until ctx ends.
func (s *scene) load(ctx context.Context, wg *sync.WaitGroup) {
	ping, err := bson.Marshal(bson.D{{Key: "ping", Value: 1}})
	if err != nil {
		s.t.Fatal(err)
	}
	nearest := &options.ReadPreference{Mode: options.Nearest}
	for i := range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				s.ping(ctx, &topology.Request{Operation: "ping", Write: i%2 == 0, ReadPreference: nearest}, ping)
			}
		})
	}
}

// ping runs one operation as the executor does.
func (s *scene) ping(ctx context.Context, r *topology.Request, command bson.Raw) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	server, err := s.SelectServer(ctx, r)
	if err != nil {
		return
	}
	c, err := server.CheckOut(ctx)
	if err != nil {
		return
	}
	defer server.CheckIn(c)
	if _, err := c.Conn.RunCommand(ctx, "admin", command); err != nil {
		server.HandleError(c, c.Fault(err))
		return
	}
	s.pings.Add(1)
}

// TestReplicaSetThroughElectionsKillsAndPartitions plays some rounds. ONION_SOAK sets the duration, such as 60s.
func TestReplicaSetThroughElectionsKillsAndPartitions(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	soak, _ := time.ParseDuration(os.Getenv("ONION_SOAK"))
	before := runtime.NumGoroutine()
	s := newScene(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	s.load(ctx, &wg)
	s.waitFor(5*time.Second, "discovery", s.hasOnlyCurrentPrimary)
	for began, round := time.Now(), 0; round == 0 || time.Since(began) < soak; round++ {
		s.playRound()
	}
	cancel()
	wg.Wait()
	if n := s.pings.Load(); n < 100 {
		t.Errorf("only %d operations succeeded", n)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	s.servers.Close()
	waitForGoroutines(t, before)
}

// playRound plays an election, a kill with a restart, and a partition.
func (s *scene) playRound() {
	if time.Since(s.steppedDown) > electionPause {
		s.steppedDown = time.Now()
		s.servers.StepDown()
		s.waitFor(time.Second, "election", s.hasOnlyCurrentPrimary)
	}

	killed := s.servers.Primary()
	s.servers.Kill(killed)
	s.waitFor(time.Second, "kill", func(t *description.Topology) bool {
		return s.hasOnlyCurrentPrimary(t) && s.isOfType(killed, description.ServerUnknown)(t)
	})
	if err := s.servers.Restart(killed); err != nil {
		s.t.Fatal(err)
	}
	s.waitFor(time.Second, "restart", s.isOfType(killed, description.RSSecondary))

	cut := s.servers.Primary()
	s.servers.Partition(cut, connectTimeout+2*heartbeatFrequency)
	s.waitFor(connectTimeout+heartbeatFrequency+100*time.Millisecond, "partition", func(t *description.Topology) bool {
		return s.hasOnlyCurrentPrimary(t) && !s.isOfType(cut, description.RSPrimary)(t)
	})
	s.waitFor(3*time.Second, "healing", s.isOfType(cut, description.RSSecondary))
}

// waitForGoroutines waits for goroutines that are ending, such as those of the runtime's timers, and fails if any
// stays.
func waitForGoroutines(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if strings.Contains(string(stacks), "internal/topology.(*") || strings.Contains(string(stacks), "runtime/pool.(*") {
		t.Errorf("goroutines are left:\n%s", stacks)
	}
}
