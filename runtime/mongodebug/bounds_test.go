package mongodebug

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongodebug/record"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// recordCommand tells the recorder that a command started and ended.
func recordCommand(t *testing.T, r *recorder, id int64, name string, took time.Duration, err error) {
	t.Helper()
	raw, e := bson.Marshal(bson.Doc(name, "orders", "filter", bson.Doc("x", 1)))
	if e != nil {
		t.Fatal(e)
	}
	r.commandStarted(&event.CommandStarted{Command: raw, CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1[-1]"})
	if err != nil {
		r.commandFailed(&event.CommandFailed{CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1[-1]",
			Duration: took, Failure: err})
		return
	}
	r.commandSucceeded(&event.CommandSucceeded{CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1[-1]",
		Duration: took, Reply: raw})
}

func TestMemoryIsBounded(t *testing.T) {
	r := newRecorder(false)
	for i := range int64(5000) {
		var err error
		if i%2 == 0 {
			err = fault.CommandError{Code: 8000, Message: "no"}
		}
		recordCommand(t, r, i+1, fmt.Sprintf("find%d", i), time.Duration(i)*time.Microsecond, err)
		r.serverOpening(&event.ServerOpening{Address: fmt.Sprintf("h%d:1", i)})
		r.connectionCreated(&event.ConnectionCreated{Address: fmt.Sprintf("h%d:1", i)})
		r.poolClosed(&event.PoolClosed{Address: fmt.Sprintf("h%d:1", i)})
	}
	for i := range r.started {
		if n := len(r.started[i].byID); n != 0 {
			t.Errorf("%d commands are still on their way", n)
		}
	}
	records := 0
	r.pools.byAddress.Range(func(any, any) bool { records++; return true })
	if records != 0 {
		t.Errorf("%d pools that are closed are remembered", records)
	}
	if n := len(r.durations.byName); n > maxNames+1 {
		t.Errorf("%d names of commands", n)
	}
	s := r.State()
	if len(s.Problems) != maxProblems || len(r.problems.open) > maxProblems || len(s.Changes) != maxChanges {
		t.Errorf("%d problems, %d open, %d changes", len(s.Problems), len(r.problems.open), len(s.Changes))
	}
	if kept := len(r.slowest.All(time.Now())); kept > record.Minutes*record.PerMinute || len(s.Slowest) != record.PerMinute {
		t.Errorf("%d slow commands, %d shown", kept, len(s.Slowest))
	}
	if s.Slowest[0].For < 4.99 || !slices.IsSortedFunc(s.Slowest, func(a, b view.Operation) int { return int(b.For*1e6 - a.For*1e6) }) {
		t.Errorf("the slowest is %v", s.Slowest[0])
	}
}

func TestGetMoresThatWaitForDataAreNotSlow(t *testing.T) {
	reply := func(batch bson.A, id int64) bson.Raw {
		raw, err := bson.Marshal(bson.Doc("cursor", bson.Doc("id", id, "ns", "shop.orders", "nextBatch", batch), "ok", 1))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	r := newRecorder(false)
	for i, answer := range []bson.Raw{reply(bson.A{}, 5), reply(bson.A{bson.Doc("a", 1)}, 5), reply(bson.A{}, 0)} {
		r.commandSucceeded(&event.CommandSucceeded{CommandName: "getMore", RequestID: int64(i), Duration: time.Second, Reply: answer})
	}
	if n := len(r.slowest.All(time.Now())); n != 2 {
		t.Errorf("%d are slow, not the one with documents and the last one", n)
	}
}
