package mongo_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// countingDialer is a dialer that counts the requests for a batch on its connections.
type countingDialer struct {
	*mongotest.Dialer
	getMores atomic.Int32
}

type countingConn struct {
	net.Conn
	d *countingDialer
}

func (d *countingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	return countingConn{c, d}, err
}

func (c countingConn) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("\x12getMore\x00")) {
		c.d.getMores.Add(1)
	}
	return c.Conn.Write(p)
}

// newExhaustCollection makes a collection of ten documents, which are read in batches of two.
func newExhaustCollection(t *testing.T, s *scene) (*mongo.Client, *mongo.Collection, *recorder, *countingDialer) {
	t.Helper()
	events, dialer := &recorder{}, &countingDialer{Dialer: s.d.Dialer()}
	client := s.connect("", &options.Client{Dialer: dialer, CommandMonitor: events.monitor()})
	c := client.Database("shop").Collection("things")
	var ten []bson.D
	for i := range 10 {
		ten = append(ten, bson.Doc("_id", i))
	}
	if _, err := c.InsertMany(t.Context(), ten); err != nil {
		t.Fatal(err)
	}
	return client, c, events, dialer
}

var exhaust = &options.Find{BatchSize: new(int32(2)), Exhaust: new(true)}

func TestExhaustCursorsAskOnce(t *testing.T) {
	for _, tt := range []struct {
		name     string
		shape    mongotest.Option
		version  string
		requests int32
	}{
		{"standalone", mongotest.Standalone(), "8.0", 1},
		{"replica set", mongotest.ReplicaSet(1), "4.2", 1},
		{"mongos", mongotest.Sharded(1), "8.0", 1},
		{"mongos that cannot", mongotest.Sharded(1), "7.0", 5},
		{"load balanced", mongotest.LoadBalanced(1), "8.0", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client, c, events, dialer := newExhaustCollection(t, s)
				defer client.Close(context.Background())
				for range 2 { // the second cursor gets the connection of the first
					dialer.getMores.Store(0)
					cursor, err := c.Find(t.Context(), bson.D{}, exhaust)
					if err != nil {
						t.Fatal(err)
					}
					all, err := mongo.All[bson.Raw](t.Context(), cursor)
					if err != nil || len(all) != 10 {
						t.Fatalf("%d documents, %v", len(all), err)
					}
					if n := dialer.getMores.Load(); n != tt.requests {
						t.Errorf("%d requests for a batch, want %d", n, tt.requests)
					}
				}
				if n := len(events.commands("getMore")); n != 10 {
					t.Errorf("events of %d getMores, want one for each batch", n)
				}
				events.check(t)
				stats := client.Stats()
				if pool := stats.Topology.Servers[0].Pool; stats.Cursors != 0 || pool.InUse != 0 || pool.Idle != 1 {
					t.Errorf("%d cursors, pool %+v", stats.Cursors, pool)
				}
			}, tt.shape, mongotest.Version(tt.version))
		})
	}
}

func TestExhaustCursorsThatEndEarly(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape mongotest.Option
		kills int
	}{
		{"replica set", mongotest.ReplicaSet(1), 1},
		{"load balanced", mongotest.LoadBalanced(1), 0}, // the cursor is lost with its connection
	} {
		for _, end := range []string{"Close", "an error", "a deadline"} {
			t.Run(fmt.Sprint(tt.name, ", ", end), func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					client, c, events, _ := newExhaustCollection(t, s)
					defer client.Close(context.Background())
					defer s.spoil(end)()
					cursor, err := c.Find(t.Context(), bson.D{}, exhaust)
					if err != nil {
						t.Fatal(err)
					}
					for range 3 {
						if !cursor.Next(t.Context()) {
							t.Fatal(cursor.Err())
						}
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					kills := tt.kills
					if end != "Close" {
						for cursor.Next(ctx) {
						}
						if cursor.Err() == nil {
							t.Error("the cursor did not fail")
						}
					}
					if end == "an error" {
						kills = 0 // the server has already closed the cursor
					}
					cursor.Close(t.Context())
					if n := len(events.commands("killCursors")); n != kills {
						t.Errorf("%d killCursors, want %d", n, kills)
					}
					if pool := client.Stats().Topology.Servers[0].Pool; pool.InUse != 0 || client.Stats().Cursors != 0 {
						t.Errorf("pool %+v", pool)
					}
					if err := client.Ping(t.Context(), nil); err != nil {
						t.Error(err)
					}
					events.check(t)
				}, tt.shape)
			})
		}
	}
}

// spoil keeps the second batch of a stream from arriving, which the server sends right after the first. The returned
// function ends the wait.
func (s *scene) spoil(end string) (release func()) {
	answer := make(chan struct{})
	if end == "Close" {
		return func() {}
	}
	s.d.Control("getMore", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{} })
	s.d.Control("getMore", func(mongotest.Command) mongotest.Answer {
		if end == "an error" {
			return mongotest.Answer{Reply: encodeReply(s.t, "ok", 0, "code", 43, "errmsg", "told to")}
		}
		<-answer
		return mongotest.Answer{}
	})
	return func() { close(answer) }
}

// OP_MSG, "moreToCome On Responses": a server may end a stream before the cursor's end. The driver then asks for the
// next batch.
func TestAStreamThatEndsBeforeItsCursor(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, c, events, dialer := newExhaustCollection(t, s)
		defer client.Close(context.Background())
		var id int64
		s.d.Control("getMore", func(c mongotest.Command) mongotest.Answer {
			id, _ = c.Body.Lookup("getMore").AsInt64OK()
			return mongotest.Answer{}
		})
		s.d.Control("getMore", func(mongotest.Command) mongotest.Answer { // the last of the stream
			batch := bson.Doc("id", id, "ns", "shop.things", "nextBatch", bson.A{bson.Doc("_id", "alone")})
			return mongotest.Answer{Reply: encodeReply(t, "ok", 1, "cursor", batch)}
		})
		cursor, err := c.Find(t.Context(), bson.D{}, exhaust)
		if err != nil {
			t.Fatal(err)
		}
		all, err := mongo.All[bson.Raw](t.Context(), cursor)
		if err != nil || len(all) != 11 {
			t.Errorf("%d documents, %v", len(all), err)
		}
		if n := dialer.getMores.Load(); n != 2 {
			t.Errorf("%d requests for a batch, want 2", n)
		}
		events.check(t)
	}, mongotest.ReplicaSet(1))
}
