package mongo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// slowness is how long the slow commands of these tests take: longer than the context of their call lasts, shorter than
// a cleanup may run in the background.
const slowness = 1500 * time.Millisecond

// cleaningScene returns a deployment on which the slow commands take slowness, and a collection of a client.
func cleaningScene(t *testing.T, slow ...string) (*mongotest.Deployment, *mongo.Collection) {
	t.Helper()
	d := mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.InMemory(), mongotest.Version("8.0"))
	client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer()})
	if err != nil {
		t.Fatal(err)
	}
	c := client.Database("db").Collection("c")
	if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	if err := d.Fail(mongotest.FailPoint{Commands: slow, Block: slowness}); err != nil {
		t.Fatal(err)
	}
	d.Control("bulkWrite", func(mongotest.Command) mongotest.Answer {
		return mongotest.Answer{Reply: mustMarshal(t, bson.Doc("ok", 1, "nErrors", 0, "nInserted", 1, "nMatched", 0, "nModified", 0,
			"nUpserted", 0, "nDeleted", 0, "cursor", bson.Doc("id", int64(77), "ns", "admin.$cmd.bulkWrite", "firstBatch", bson.A{})))}
	})
	d.ForgetCommands()
	return d, c
}

// A call returns when its context ends. What it has to clean up goes on in the background, and Close waits for it.
func TestCallsEndWithTheirContext(t *testing.T) {
	const limit = time.Second
	for _, tt := range cleaningCalls() {
		for how, bound := range map[string]func(context.Context) (context.Context, context.CancelFunc){
			"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(limit, cancel)
				return ctx, cancel
			},
			"deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, limit)
			},
		} {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d, c := cleaningScene(t, tt.slow...)
					client := c.Database().Client()
					ctx, cancel := bound(t.Context())
					defer cancel()
					began := time.Now()
					tt.call(ctx, t, c)
					if took := time.Since(began); took != limit {
						t.Errorf("the call took %v, want %v", took, limit)
					}
					// The deadline of EndSession counts as a timeoutMS, so the abort itself ends with it.
					left := int64(1)
					if tt.name == "EndSession" && how == "deadline" {
						left = 0
					}
					if n := client.Stats().Operations.Cleaning; n != left {
						t.Errorf("%d cleanups go on, want %d", n, left)
					}
					if err := client.Close(t.Context()); err != nil {
						t.Error(err)
					}
					if took := time.Since(began); left == 1 && (took <= limit || took > limit+2*time.Second) {
						t.Errorf("Close has waited until %v", took)
					}
					if n := client.Stats().Operations.Cleaning; n != 0 {
						t.Errorf("%d cleanups go on after Close", n)
					}
					cleaned := 0
					for _, command := range d.Commands() {
						if slices.Contains([]string{"killCursors", "abortTransaction", "delete"}, command.Name) {
							cleaned++
						}
					}
					if cleaned != 1 {
						t.Errorf("%d commands to clean up", cleaned)
					}
				})
			})
		}
	}
}

// A cleanup that the server never answers ends after two seconds, and Close waits no longer than its own context.
func TestCleanupsHaveABound(t *testing.T) {
	for _, tt := range []struct {
		name       string
		patience   time.Duration // the timeout of Close
		ends       time.Duration // Close, counted from the end of the call
		noDeadline bool          // the cursor's Timeout is 0, so it has no bound
	}{
		{"Close is patient", time.Minute, 2 * time.Second, false},
		{"Close is patient, without a bound by a Timeout", time.Minute, 2 * time.Second, true},
		{"Close is not", 100 * time.Millisecond, 100 * time.Millisecond, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, c := cleaningScene(t)
				if tt.noDeadline {
					c = c.Clone(&options.Collection{Timeout: new(time.Duration(0))})
				}
				cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					t.Fatal(err)
				}
				d.Partition(0, time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				cursor.Close(ctx)
				began := time.Now()
				ctx, cancel = context.WithTimeout(t.Context(), tt.patience)
				defer cancel()
				c.Database().Client().Close(ctx)
				if took := time.Since(began); took < tt.ends || took > tt.ends+2*time.Second {
					t.Errorf("Close took %v, want %v and what endSessions takes", took, tt.ends)
				}
			})
		})
	}
}

// While a transaction is aborted in the background, the session has no pin, its next command waits, and its server
// session is not pooled.
func TestASessionWaitsForItsAbort(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		client, events := s.connectRecorded()
		c := client.Database("db").Collection("c")
		if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
			t.Fatal(err)
		}
		session, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = session.WithTransaction(ctx, func(ctx context.Context) error {
			if _, err := c.InsertOne(ctx, bson.D{}); err != nil {
				t.Error(err)
			}
			if session.PinnedServer() == "" {
				t.Error("the transaction is not pinned")
			}
			if err := s.d.Fail(mongotest.FailPoint{Commands: []string{"abortTransaction"}, Block: slowness, Times: 1}); err != nil {
				t.Error(err)
			}
			cancel()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		if session.PinnedServer() != "" || session.PinnedConnection() != 0 || session.TransactionState() != mongo.TransactionAborted {
			t.Errorf("pinned to %q, state %v", session.PinnedServer(), session.TransactionState())
		}
		pooled := client.Stats().Sessions.Pooled
		began := time.Now()
		within := mongo.NewSessionContext(t.Context(), session)
		short, cancel := context.WithTimeout(within, time.Second)
		defer cancel()
		if err := client.Ping(short, nil); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("a command with little time: %v after %v", err, time.Since(began))
		}
		if err := session.StartTransaction(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.InsertOne(within, bson.D{}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != slowness {
			t.Errorf("the next command of the session was sent after %v, want %v", took, slowness)
		}
		if client.Stats().Sessions.Pooled != pooled {
			t.Error("the server session was pooled")
		}
		if err := session.CommitTransaction(t.Context()); err != nil {
			t.Error(err)
		}
		inserts := events.commands("insert")
		first := inserts[len(inserts)-2].Command.Lookup("txnNumber")
		if got := events.commands("abortTransaction")[0].Command.Lookup("txnNumber"); !got.Equal(first) {
			t.Errorf("aborted transaction %v, want %v", got, first)
		}
		session.EndSession(t.Context())
		if n := client.Stats().Sessions.Pooled; n != pooled+1 {
			t.Errorf("%d server sessions are pooled, want %d", n, pooled+1)
		}
	}, mongotest.Sharded(2))
}

// A session that ends while its cursor is killed in the background is pooled after that.
func TestAnEndedSessionIsPooledBehindItsCleanups(t *testing.T) {
	for _, explicit := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			_, c := cleaningScene(t, "killCursors")
			client := c.Database().Client()
			defer client.Close(t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var session *mongo.Session
			inSession, sessions := ctx, 3
			if explicit {
				sessions = 1 // a second cursor would have to wait for the first
				var err error
				if session, err = client.StartSession(); err != nil {
					t.Fatal(err)
				}
				inSession = mongo.NewSessionContext(ctx, session)
			}
			var cursors []*mongo.Cursor
			for range sessions {
				cursor, err := c.Find(inSession, bson.D{}, &options.Find{BatchSize: new(int32(1))})
				if err != nil {
					t.Fatal(err)
				}
				cursors = append(cursors, cursor)
			}
			before := client.Stats().Sessions.Pooled
			cancel()
			for _, cursor := range cursors {
				cursor.Close(ctx)
			}
			if explicit {
				session.EndSession(ctx)
			}
			synctest.Wait()
			if n := client.Stats(); n.Sessions.Pooled != before || n.Operations.Cleaning != int64(sessions) {
				t.Errorf("%d server sessions are pooled, want %d; %d cleanups", n.Sessions.Pooled, before, n.Operations.Cleaning)
			}
			<-time.After(slowness)
			synctest.Wait()
			if n := client.Stats(); n.Sessions.Pooled != before+sessions || n.Operations.Cleaning != 0 {
				t.Errorf("%d server sessions are pooled, want %d; %d cleanups", n.Sessions.Pooled, before+sessions, n.Operations.Cleaning)
			}
		})
	}
}

// With a Timeout, the deadline of the context of Close bounds killCursors. When that leaves no time to send it, it is
// sent in the background.
func TestCleanupsThatCouldNotBeSentAreSentInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, c := cleaningScene(t)
		client := c.Database().Client()
		defer client.Close(t.Context())
		cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1)), Timeout: new(time.Minute)})
		if err != nil {
			t.Fatal(err)
		}
		d.Latency(0, 100*time.Millisecond)
		<-time.After(10 * time.Minute) // until the monitors have noticed
		d.ForgetCommands()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		<-time.After(49 * time.Millisecond)
		began := time.Now()
		cursor.Close(ctx)
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		<-time.After(time.Second)
		killed := 0
		for _, command := range d.Commands() {
			if command.Name == "killCursors" {
				killed++
			}
		}
		if killed != 1 {
			t.Errorf("%d times killCursors", killed)
		}
	})
}
