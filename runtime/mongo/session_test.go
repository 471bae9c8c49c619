package mongo_test

import (
	"context"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestImplicitSessionsAreGivenBackOnEveryPath(t *testing.T) {
	onEachShape(t, func(t *testing.T, d *mongotest.Deployment, _ *mongo.Client) {
		client, events := connectRecorded(t, d)
		ctx := t.Context()
		c := client.Database("shop").Collection("things")
		if _, err := c.InsertMany(ctx, []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
			t.Fatal(err)
		}
		paths := []struct {
			name string
			run  func()
		}{
			{"server error", func() { c.InsertOne(ctx, bson.Doc("_id", 1)) }},
			{"unknown command", func() { c.Database().RunCommand(ctx, bson.Doc("noSuchCommand", 1)) }},
			{"option that cannot be encoded", func() { c.FindOne(ctx, bson.D{}, &options.FindOne{Hint: make(chan int)}) }},
			{"cursor closed early", func() {
				cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					t.Fatal(err)
				}
				cursor.Close(ctx)
				cursor.Close(ctx)
			}},
			{"cursor left in the middle", func() {
				cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					t.Fatal(err)
				}
				for range mongo.Each[bson.Raw](ctx, cursor) {
					break
				}
			}},
			{"getMore fails", func() {
				cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					t.Fatal(err)
				}
				d.Control("getMore", func(mongotest.Command) mongotest.Answer {
					return mongotest.Answer{Reply: encodeReply(t, "ok", 0, "code", 43, "errmsg", "told to")}
				})
				if _, err := mongo.All[bson.Raw](ctx, cursor); err == nil {
					t.Error("getMore did not fail")
				}
			}},
			{"broken batch", func() {
				d.Control("find", func(mongotest.Command) mongotest.Answer {
					return mongotest.Answer{Reply: encodeReply(t, "ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "shop.things", "firstBatch", bson.A{1}))}
				})
				if err := c.FindOne(ctx, bson.D{}).Err(); err == nil {
					t.Error("a number was taken for a document")
				}
			}},
		}
		// Consecutive operations need only one session. A path that keeps it makes the next operation take a new one.
		want := events.commands("insert")[0].Command.Lookup("lsid")
		for _, path := range paths {
			path.run()
			if err := client.Ping(ctx, nil); err != nil {
				t.Fatal(err)
			}
			pings := events.commands("ping")
			if got := pings[len(pings)-1].Command.Lookup("lsid"); !got.Equal(want) {
				t.Errorf("%s: the next operation has lsid %v, want %v", path.name, got, want)
			}
		}
	})
}

func TestGetMoreHasTheSessionOfItsCursor(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Ping(t.Context(), nil); err != nil { // takes a session of its own meanwhile
		t.Fatal(err)
	}
	cursor.Next(t.Context())
	cursor.Next(t.Context())
	cursor.Close(t.Context())
	lsid := events.commands("find")[0].Command.Lookup("lsid")
	for _, name := range []string{"getMore", "killCursors"} {
		if sent := events.commands(name); len(sent) != 1 || !sent[0].Command.Lookup("lsid").Equal(lsid) {
			t.Errorf("%s: %v, want the lsid %v", name, sent, lsid)
		}
	}
	if events.commands("ping")[0].Command.Lookup("lsid").Equal(lsid) {
		t.Error("two operations had one session at the same time")
	}
}

func TestCloseEndsSessionsWithoutASession(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []error{nil, mongo.ErrClientClosed} {
		if err := client.Close(context.Background()); err != want {
			t.Fatal(err)
		}
	}
	ended := events.commands("endSessions")
	if len(ended) != 1 || !ended[0].Command.Lookup("lsid").IsZero() {
		t.Fatalf("endSessions: %v", ended)
	}
	want := events.commands("ping")[0].Command.Lookup("lsid")
	if got := ended[0].Command.Lookup("endSessions", "0"); !got.Equal(want) {
		t.Errorf("ended %v, want %v", got, want)
	}
	if err := client.Ping(t.Context(), nil); err != mongo.ErrClientClosed {
		t.Errorf("Ping after Close: %v", err)
	}
}

func TestSessionOfANetworkErrorIsNotUsedAgain(t *testing.T) {
	malformed := encodeReply(t, "ok", 1, "n", "x")
	malformed[len(malformed)-7]++ // the length of the text
	for name, answer := range map[string]mongotest.Answer{
		"no reply": {Drop: true}, "a reply that cannot be read": {Reply: malformed},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, events := s.connectRecorded()
				c := client.Database("shop").Collection("things")
				s.d.Control("insert", func(mongotest.Command) mongotest.Answer { return answer })
				if _, err := c.InsertOne(t.Context(), bson.Doc("x", 1)); err != nil {
					t.Fatal(err)
				}
				if err := client.Ping(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				if n := len(events.commands("insert")); n != 2 {
					t.Errorf("%d tries", n)
				}
				dirty := events.commands("insert")[0].Command.Lookup("lsid")
				if events.commands("ping")[0].Command.Lookup("lsid").Equal(dirty) {
					t.Error("the dirty session went back to the pool")
				}
			}, mongotest.ReplicaSet(1))
		})
	}
}

func TestClusterTimeIsGossiped(t *testing.T) {
	onEachShape(t, func(t *testing.T, d *mongotest.Deployment, _ *mongo.Client) {
		client, events := connectRecorded(t, d)
		for range 2 {
			if err := client.Ping(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		standalone := client.TopologyDescription().Servers[0].Type.String() == "Standalone"
		if sent := !events.commands("ping")[1].Command.Lookup("$clusterTime").IsZero(); sent == standalone {
			t.Errorf("$clusterTime was sent: %v, standalone: %v", sent, standalone)
		}
	})
}

func TestUnacknowledgedWrites(t *testing.T) {
	onEachShape(t, func(t *testing.T, d *mongotest.Deployment, _ *mongo.Client) {
		client, events := connectRecorded(t, d)
		c := client.Database("shop").Collection("things", &options.Collection{WriteConcern: &options.WriteConcern{W: 0}})
		result, err := c.InsertOne(t.Context(), bson.Doc("_id", 1))
		if err != nil || result.Acknowledged {
			t.Fatalf("InsertOne = %+v, %v", result, err)
		}
		updated, err := c.UpdateOne(t.Context(), bson.Doc("_id", 1), bson.Doc("$set", bson.Doc("x", 1)))
		if err != nil || updated.Acknowledged {
			t.Fatalf("UpdateOne = %+v, %v", updated, err)
		}
		for _, e := range append(events.commands("insert"), events.commands("update")...) {
			if !e.Command.Lookup("lsid").IsZero() || !e.Command.Lookup("txnNumber").IsZero() {
				t.Errorf("%s has a session: %v", e.CommandName, e.Command)
			}
			if w, _ := e.Command.Lookup("writeConcern", "w").AsInt64OK(); w != 0 || e.Command.Lookup("writeConcern").IsZero() {
				t.Errorf("%s: %v", e.CommandName, e.Command)
			}
		}
		for _, e := range events.succeeded {
			if e.CommandName == "insert" && e.Reply.Len() != 1 {
				t.Errorf("the reply that is published: %v", e.Reply)
			}
		}
	})
}
