package mongo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Where a mapReduce puts its results decides which concerns the command carries.
func TestMapReduceIsAReadUnlessItStoresItsResults(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("sales", &options.Collection{
		ReadConcern: &options.ReadConcern{Level: options.ReadConcernMajority}, WriteConcern: &options.WriteConcern{W: "majority"},
		ReadPreference: &options.ReadPreference{Mode: options.SecondaryPreferred},
	})
	const mapper, reducer = "function() { emit(1, this.n) }", "function(key, values) { return 0 }"
	for _, tt := range []struct {
		name          string
		out           any
		reads, writes bool
	}{
		{"returned", nil, true, false},
		{"inline", bson.Doc("inline", 1), true, false},
		{"stored", "sums", false, true},
		{"merged", bson.Doc("merge", "sums"), false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reply := []any{"ok", 1, "results", bson.A{bson.Doc("_id", 1, "value", 0)}}
			if tt.writes {
				reply = []any{"ok", 1, "result", "sums"}
			}
			answer(t, d, "mapReduce", reply...)
			cursor, err := c.MapReduce(t.Context(), mapper, reducer, tt.out)
			if err != nil {
				t.Fatal(err)
			}
			list, err := mongo.All[bson.Raw](t.Context(), cursor)
			if err != nil || (len(list) == 1) != tt.reads {
				t.Errorf("results: %v, %v", list, err)
			}
			sent := events.commands("mapReduce")
			last := sent[len(sent)-1].Command
			if inline, _ := last.Lookup("out", "inline").AsInt64OK(); (inline == 1) != tt.reads {
				t.Errorf("out is %v", last.Lookup("out"))
			}
			for name, want := range map[string]bool{"readConcern": tt.reads, "$readPreference": tt.reads, "writeConcern": tt.writes} {
				if got := !last.Lookup(name).IsZero(); got != want {
					t.Errorf("%s is sent: %v, want %v", name, got, want)
				}
			}
		})
	}
	for name, out := range map[string]any{"no name": "", "no document": 7} {
		if _, err := c.MapReduce(t.Context(), mapper, reducer, out); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func ExampleCollection_MapReduce() {
	server, err := mongotest.New()
	if err != nil {
		panic(err)
	}
	defer server.Close()
	ctx := context.Background()
	client, err := mongo.Connect(ctx, server.URI())
	if err != nil {
		panic(err)
	}
	defer client.Close(ctx)
	// This server runs no JavaScript, but answers as one that does.
	reply, err := bson.Marshal(bson.Doc("ok", 1, "results", bson.A{bson.Doc("_id", "jam", "value", 1), bson.Doc("_id", "tea", "value", 5)}))
	if err != nil {
		panic(err)
	}
	server.Intercept(mongotest.Named("mapReduce"), 1, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: reply} })

	const mapper = "function() { emit(this.what, this.n) }"
	const reducer = "function(what, numbers) { return Array.sum(numbers) }"
	cursor, err := client.Database("shop").Collection("sales").MapReduce(ctx, mapper, reducer, nil)
	if err != nil {
		panic(err)
	}
	type sum struct {
		What string  `bson:"_id"`
		N    float64 `bson:"value"`
	}
	for s, err := range mongo.Each[sum](ctx, cursor) {
		if err != nil {
			panic(err)
		}
		fmt.Println(s.What, s.N)
	}
	// Output:
	// jam 1
	// tea 5
}
