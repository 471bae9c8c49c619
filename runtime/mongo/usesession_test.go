package mongo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestTransactionOnEachShape(t *testing.T) {
	for name, opts := range map[string][]mongotest.Option{
		"replica set":   {mongotest.ReplicaSet(1)},
		"sharded":       {mongotest.Sharded(2)},
		"load balanced": {mongotest.LoadBalanced(2)},
	} {
		t.Run(name, func(t *testing.T) {
			d := mongotest.Start(t, opts...)
			client, events := connectRecorded(t, d)
			c := client.Database("shop").Collection("things")
			if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
				t.Fatal(err)
			}
			err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
				return s.WithTransaction(ctx, func(ctx context.Context) error {
					if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
						return err
					}
					if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
						t.Errorf("outside of the transaction there are %d documents, %v", n, err)
					}
					_, err := c.InsertOne(ctx, bson.Doc("_id", 2))
					return err
				})
			})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 2 {
				t.Errorf("%d documents, %v", n, err)
			}
			inserts := events.commands("insert")
			first, second := inserts[0].Command, inserts[1].Command
			if b, _ := first.Lookup("startTransaction").BooleanOK(); !b {
				t.Errorf("the first command is %v", first)
			}
			if !second.Lookup("startTransaction").IsZero() || second.Lookup("autocommit").IsZero() ||
				!second.Lookup("txnNumber").Equal(first.Lookup("txnNumber")) {
				t.Errorf("the second command is %v", second)
			}
			commits := events.commands("commitTransaction")
			if len(commits) != 1 || !commits[0].Command.Lookup("lsid").Equal(first.Lookup("lsid")) {
				t.Errorf("commits: %v", commits)
			}
			if n := client.NumberSessionsInProgress(); n != 0 {
				t.Errorf("%d sessions in progress", n)
			}
		})
	}
}

func TestMisuseOfSessions(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	other, _ := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	ended, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	ended.EndSession(t.Context())
	foreign, err := other.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.EndSession(t.Context())
	open, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	defer open.EndSession(t.Context())
	unacknowledged := c.Clone(&options.Collection{WriteConcern: &options.WriteConcern{W: 0}})
	start := func(o *options.Session) error {
		s, err := client.StartSession(o)
		if err == nil {
			s.EndSession(t.Context())
		}
		return err
	}
	tests := []struct {
		name string
		run  func() error
		want string
	}{
		{"operation in an ended session", func() error {
			return c.FindOne(mongo.NewSessionContext(t.Context(), ended), bson.D{}).Err()
		}, "mongo: the session has ended: start another one"},
		{"session of another client", func() error {
			return c.FindOne(mongo.NewSessionContext(t.Context(), foreign), bson.D{}).Err()
		}, mongo.ErrWrongClient.Error()},
		{"unacknowledged write", func() error {
			_, err := unacknowledged.InsertOne(mongo.NewSessionContext(t.Context(), open), bson.D{})
			return err
		}, "mongo: an unacknowledged write cannot be part of a session: use a write concern that the server answers, or a context without the session"},
		{"start in an ended session", func() error { return ended.StartTransaction() }, "mongo: the session has ended: start another one"},
		{"commit without a transaction", func() error { return open.CommitTransaction(t.Context()) }, "mongo: No transaction started: call StartTransaction first, or use WithTransaction"},
		{"abort without a transaction", func() error { return open.AbortTransaction(t.Context()) }, "mongo: No transaction started: call StartTransaction first, or use WithTransaction"},
		{"unacknowledged transaction", func() error {
			return open.StartTransaction(&options.Transaction{WriteConcern: &options.WriteConcern{W: 0}})
		}, "mongo: transactions do not support unacknowledged write concerns"},
		{"transaction with a write concern that contradicts itself", func() error {
			return open.StartTransaction(&options.Transaction{WriteConcern: &options.WriteConcern{W: 0, Journal: new(true)}})
		}, "mongo: write concern: w=0 cannot be used with journal"},
		{"transaction with a write concern of no kind", func() error {
			return open.StartTransaction(&options.Transaction{WriteConcern: &options.WriteConcern{W: 1.5}})
		}, "mongo: write concern: w is a float64, not an int or a string"},
		{"snapshot and causal", func() error {
			return start(&options.Session{Snapshot: new(true), CausalConsistency: new(true)})
		}, "mongo: a session cannot be both causally consistent and a snapshot: set one of CausalConsistency and Snapshot"},
		{"snapshot time without snapshot", func() error {
			return start(&options.Session{SnapshotTime: &bson.Timestamp{T: 1}})
		}, "mongo: SnapshotTime needs Snapshot: set both"},
		{"transaction in a snapshot session", func() error {
			s, err := client.StartSession(&options.Session{Snapshot: new(true)})
			if err != nil {
				return err
			}
			defer s.EndSession(t.Context())
			return s.StartTransaction()
		}, "mongo: Transactions are not supported in snapshot sessions: start another session without Snapshot"},
		{"read preference in a transaction", func() error {
			defer open.AbortTransaction(t.Context())
			if err := open.StartTransaction(); err != nil {
				return err
			}
			return c.Database().RunCommand(mongo.NewSessionContext(t.Context(), open), bson.Doc("ping", 1),
				&options.RunCommand{ReadPreference: &options.ReadPreference{Mode: options.Secondary}}).Err()
		}, "mongo: read preference in a transaction must be primary"},
		{"cluster time that is none", func() error { return open.AdvanceClusterTime(nil) },
			"mongo: the cluster time has no clusterTime: pass what ClusterTime of another session returned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.run(); err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestAbortedTransactionLeavesNothing(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("the program changed its mind")
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			if _, err := c.InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
				return err
			}
			return failed
		})
	})
	if err != failed {
		t.Errorf("got %v, want the callback's error as it is", err)
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
		t.Errorf("%d documents, %v", n, err)
	}
	if aborts, commits := events.commands("abortTransaction"), events.commands("commitTransaction"); len(aborts) != 1 || len(commits) != 0 {
		t.Errorf("aborts %v, commits %v", aborts, commits)
	}
}

// Causal Consistency, "Causally consistent read and write commands".
func TestCausalConsistencyReachesWrites(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		if s.OperationTime() != nil {
			t.Error("a new session has an operation time")
		}
		if err := c.FindOne(ctx, bson.D{}).Err(); err != mongo.ErrNoDocuments {
			return err
		}
		first := *s.OperationTime()
		if _, err := c.InsertOne(ctx, bson.Doc("x", 1)); err != nil {
			return err
		}
		if got := events.commands("find")[0].Command.Lookup("readConcern"); !got.IsZero() {
			t.Errorf("the first read has the read concern %v", got)
		}
		sent := events.commands("insert")[0].Command
		if at, i, ok := sent.Lookup("readConcern", "afterClusterTime").TimestampOK(); !ok || (bson.Timestamp{T: at, I: i}) != first {
			t.Errorf("insert %v, want afterClusterTime %v", sent, first)
		}
		return c.Database().RunCommand(ctx, bson.Doc("ping", 1)).Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := events.commands("ping")[0].Command.Lookup("readConcern"); !got.IsZero() {
		t.Errorf("a command of the program's own has the read concern %v", got)
	}
}

// Sessions, prose test 2.
func TestSessionPoolIsLIFO(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, _ := connectRecorded(t, d)
	start := func() *mongo.Session {
		s, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := start(), start()
	wantA, wantB := a.ID().String(), b.ID().String()
	a.EndSession(t.Context())
	b.EndSession(t.Context())
	if got := start(); got.ID().String() != wantB {
		t.Errorf("the first is %v, want %s", got, wantB)
	}
	if got := start(); got.ID().String() != wantA {
		t.Errorf("the second is %v, want %s", got, wantA)
	}
}

// Driver Sessions, "startSession": a session has a server session of its own from the start, before it does anything.
func TestSessionsThatAreOpenDifferFromTheStart(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	seen := map[string]bool{}
	for range 3 {
		s, err := client.StartSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.EndSession(t.Context())
		if id := s.ID().String(); id == "" || seen[id] {
			t.Errorf("a session has the ID %q, which another one has, too", id)
		} else {
			seen[id] = true
		}
	}
}

// Snapshot Sessions, "Snapshot Read Commands".
func TestSnapshotSessionReadsOnePointInTime(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client, events := connectRecorded(t, d)
	c := client.Database("shop").Collection("things")
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	count := func(s *mongo.Session) int {
		cursor, err := c.Find(mongo.NewSessionContext(t.Context(), s), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := mongo.All[bson.Raw](t.Context(), cursor)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	s, err := client.StartSession(&options.Session{Snapshot: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.EndSession(t.Context())
	if s.SnapshotTime() != nil || count(s) != 1 {
		t.Fatal("the first read does not choose the snapshot")
	}
	if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 2)); err != nil {
		t.Fatal(err)
	}
	if n := count(s); n != 1 {
		t.Errorf("the second read sees %d documents", n)
	}
	finds := events.commands("find")
	at, i, _ := finds[1].Command.Lookup("readConcern", "atClusterTime").TimestampOK()
	if got := (bson.Timestamp{T: at, I: i}); s.SnapshotTime() == nil || got != *s.SnapshotTime() {
		t.Errorf("atClusterTime %v, want %v", got, s.SnapshotTime())
	}
	again, err := client.StartSession(&options.Session{Snapshot: new(true), SnapshotTime: s.SnapshotTime()})
	if err != nil {
		t.Fatal(err)
	}
	defer again.EndSession(t.Context())
	if n := count(again); n != 1 {
		t.Errorf("a session with the same snapshot time sees %d documents", n)
	}
}

// A canceled context ends the pause before the next attempt. It is no timeout, and the last error stays visible.
func TestWithTransactionOfACanceledContext(t *testing.T) {
	client, _ := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	mongo.SetJitter(client, func() float64 { return 1 })
	transient := mongo.CommandError{Message: "told to", Labels: []string{"TransientTransactionError"}}
	ctx, cancel := context.WithCancel(t.Context())
	err := client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(context.Context) error {
			cancel()
			return transient
		})
	})
	if !errors.Is(err, context.Canceled) || mongo.IsTimeout(err) || !mongo.HasErrorLabel(err, "TransientTransactionError") {
		t.Errorf("err = %v", err)
	}
}

// A first command that the driver refuses leaves the transaction as it was. Its end sends nothing and keeps nothing.
func TestTransactionWhoseFirstCommandWasNotSent(t *testing.T) {
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.LoadBalanced(2)))
	c := client.Database("shop").Collection("things")
	for name, end := range map[string]func(*mongo.Session, context.Context) error{
		"commit": func(s *mongo.Session, ctx context.Context) error { return s.CommitTransaction(ctx) },
		"abort":  func(s *mongo.Session, ctx context.Context) error { return s.AbortTransaction(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := client.StartSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.EndSession(t.Context())
			if err := s.StartTransaction(); err != nil {
				t.Fatal(err)
			}
			ctx := mongo.NewSessionContext(t.Context(), s)
			if _, err := c.InsertOne(ctx, bson.Doc("x", make([]byte, 17<<20))); err == nil {
				t.Fatal("the document is not too large")
			}
			if s.TransactionState() != mongo.TransactionStarting {
				t.Errorf("the transaction is %v", s.TransactionState())
			}
			if err := end(s, ctx); err != nil {
				t.Error(err)
			}
			for _, server := range client.Stats().Topology.Servers {
				if server.Pool.ForTransactions != 0 || server.Pool.InUse != 0 {
					t.Errorf("connections in use: %+v", server.Pool)
				}
			}
		})
	}
	if sent := append(events.commands("commitTransaction"), events.commands("abortTransaction")...); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// The write concern of the client does not count in a transaction that has its own.
func TestClientBulkWriteInATransactionIsAcknowledged(t *testing.T) {
	client, _ := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)), &options.Client{WriteConcern: mongo.W(0)})
	if err := client.Database("shop").CreateCollection(t.Context(), "things"); err != nil {
		t.Fatal(err)
	}
	err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			result, err := client.BulkWrite(ctx, []mongo.ClientBulkWrite{
				{Database: "shop", Collection: "things", Model: &mongo.ClientInsertOneModel{Document: bson.Doc("_id", 1)}},
			})
			if err == nil && !result.Acknowledged {
				t.Error("the writes were not acknowledged")
			}
			return err
		}, &options.Transaction{WriteConcern: mongo.Majority()})
	})
	if err != nil {
		t.Error(err)
	}
}
