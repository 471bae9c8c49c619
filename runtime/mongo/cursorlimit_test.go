package mongo_test

import (
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Find, getMore and killCursors Commands, "Behavior of Limit, skip and batchSize": a getMore has no limit, so the last
// one asks for as many documents as are left. If the server keeps the cursor open after that, the driver asks on until
// it ends, or kills it.
func TestALimitIsKeptByTheLastBatch(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, r := connectRecorded(t, d)
	c := client.Database("shop").Collection("numbers")
	find := func() *mongo.Cursor {
		cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(3)), Limit: new(int64(4))})
		if err != nil {
			t.Fatal(err)
		}
		return cursor
	}
	batch := func(field string, id int64, documents ...any) bson.Raw {
		return encodeReply(t, "ok", 1, "cursor", bson.Doc("id", id, "ns", "shop.numbers", field, append(bson.A{}, documents...)))
	}
	empty := bson.D{}
	answerEach(d, "find", batch("firstBatch", 5, empty, empty, empty))
	answers := []bson.Raw{batch("nextBatch", 5, empty), batch("nextBatch", 0)}
	d.Intercept(mongotest.Named("getMore"), 0, func(mongotest.Command) mongotest.Answer {
		reply := answers[0]
		answers = slices.Delete(answers, 0, 1)
		return mongotest.Answer{Reply: reply}
	})
	if list, err := mongo.All[bson.Raw](t.Context(), find()); len(list) != 4 || err != nil {
		t.Fatalf("%d documents, %v", len(list), err)
	}
	more := r.commands("getMore")
	if size, _ := more[0].Command.Lookup("batchSize").AsInt64OK(); size != 1 || len(more) != 2 {
		t.Errorf("%d getMore, the first one asks for %d documents", len(more), size)
	}
	answers = []bson.Raw{batch("nextBatch", 5, empty)}
	cursor := find()
	for range 4 {
		if !cursor.Next(t.Context()) {
			t.Fatal(cursor.Err())
		}
	}
	cursor.Close(t.Context())
	if n := len(r.commands("killCursors")); n != 1 {
		t.Errorf("%d killCursors of a cursor that stands at its limit, want 1", n)
	}
}

// A limit that no batch reaches leaves the size of the batches to the server.
func TestALimitBeyondEveryBatchLeavesItsSizeAlone(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	c := client.Database("shop").Collection("numbers")
	many := make([]bson.D, 102)
	for i := range many {
		many[i] = bson.Doc("_id", i)
	}
	if _, err := c.InsertMany(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{Limit: new(int64(1<<32 - 1))})
	if err != nil {
		t.Fatal(err)
	}
	if list, err := mongo.All[bson.Raw](t.Context(), cursor); err != nil || len(list) != len(many) {
		t.Errorf("%d documents, %v", len(list), err)
	}
	for _, e := range r.commands("getMore") {
		if size := e.Command.Lookup("batchSize"); !size.IsZero() {
			t.Errorf("batchSize %v", size)
		}
	}
}

// Find, getMore and killCursors Commands, "Semantics of maxTimeMS for a Driver".
func TestWhichTimeTheNextBatchHas(t *testing.T) {
	const work, wait = 5000, 30
	for _, tt := range []struct {
		name string
		kind options.CursorType
		want int64 // maxTimeMS of the getMore
	}{
		{"an ordinary cursor", options.NonTailable, 0},
		{"a tailable cursor", options.Tailable, 0},
		{"a cursor that awaits data", options.TailableAwait, wait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, r := connectRecorded(t, mongotest.Start(t))
			db := client.Database("shop")
			if err := db.CreateCollection(t.Context(), "log", &options.CreateCollection{Capped: new(true), Size: new(int64(4096))}); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Collection("log").InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2)}); err != nil {
				t.Fatal(err)
			}
			o := &options.Find{BatchSize: new(int32(1)), CursorType: &tt.kind, MaxTime: new(work * time.Millisecond)}
			if tt.kind == options.TailableAwait {
				o.MaxAwaitTime = new(wait * time.Millisecond)
			}
			cursor, err := db.Collection("log").Find(t.Context(), bson.D{}, o)
			if err != nil {
				t.Fatal(err)
			}
			defer cursor.Close(t.Context())
			for range 2 {
				if !cursor.Next(t.Context()) {
					t.Fatal(cursor.Err())
				}
			}
			if ms, _ := r.commands("find")[0].Command.Lookup("maxTimeMS").AsInt64OK(); ms != work {
				t.Errorf("find has a maxTimeMS of %d", ms)
			}
			if ms, _ := r.commands("getMore")[0].Command.Lookup("maxTimeMS").AsInt64OK(); ms != tt.want {
				t.Errorf("getMore has a maxTimeMS of %d, want %d", ms, tt.want)
			}
		})
	}
}
