package mongo_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// enough is how many commands fail before a server recovers: far more than a driver sends that pauses.
const enough = 300

// failAtOnce answers the commands of one name with a failure, at once, and returns the times at which they arrived.
func (s *scene) failAtOnce(name string, reply bson.Raw) (times func() []time.Duration) {
	var mu sync.Mutex
	var list []time.Duration
	began := time.Now()
	s.d.Intercept(func(c mongotest.Command) bool { return c.Name == name }, 0, func(mongotest.Command) mongotest.Answer {
		mu.Lock()
		defer mu.Unlock()
		if len(list) == enough {
			return mongotest.Answer{}
		}
		list = append(list, time.Since(began))
		return mongotest.Answer{Reply: reply}
	})
	return func() []time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// checkPace fails unless pauses begin before the fourth try, double from 1 ms and end at 100 ms.
func checkPace(t *testing.T, times []time.Duration, tries int) {
	t.Helper()
	if len(times) < 12 || len(times) > 12+tries {
		t.Fatalf("%d tries, want no more than %d", len(times), 12+tries)
	}
	want := time.Duration(0)
	for i := range 11 {
		if i == 2 {
			want = time.Millisecond
		}
		if got := (times[i+1] - times[i]).Round(100 * time.Microsecond); got != want {
			t.Errorf("before try %d the pause was %v, want %v", i+2, got, want)
		}
		want = min(2*want, 100*time.Millisecond)
	}
}

func TestOperationsThatFailAtOncePauseFromTheFourthTry(t *testing.T) {
	reply := encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to", "errorLabels", bson.A{"RetryableWriteError"})
	for command, run := range map[string]func(context.Context, *mongo.Collection) error{
		"insert": func(ctx context.Context, c *mongo.Collection) error {
			_, err := c.InsertOne(ctx, bson.Doc("x", 1))
			return err
		},
		"find": func(ctx context.Context, c *mongo.Collection) error { return c.FindOne(ctx, bson.D{}).Err() },
	} {
		t.Run(command, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("", &options.Client{Timeout: new(2 * time.Second)})
				defer client.Close(context.Background())
				mongo.SetJitter(client, fullJitter)
				c := s.insertThree(client)
				times := s.failAtOnce(command, reply)
				began := time.Now()
				if err := run(t.Context(), c); !mongo.IsTimeout(err) {
					t.Errorf("got %v, want a timeout", err)
				}
				if took := time.Since(began); took != 2*time.Second {
					t.Errorf("it took %v, want the 2s of the timeout", took)
				}
				checkPace(t, times(), 20)
			}, mongotest.ReplicaSet(1))
		})
	}
}

func TestCommitsThatFailAtOncePauseFromTheFourth(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		c := s.insertThree(client)
		times := s.failAtOnce("commitTransaction", encodeReply(t, "ok", 1, "writeConcernError", bson.Doc("code", 64, "errmsg", "told to")))
		err := client.UseSession(t.Context(), func(ctx context.Context, session *mongo.Session) error {
			return session.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := c.InsertOne(ctx, bson.Doc("x", 1))
				return err
			}, &options.Transaction{})
		})
		if err != nil {
			t.Error(err) // the server recovers
		}
		if list := times(); len(list) == enough {
			if last := list[enough-1]; last < 25*time.Second {
				t.Errorf("%d commits in %v, want 100 ms between them", enough, last)
			}
			checkPace(t, list[:20], 20)
		}
	}, mongotest.ReplicaSet(1))
}

func TestChangeStreamsThatFailAtOncePauseFromTheFourthResumption(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		c := s.insertThree(client)
		stream, err := c.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(context.Background())
		times := s.failAtOnce("getMore", encodeReply(t, "ok", 0, "code", 43, "errmsg", "told to"))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if stream.Next(ctx) || stream.Err() == nil {
			t.Error("there is an event, or no error")
		}
		checkPace(t, times(), 20)
	}, mongotest.ReplicaSet(1))
}

// A change of the topology ends the pauses: what failed before says nothing about the new state.
func TestPausesEndWithAChangeOfTheTopology(t *testing.T) {
	reply := encodeReply(t, "ok", 0, "code", 6, "errmsg", "told to", "errorLabels", bson.A{"RetryableWriteError"})
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("", &options.Client{Timeout: new(10 * time.Second)})
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		c := s.insertThree(client)
		times := s.failAtOnce("insert", reply)
		time.AfterFunc(1500*time.Millisecond, func() { s.d.Kill((s.d.Primary() + 1) % 3) })
		_, err := c.InsertOne(t.Context(), bson.Doc("x", 1))
		if !mongo.IsTimeout(err) {
			t.Errorf("got %v, want a timeout", err)
		}
		list := times()
		at := slices.IndexFunc(list, func(d time.Duration) bool { return d >= 1500*time.Millisecond })
		if at < 0 || at+4 >= len(list) {
			t.Fatalf("%d tries, the change came after number %d", len(list), at)
		}
		at++ // the try after the one that notices
		if list[at+2] != list[at] || (list[at+3]-list[at]).Round(time.Microsecond) != time.Millisecond {
			t.Errorf("tries at %v, want three at once", list[at-1:at+5])
		}
	}, mongotest.ReplicaSet(3))
}

// A server that answers every getMore with nothing, at once, is not asked as often as it can answer.
func TestGetMoresThatBringNothingPauseFromTheFourth(t *testing.T) {
	for name, open := range map[string]func(context.Context, *mongo.Collection) (interface{ Next(context.Context) bool }, error){
		"a cursor": func(ctx context.Context, c *mongo.Collection) (interface{ Next(context.Context) bool }, error) {
			return c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(1))})
		},
		"a change stream": func(ctx context.Context, c *mongo.Collection) (interface{ Next(context.Context) bool }, error) {
			return c.Watch(ctx, mongo.Pipeline{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				client := s.connect("")
				defer client.Close(context.Background())
				mongo.SetJitter(client, fullJitter)
				c := s.insertThree(client)
				if _, err := c.InsertMany(t.Context(), []bson.D{{}, {}}); err != nil {
					t.Fatal(err)
				}
				cursor, err := open(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				times := s.failAtOnce("getMore", encodeReply(t, "ok", 1, "cursor", bson.Doc("id", int64(77), "ns", "db.c", "nextBatch", bson.A{})))
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				for cursor.Next(ctx) { // the first batch
				}
				checkPace(t, times(), 20)
			}, mongotest.ReplicaSet(1))
		})
	}
}

// A server that answers the getMores of a stream at once, and with nothing, is asked as often as the program's
// MaxAwaitTime says.
func TestAStreamThatIsNotAwaitedPauses(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client := s.connect("")
		defer client.Close(context.Background())
		mongo.SetJitter(client, fullJitter)
		const await = 20 * time.Millisecond
		stream, err := client.Database("shop").Collection("things").Watch(t.Context(), bson.A{}, &options.ChangeStream{MaxAwaitTime: new(await)})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(t.Context())
		empty := bson.Doc("id", stream.ID(), "ns", "shop.things", "nextBatch", bson.A{})
		times := s.failAtOnce("getMore", encodeReply(t, "ok", 1, "cursor", empty))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if stream.Next(ctx) {
			t.Errorf("an event: %v", stream.Current())
		}
		list := times()
		if len(list) < 40 || len(list) > 60 {
			t.Fatalf("%d getMores in a second", len(list))
		}
		for i := range 30 {
			if pause := list[i+1] - list[i]; pause > await || i > 10 && pause != await {
				t.Errorf("before getMore %d the pause was %v", i+2, pause)
			}
		}
	}, mongotest.ReplicaSet(1))
}
