package world

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

func TestPins(t *testing.T) {
	const one, again, other = "r1:27017[-1]", "r1:27017[-2]", "r2:27017[-3]"
	for name, c := range map[string]struct {
		shape string
		at    []string // the connections of a first command, a second one and the commit
		found int
	}{
		"the same router":                 {scenario.Sharded, []string{one, again, one}, 0},
		"another router":                  {scenario.Sharded, []string{one, other, one}, 1},
		"a commit on another router":      {scenario.Sharded, []string{one, one, other}, 0},
		"the same connection":             {scenario.LoadBalanced, []string{one, one, one}, 0},
		"another connection":              {scenario.LoadBalanced, []string{one, again, one}, 1},
		"a replica set has no such rules": {scenario.ReplicaSet, []string{one, other, other}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scenario.Scenario{World: scenario.World{Shape: c.shape}}
			w := &world{t: t, s: s, began: time.Now(), result: &Result{Effects: map[string]int{}}, failed: map[string]int{}}
			o := newObserver(&client{world: w})
			for i, command := range []string{"find", "update", "commitTransaction"} {
				raw, err := bson.Marshal(bson.Doc(command, "things", "txnNumber", int64(1), "autocommit", false, "startTransaction", i == 0))
				if err != nil {
					t.Fatal(err)
				}
				o.checkPin(&event.CommandStarted{Command: raw, CommandName: command, ConnectionID: c.at[i]})
			}
			if len(w.result.Violations) != c.found {
				t.Errorf("%v, want %d of them", w.result.Violations, c.found)
			}
		})
	}
}
