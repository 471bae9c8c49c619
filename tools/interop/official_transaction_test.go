package interop

import (
	"context"
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/specdrivers/onion/tools/mongotest"
)

// The official driver's transactions commit, abort, and run again after a conflict with another transaction, on each
// topology that supports them.
func TestOfficialDriverRunsTransactions(t *testing.T) {
	for _, s := range shapes[1:] {
		t.Run(s.name, func(t *testing.T) {
			d := mongotest.Start(t, s.usual)
			client := connectOfficial(t, d)
			c := client.Database("bank").Collection("accounts")
			if _, err := c.InsertOne(t.Context(), bson.M{"_id": 1, "n": 0}); err != nil {
				t.Fatal(err)
			}
			session := must[*mongo.Session](t)(client.StartSession())
			defer session.EndSession(context.Background())

			add := func(ctx context.Context) error {
				_, err := c.UpdateByID(ctx, 1, bson.M{"$inc": bson.M{"n": 1}})
				return err
			}
			n := func(ctx context.Context) (n int32) {
				var doc struct{ N int32 }
				if err := c.FindOne(ctx, bson.M{"_id": 1}).Decode(&doc); err != nil {
					t.Error(err)
				}
				return doc.N
			}

			if _, err := session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
				if err := add(ctx); err != nil {
					return nil, err
				}
				if in, out := n(ctx), n(t.Context()); in != 1 || out != 0 {
					t.Errorf("%d inside, %d outside", in, out)
				}
				return nil, nil
			}); err != nil || n(t.Context()) != 1 {
				t.Errorf("committed: %v, n is %d", err, n(t.Context()))
			}

			failure := errors.New("changed my mind")
			if _, err := session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
				return nil, errors.Join(add(ctx), failure)
			}); !errors.Is(err, failure) || n(t.Context()) != 1 {
				t.Errorf("aborted: %v, n is %d", err, n(t.Context()))
			}

			// Another transaction holds the document until this one has failed once.
			other := must[*mongo.Session](t)(client.StartSession())
			defer other.EndSession(context.Background())
			if err := other.StartTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := add(mongo.NewSessionContext(t.Context(), other)); err != nil {
				t.Fatal(err)
			}
			tries := 0
			if _, err := session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
				if tries++; tries == 2 {
					if err := other.CommitTransaction(t.Context()); err != nil {
						return nil, err
					}
				}
				return nil, add(ctx)
			}); err != nil || tries != 2 || n(t.Context()) != 3 {
				t.Errorf("after a conflict: %v, %d tries, n is %d", err, tries, n(t.Context()))
			}
			if got := countReceived(d, "commitTransaction"); got != 3 {
				t.Errorf("%d commits", got)
			}
		})
	}
}

// A primary that steps down aborts the open transaction, and the driver runs the transaction again.
func TestOfficialDriverRunsTransactionsAgainAfterAStepDown(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client := connectOfficial(t, d)
	c := client.Database("bank").Collection("accounts")
	session := must[*mongo.Session](t)(client.StartSession())
	defer session.EndSession(context.Background())
	tries := 0
	if _, err := session.WithTransaction(t.Context(), func(ctx context.Context) (any, error) {
		if tries++; tries == 1 {
			defer d.StepDown()
		}
		return c.InsertOne(ctx, bson.M{"_id": 1})
	}); err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
	if n, err := c.CountDocuments(t.Context(), bson.M{}); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
}
