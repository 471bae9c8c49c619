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
			client, events := recorded(t, d)
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
	client, _ := recorded(t, d)
	other, _ := recorded(t, d)
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
		{"commit without a transaction", func() error { return open.CommitTransaction(t.Context()) }, "No transaction started"},
		{"abort without a transaction", func() error { return open.AbortTransaction(t.Context()) }, "No transaction started"},
		{"unacknowledged transaction", func() error {
			return open.StartTransaction(&options.Transaction{WriteConcern: &options.WriteConcern{W: 0}})
		}, "mongo: transactions do not support unacknowledged write concerns"},
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
		}, "mongo: a snapshot session has no transactions: start another session without Snapshot"},
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
	client, events := recorded(t, d)
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
