package world

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// step is an event of an operation, or time that passes.
type step struct {
	starts, fails string
	op, number    int64
	pause         time.Duration
}

func TestTraceOfRetries(t *testing.T) {
	start := func(name string, op, number int64) step { return step{starts: name, op: op, number: number} }
	fail := func(name string, op, number int64) step { return step{fails: name, op: op, number: number} }
	pause := step{pause: time.Second}
	for _, c := range []struct {
		name      string
		encrypted bool
		steps     []step
		found     int
	}{
		{"a write that is tried again", false, []step{start("insert", 1, 5), fail("insert", 1, 5), start("insert", 1, 5)}, 0},
		{"a write that is given up at once", false, []step{start("insert", 1, 5), fail("insert", 1, 5)}, 1},
		{"a write that waits for a server in vain", false, []step{start("insert", 1, 5), fail("insert", 1, 5), pause}, 0},
		{"a write that another one follows", false, []step{start("insert", 1, 5), fail("insert", 1, 5), start("update", 2, 6)}, 1},
		{"a batch that another one follows", false, []step{start("insert", 1, 5), fail("insert", 1, 5), start("insert", 1, 6)}, 1},
		{"a third try", false, []step{
			start("insert", 1, 5), fail("insert", 1, 5), start("insert", 1, 5), fail("insert", 1, 5), start("insert", 1, 5),
		}, 1},
		{"a retry that looks up a collection first", true, []step{
			start("insert", 1, 5), fail("insert", 1, 5), start("listCollections", 2, 0), pause, start("insert", 1, 5),
		}, 0},
		{"a client that has nothing to look up", false, []step{
			start("insert", 1, 5), fail("insert", 1, 5), start("listCollections", 2, 0), start("insert", 1, 5),
		}, 1},
		{"a lookup that is given up at once", true, []step{
			start("listCollections", 2, 0), fail("listCollections", 2, 0), start("insert", 1, 5),
		}, 1},
		{"a third try behind lookups", true, []step{
			start("insert", 1, 5), fail("insert", 1, 5), start("listCollections", 2, 0), start("insert", 1, 5), fail("insert", 1, 5),
			start("listCollections", 3, 0), start("insert", 1, 5),
		}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o := watchClient(t, scenario.Client{Encrypted: c.encrypted})
				follow := newTrace(0, false)
				for _, s := range c.steps {
					s.carryOut(o, follow)
				}
				o.endOperation(follow)
				if len(w.result.Violations) != c.found {
					t.Errorf("%v, want %d of them", w.result.Violations, c.found)
				}
			})
		})
	}
}

// A router that gave no connection is one to avoid as well: a retry may then go back to the one that failed.
func TestTraceOfRouters(t *testing.T) {
	for name, c := range map[string]struct {
		refused bool
		found   int
	}{
		"the other router is left out": {false, 1},
		"the other gave no connection": {true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, o := watchClient(t, scenario.Client{})
				o.view.last = &description.Topology{Servers: []description.Server{
					{Address: "", Type: description.Mongos}, {Address: "other", Type: description.Mongos},
				}}
				follow := newTrace(0, false)
				if c.refused {
					o.refused = time.Now()
				}
				for _, s := range []step{{starts: "insert", op: 1, number: 5}, {fails: "insert", op: 1, number: 5}, {starts: "insert", op: 1, number: 5}} {
					s.carryOut(o, follow)
				}
				if len(w.result.Violations) != c.found {
					t.Errorf("%v, want %d of them", w.result.Violations, c.found)
				}
			})
		})
	}
}

// watchClient returns the observer of a client in a world that is one second old.
func watchClient(t *testing.T, plan scenario.Client) (*world, *observer) {
	w := &world{t: t, s: &scenario.Scenario{}, began: time.Now(), result: &Result{Effects: map[string]int{}}, failed: map[string]int{}}
	<-time.After(time.Second)
	return w, newObserver(&client{world: w, plan: plan})
}

func (s step) carryOut(o *observer, follow *trace) {
	ctx := context.WithValue(context.Background(), traceKey{}, follow)
	command := bson.D{{Key: s.starts + s.fails, Value: "things"}}
	if s.number > 0 {
		command = append(command, bson.E{Key: "txnNumber", Value: s.number})
	}
	raw, err := bson.Marshal(command)
	switch {
	case err != nil:
		panic(err)
	case s.starts != "":
		follow.commandStarted(o, &event.CommandStarted{Command: raw, CommandName: s.starts, OperationID: s.op})
	case s.fails != "":
		failure := fault.NetworkError{Doing: "reading a reply from", Err: io.ErrUnexpectedEOF}
		follow.commandFailed(ctx, o, &event.CommandFailed{CommandName: s.fails, OperationID: s.op, Failure: failure}, raw)
	default:
		<-time.After(s.pause)
	}
}
