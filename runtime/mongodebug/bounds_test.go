package mongodebug

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/mongodebug/view"
)

// command tells the recorder of a command from beginning to end.
func command(t *testing.T, r *recorder, id int64, name string, took time.Duration, err error) {
	t.Helper()
	raw, e := bson.Marshal(bson.Doc(name, "orders", "filter", bson.Doc("x", 1)))
	if e != nil {
		t.Fatal(e)
	}
	r.commandStarted(&event.CommandStarted{Command: raw, CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1-1"})
	if err != nil {
		r.commandFailed(&event.CommandFailed{CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1-1",
			Duration: took, Failure: err})
		return
	}
	r.commandSucceeded(&event.CommandSucceeded{CommandName: name, DatabaseName: "shop", RequestID: id, OperationID: id, ConnectionID: "a:1-1",
		Duration: took, Reply: raw})
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	r := newRecorder(false)
	for i := range int64(5000) {
		var err error
		if i%2 == 0 {
			err = fault.CommandError{Code: 8000, Message: "no"}
		}
		command(t, r, i+1, fmt.Sprintf("find%d", i), time.Duration(i)*time.Microsecond, err)
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
	if kept := len(r.slowest.all(time.Now())); kept > slowMinutes*perMinute || len(s.Slowest) != perMinute {
		t.Errorf("%d slow commands, %d shown", kept, len(s.Slowest))
	}
	if s.Slowest[0].For < 4.99 || !slices.IsSortedFunc(s.Slowest, func(a, b view.Operation) int { return int(b.For*1e6 - a.For*1e6) }) {
		t.Errorf("the slowest is %v", s.Slowest[0])
	}
}

func TestSlowestForgetsOldMinutes(t *testing.T) {
	var s slowest
	at := time.Unix(1_000_000_020, 0)
	s.add(at, remembered{Operation: view.Operation{ID: 1, For: 9}})
	s.add(at.Add(2*time.Minute), remembered{Operation: view.Operation{ID: 2, For: 5}})
	ids := func(now time.Time) (list []int64) {
		for _, m := range s.all(now) {
			list = append(list, m.ID)
		}
		return list
	}
	if got := ids(at.Add(3 * time.Minute)); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("%v", got)
	}
	if got := ids(at.Add(6 * time.Minute)); !slices.Equal(got, []int64{2}) {
		t.Errorf("six minutes later %v", got)
	}
	if got := ids(at.Add(time.Hour)); len(got) != 0 {
		t.Errorf("an hour later %v", got)
	}
}

func TestActivityForgetsOldSeconds(t *testing.T) {
	var a activity
	at := time.Unix(1_000_000_000, 0)
	a.add(at, time.Millisecond, false)
	a.add(at, 3*time.Millisecond, true)
	a.add(at.Add(2*time.Second), 2*time.Millisecond, false)
	v := a.view(at.Add(2 * time.Second))
	if n := len(v.Done); v.Done[n-3] != 2 || v.Failed[n-3] != 1 || v.Longest[n-3] != 3 || v.Done[n-2] != 0 || v.Done[n-1] != 1 {
		t.Errorf("%v %v %v", v.Done[n-3:], v.Failed[n-3:], v.Longest[n-3:])
	}
	a.add(at.Add(seconds*time.Second), time.Millisecond, false) // the same place
	v = a.view(at.Add(seconds * time.Second))
	if n := len(v.Done); v.Done[n-1] != 1 || v.Failed[n-1] != 0 || v.Longest[n-1] != 1 || v.Done[0] != 0 || v.Done[1] != 1 {
		t.Errorf("%v", v.Done)
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
	if n := len(r.slowest.all(time.Now())); n != 2 {
		t.Errorf("%d are slow, not the one with documents and the last one", n)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name    string
		command bson.D
		want    string
	}{
		{"a find", bson.Doc("find", "orders", "filter", bson.Doc("name", "Ada"), "sort", bson.Doc("age", -1), "limit", 3, "$db", "shop",
			"lsid", bson.Doc("id", 1)), `{find: "orders", filter: {name: ?}, sort: {"age":-1}, limit: 3}`},
		{"documents", bson.Doc("insert", "orders", "documents", bson.A{bson.Doc("a", 1, "b", bson.A{1, 2, 3}), bson.Doc("a", 2)}),
			`{insert: "orders", documents: [{a: ?, b: [?]×3}]×2}`},
		{"a pipeline", bson.Doc("aggregate", "orders", "pipeline", bson.A{bson.Doc("$match", bson.Doc("a", 1)), bson.Doc("$limit", 5)}),
			`{aggregate: "orders", pipeline: [{$match: {a: ?}}, {$limit: ?}]}`},
		{"an id", bson.Doc("getMore", int64(12345), "collection", "orders"), `{getMore: ?, collection: "orders"}`},
		{"none", bson.D{}, "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := bson.Marshal(c.command)
			if err != nil {
				t.Fatal(err)
			}
			if got := shape(raw, false); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	deep, wide := bson.Doc("x", 1), bson.D{}
	for range 50 {
		deep = bson.Doc("a", deep)
	}
	for i := range 1000 {
		wide = append(wide, bson.E{Key: fmt.Sprintf("field%d", i), Value: "secret"})
	}
	for _, d := range []bson.D{deep, wide} {
		raw, _ := bson.Marshal(bson.Doc("find", "orders", "filter", d))
		if got := shape(raw, false); len(got) > maxShape+3 || strings.Contains(got, "secret") {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
}
