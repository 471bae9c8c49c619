package world

import (
	"cmp"
	"context"
	"runtime"
	"strings"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// awaitPeace waits until every client sees the deployment as it is, which must not take long once the faults have ended.
func (w *world) awaitPeace(ctx context.Context) {
	for _, c := range w.clients {
		limit := c.convergence()
		deadline := time.Now().Add(limit)
		if !w.sees(c) {
			w.countEffect(judgedConvergence)
		}
		for !w.sees(c) {
			if time.Now().After(deadline) {
				w.violate("convergence", "client %d, %v after the faults ended: %s", c.plan.Number, limit, c.mongo().TopologyDescription())
				break
			}
			<-time.After(100 * time.Millisecond)
		}
	}
}

// convergence returns how long a client may take: a check that was lost in a connection that is half open ends after the
// heartbeat interval and the connect timeout, and DNS is asked once a minute.
func (c *client) convergence() time.Duration {
	limit := c.world.s.World.Election + 5*time.Second
	limit += 2*cmp.Or(c.plan.Heartbeat, 10*time.Second) + 2*c.connectTimeout()
	if c.world.s.World.SRV {
		limit += 2 * time.Minute
	}
	return limit
}

func (c *client) connectTimeout() time.Duration { return cmp.Or(c.plan.Connect, 10*time.Second) }

// sees reports whether a client sees each node in the role that it has.
func (w *world) sees(c *client) bool {
	known, primaries := 0, 0
	now := c.mongo().TopologyDescription()
	for i := range now.Servers {
		switch now.Servers[i].Type {
		case description.RSPrimary:
			if p := w.d.Primary(); p < 0 || w.d.Hosts()[p] != now.Servers[i].Address {
				return false
			}
			primaries++
			known++
		case description.RSSecondary, description.Mongos:
			known++
		case description.LoadBalancer:
			return true
		}
	}
	return known == w.s.World.Nodes && (primaries == 1 || w.s.World.Shape == scenario.Sharded)
}

// closeDeployment ends the deployment, and checks that no goroutine of the world is left.
func (w *world) closeDeployment() {
	w.d.Close()
	<-time.After(time.Minute) // what is still on its way in the network arrives
	synctest.Wait()
	w.countEffect(judgedLeaks)
	if left := otherGoroutines(); len(left) > 0 {
		w.violate("leaks", "%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
	}
}

// otherGoroutines returns the goroutines of the bubble, without the goroutines of the test itself.
func otherGoroutines() (others []string) {
	buffer := make([]byte, 1<<20)
	all := strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n")
	bubble := bubbleOf(all[0])
	for _, stack := range all[1:] {
		if bubbleOf(stack) == bubble && !strings.Contains(stack, "testing/synctest.Test") {
			others = append(others, stack)
		}
	}
	return others
}

// bubbleOf finds "synctest bubble 7" in the first line of a stack.
func bubbleOf(stack string) string {
	line, _, _ := strings.Cut(stack, "\n")
	_, bubble, found := strings.Cut(line, "synctest bubble ")
	if !found {
		return ""
	}
	return strings.TrimRight(bubble, "]:")
}

func (w *world) count() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.result.Commands++
}
