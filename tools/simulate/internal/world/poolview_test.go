package world

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// poolStep is an event of a pool. Connection 0 means none.
type poolStep struct {
	what string
	id   int64
}

// use returns the events of a connection that is created and checked out.
func use(id int64) []poolStep {
	return []poolStep{{"wants", 0}, {"made", id}, {"ready", id}, {"out", id}}
}

// leave returns the events of a connection that comes back to a closed pool.
func leave(id int64) []poolStep { return []poolStep{{"in", id}, {"gone", id}} }

func TestPoolView(t *testing.T) {
	clear, pause := []poolStep{{"cleared", 0}}, []poolStep{{"pause", 0}}
	idle, out := []poolStep{{"in", 1}}, []poolStep{{"wants", 0}, {"out", 1}}
	again := []poolStep{{"pool closed", 0}, {"pool", 0}}
	for name, c := range map[string]struct {
		steps [][]poolStep
		found int
	}{
		"as many as it may have":             {[][]poolStep{use(1), use(2), leave(1), leave(2)}, 0},
		"one too many":                       {[][]poolStep{use(1), use(2), use(3), leave(1), leave(2), leave(3)}, 1},
		"checked out twice":                  {[][]poolStep{use(1), {{"wants", 0}, {"out", 1}}, leave(1)}, 1},
		"checked in twice":                   {[][]poolStep{use(1), {{"in", 1}}, leave(1)}, 1},
		"made while the pool is paused":      {[][]poolStep{clear, pause, use(1), leave(1)}, 1},
		"made as the pool is paused":         {[][]poolStep{clear, use(1), leave(1)}, 0},
		"made when the pool is ready again":  {[][]poolStep{clear, pause, {{"pool ready", 0}}, use(1), leave(1)}, 0},
		"ready twice":                        {[][]poolStep{{{"pool ready", 0}}}, 1},
		"not closed":                         {[][]poolStep{use(1)}, 1},
		"another pool beside the last uses":  {[][]poolStep{use(1), use(2), again, use(1), use(2), leave(2), leave(1), leave(1), leave(2)}, 0},
		"one too many in another pool":       {[][]poolStep{use(1), again, use(1), use(2), use(3), leave(1), leave(1), leave(2), leave(3)}, 1},
		"the other one is checked in first":  {[][]poolStep{use(1), again, use(1), {{"in", 1}, {"wants", 0}, {"out", 1}}, leave(1), leave(1)}, 0},
		"an older connection stays for ever": {[][]poolStep{use(1), again, use(1), leave(1)}, 1},
		"checked out as the pool is cleared": {[][]poolStep{use(1), idle, clear, out, leave(1)}, 0},
		"cleared twice at that moment":       {[][]poolStep{use(1), idle, clear, clear, out, leave(1)}, 0},
		"checked out behind the clear":       {[][]poolStep{use(1), idle, clear, pause, out, leave(1)}, 1},
		"checked out behind another clear":   {[][]poolStep{use(1), idle, clear, pause, clear, out, leave(1)}, 1},
		"idle for too long":                  {[][]poolStep{use(1), idle, pause, pause, out, leave(1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{t: t, s: &scenario.Scenario{}, began: time.Now(), result: &Result{Effects: map[string]int{}}, failed: map[string]int{}}
				o := newObserver(&client{world: w, plan: scenario.Client{MaxPool: 2, Idle: 90 * time.Second}})
				m := o.poolMonitor()
				poolStep{"pool", 0}.tell(m)
				for _, steps := range c.steps {
					for _, s := range steps {
						s.tell(m)
					}
				}
				poolStep{"pool closed", 0}.tell(m)
				o.finishPools()
				if got := w.failed["pool"]; got != c.found {
					t.Errorf("%d violations, want %d: %v", got, c.found, w.result.Violations)
				}
			})
		})
	}
}

func (s poolStep) tell(m *event.PoolMonitor) {
	const at = "node1:27017"
	switch s.what {
	case "pool":
		m.PoolCreated(&event.PoolCreated{Address: at})
		m.PoolReady(&event.PoolReady{Address: at})
	case "pool ready":
		m.PoolReady(&event.PoolReady{Address: at})
	case "pool closed":
		m.PoolClosed(&event.PoolClosed{Address: at})
	case "wants":
		m.ConnectionCheckOutStarted(&event.ConnectionCheckOutStarted{Address: at})
	case "made":
		m.ConnectionCreated(&event.ConnectionCreated{Address: at, ConnectionID: s.id})
	case "ready":
		m.ConnectionReady(&event.ConnectionReady{Address: at, ConnectionID: s.id})
	case "out":
		m.ConnectionCheckedOut(&event.ConnectionCheckedOut{Address: at, ConnectionID: s.id})
	case "in":
		m.ConnectionCheckedIn(&event.ConnectionCheckedIn{Address: at, ConnectionID: s.id})
	case "cleared":
		m.PoolCleared(&event.PoolCleared{Address: at})
	case "pause":
		<-time.After(time.Minute)
	case "gone":
		m.ConnectionClosed(&event.ConnectionClosed{Address: at, ConnectionID: s.id, Reason: event.ClosedPoolClosed})
	}
}
