package mongo_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// closeOpened closes a cursor that a test opens to see what is sent.
func closeOpened(c *mongo.Cursor, err error) error {
	if err != nil {
		return err
	}
	return c.Close(context.Background())
}

// The rows of guide/timeouts.md about the two limits. A deadline on the context alone limits the wait and sends
// maxTimeMS. It changes neither the number of retries nor the deprecated timeouts. Only Timeout does that.
func TestADeadlineOfTheContextChangesNoRules(t *testing.T) {
	const limit, client = 400 * time.Millisecond, "maxPoolSize=1&appName=deadline&waitQueueTimeoutMS=50&socketTimeoutMS=100&wTimeoutMS=7"
	find := func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.D{}).Err() }
	insert := func(ctx context.Context, c *mongo.Collection) error { _, err := c.InsertOne(ctx, bson.D{}); return err }
	// The server would bound the later batches of a cursor by it, too, whose contexts may last longer.
	ofTimeoutAlone := func(t *testing.T, timeout bool, sent []bson.Raw, _ time.Duration, _ error) {
		if has := !sent[0].Lookup("maxTimeMS").IsZero(); has != timeout {
			t.Errorf("sent %v", sent[0])
		}
	}
	for _, tt := range []struct {
		name    string
		prepare func(s *scene, c *mongo.Collection)
		run     func(ctx context.Context, c *mongo.Collection) error
		check   func(t *testing.T, timeout bool, sent []bson.Raw, took time.Duration, err error)
	}{
		{"maxTimeMS is sent", nil, find, func(t *testing.T, _ bool, sent []bson.Raw, _ time.Duration, _ error) {
			if ms, _ := sent[0].Lookup("maxTimeMS").AsInt64OK(); ms <= 0 || ms > limit.Milliseconds() {
				t.Errorf("maxTimeMS is %d", ms)
			}
		}},
		{"maxTimeMS of a find", nil, func(ctx context.Context, c *mongo.Collection) error {
			return closeOpened(c.Find(ctx, bson.D{}))
		}, ofTimeoutAlone},
		{"maxTimeMS of an aggregate", nil, func(ctx context.Context, c *mongo.Collection) error {
			return closeOpened(c.Aggregate(ctx, []bson.D{}))
		}, ofTimeoutAlone},
		{"maxTimeMS of a list", nil, func(ctx context.Context, c *mongo.Collection) error {
			return closeOpened(c.ListIndexes(ctx))
		}, ofTimeoutAlone},
		{"maxTimeMS of $out", nil, func(ctx context.Context, c *mongo.Collection) error {
			return closeOpened(c.Aggregate(ctx, []bson.D{bson.Doc("$out", "copies")}))
		}, func(t *testing.T, _ bool, sent []bson.Raw, _ time.Duration, _ error) {
			if sent[0].Lookup("maxTimeMS").IsZero() {
				t.Errorf("sent %v", sent[0])
			}
		}},
		{"maxTimeMS of the program", nil, func(ctx context.Context, c *mongo.Collection) error {
			return c.FindOne(ctx, bson.D{}, &options.FindOne{MaxTime: new(7 * time.Millisecond)}).Err()
		}, func(t *testing.T, timeout bool, sent []bson.Raw, _ time.Duration, _ error) {
			if ms, _ := sent[0].Lookup("maxTimeMS").AsInt64OK(); (ms == 7) == timeout {
				t.Errorf("maxTimeMS is %d", ms)
			}
		}},
		{"retries", func(s *scene, _ *mongo.Collection) {
			s.fail(bson.Doc("times", 5), failCommandData("find", "errorCode", 6))
		}, find,
			func(t *testing.T, timeout bool, sent []bson.Raw, _ time.Duration, _ error) {
				if want := map[bool]int{true: 6, false: 2}[timeout]; len(sent) != want {
					t.Errorf("%d tries, want %d", len(sent), want)
				}
			}},
		{"waitQueueTimeoutMS", func(s *scene, c *mongo.Collection) {
			s.block(once, 10*time.Second, "deadline", "insert")
			go c.Clone(&options.Collection{Timeout: new(time.Minute)}).InsertOne(s.t.Context(), bson.D{})
			synctest.Wait()
		}, find, func(t *testing.T, timeout bool, _ []bson.Raw, took time.Duration, err error) {
			_, ok := errors.AsType[mongo.WaitQueueTimeoutError](err)
			if want := map[bool]time.Duration{true: limit, false: 50 * time.Millisecond}[timeout]; !ok || took != want {
				t.Errorf("%v after %v, want %v", err, took, want)
			}
		}},
		{"socketTimeoutMS", func(s *scene, _ *mongo.Collection) { s.block("alwaysOn", time.Minute, "deadline", "insert") }, insert,
			func(t *testing.T, timeout bool, _ []bson.Raw, took time.Duration, err error) {
				if want := map[bool]time.Duration{true: limit, false: 2 * 100 * time.Millisecond}[timeout]; !mongo.IsTimeout(err) || took != want {
					t.Errorf("%v after %v, want %v", err, took, want)
				}
			}},
		{"wTimeoutMS", nil, insert, func(t *testing.T, timeout bool, sent []bson.Raw, _ time.Duration, _ error) {
			if got := sent[0].Lookup("writeConcern", "wtimeout"); got.IsZero() != timeout {
				t.Errorf("wtimeout is %v", got)
			}
		}},
	} {
		for _, timeout := range []bool{false, true} {
			t.Run(tt.name+map[bool]string{true: ", Timeout", false: ", context"}[timeout], func(t *testing.T) {
				inScene(t, func(t *testing.T, s *scene) {
					var events recorder
					client := s.connect(client, &options.Client{CommandMonitor: events.monitor()})
					defer client.Close(context.Background())
					c := client.Database("shop").Collection("things")
					if err := client.Ping(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					if tt.prepare != nil {
						tt.prepare(s, c)
					}
					ctx, before := t.Context(), len(events.started)
					if timeout {
						c = c.Clone(&options.Collection{Timeout: new(limit)})
					} else {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, limit)
						defer cancel()
					}
					began := time.Now()
					err := tt.run(ctx, c)
					took := time.Since(began)
					var sent []bson.Raw
					for _, e := range events.started[before:] {
						sent = append(sent, e.Command)
					}
					tt.check(t, timeout, sent, took, err)
				}, mongotest.ReplicaSet(1))
			})
		}
	}
}
