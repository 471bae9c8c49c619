package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
)

func TestSlowestForgetsOldMinutes(t *testing.T) {
	var s Slowest[int64]
	at := time.Unix(1_000_000_020, 0)
	s.Add(at, 9*time.Millisecond, 1)
	s.Add(at.Add(2*time.Minute), 5*time.Millisecond, 2)
	if got := s.All(at.Add(3 * time.Minute)); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("%v", got)
	}
	if got := s.All(at.Add(6 * time.Minute)); !slices.Equal(got, []int64{2}) {
		t.Errorf("six minutes later %v", got)
	}
	if got := s.All(at.Add(time.Hour)); len(got) != 0 {
		t.Errorf("an hour later %v", got)
	}
}

func TestActivityForgetsOldSeconds(t *testing.T) {
	var a Activity
	at := time.Unix(1_000_000_000, 0)
	a.Add(at, time.Millisecond, false)
	a.Add(at, 3*time.Millisecond, true)
	a.Add(at.Add(2*time.Second), 2*time.Millisecond, false)
	v := a.View(at.Add(2 * time.Second))
	if n := len(v.Done); v.Done[n-3] != 2 || v.Failed[n-3] != 1 || v.Longest[n-3] != 3 || v.Done[n-2] != 0 || v.Done[n-1] != 1 {
		t.Errorf("%v %v %v", v.Done[n-3:], v.Failed[n-3:], v.Longest[n-3:])
	}
	a.Add(at.Add(seconds*time.Second), time.Millisecond, false) // the same slot
	v = a.View(at.Add(seconds * time.Second))
	if n := len(v.Done); v.Done[n-1] != 1 || v.Failed[n-1] != 0 || v.Longest[n-1] != 1 || v.Done[0] != 0 || v.Done[1] != 1 {
		t.Errorf("%v", v.Done)
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
			if got := Shape(raw, false); got != c.want {
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
		if got := Shape(raw, false); len(got) > maxShape+3 || strings.Contains(got, "secret") {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
}

func TestLastDropsTheOldest(t *testing.T) {
	var l Last[int]
	if l.All() == nil {
		t.Error("an empty list is nil")
	}
	for i := range 5 {
		l.Add(i, 3)
	}
	if got := l.All(); !slices.Equal(got, []int{2, 3, 4}) || l.Total() != 5 {
		t.Errorf("%v of %d", got, l.Total())
	}
}
