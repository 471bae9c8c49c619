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

// inVirtualTime runs a replica set in memory and its client in a bubble. An operation that loops without waiting never
// ends there.
func inVirtualTime(t *testing.T, test func(t *testing.T, d *mongotest.Deployment, c *mongo.Collection)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := mongotest.Start(t, mongotest.ReplicaSet(3), mongotest.InMemory())
		client, err := mongo.Connect(t.Context(), d.URI(), &options.Client{Dialer: d.Dialer()})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close(context.Background())
		c := client.Database("db").Collection("c")
		if _, err := c.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
			t.Fatal(err)
		}
		test(t, d, c)
	})
}

// checkDuration checks how long a call took.
func checkDuration(t *testing.T, began time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(began); took > limit {
		t.Errorf("it took %v, want %v at most", took, limit)
	}
}

// A commit that has no time left does not loop until the context ends.
func TestWithTransactionGivesUpWhenNoTimeIsLeft(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, d *mongotest.Deployment, c *mongo.Collection) {
		for i := range 3 {
			d.Latency(i, 100*time.Millisecond)
		}
		<-time.After(10 * time.Minute) // the checks learn of it
		client, began := c.Database().Client(), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
			return s.WithTransaction(ctx, func(ctx context.Context) error {
				_, err := c.InsertOne(ctx, bson.D{})
				<-time.After(5*time.Second - time.Since(began) - time.Millisecond)
				return err
			})
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		checkDuration(t, began, 5*time.Second)
	})
}

// A session that ends while the primary is silent delays the program by a few seconds at most.
func TestEndSessionDoesNotWaitForASilentServer(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, d *mongotest.Deployment, c *mongo.Collection) {
		s, err := c.Database().Client().StartSession()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.StartTransaction(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.InsertOne(mongo.NewSessionContext(t.Context(), s), bson.D{}); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			d.Partition(i, time.Hour)
		}
		began := time.Now()
		s.EndSession(t.Context())
		checkDuration(t, began, 2*time.Second)
	})
}

// Next ends with its context. Close then ends the cursor on the server.
func TestNextEndsWithItsContext(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, d *mongotest.Deployment, c *mongo.Collection) {
		cursor, err := c.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
		if err != nil {
			t.Fatal(err)
		}
		if !cursor.Next(t.Context()) {
			t.Fatal(cursor.Err())
		}
		d.Partition(d.Primary(), time.Minute)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if cursor.Next(ctx) || !errors.Is(cursor.Err(), context.DeadlineExceeded) {
			t.Errorf("got %v", cursor.Err())
		}
		checkDuration(t, began, time.Second)
		<-time.After(2 * time.Minute)
		d.ForgetCommands()
		if err := cursor.Close(t.Context()); err != nil {
			t.Error(err)
		}
		kills := 0
		for _, command := range d.Commands() {
			if command.Name == "killCursors" {
				kills++
			}
		}
		if kills != 1 {
			t.Errorf("%d times killCursors", kills)
		}
	})
}

// A change stream whose Next ran out of time resumes at the next call, which ends the old cursor.
func TestChangeStreamNextEndsWithItsContext(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, d *mongotest.Deployment, c *mongo.Collection) {
		stream, err := c.Watch(t.Context(), mongo.Pipeline{})
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close(t.Context())
		d.Partition(d.Primary(), time.Minute)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if stream.Next(ctx) || !errors.Is(stream.Err(), context.DeadlineExceeded) {
			t.Errorf("got %v", stream.Err())
		}
		checkDuration(t, began, time.Second)
		<-time.After(2 * time.Minute)
		if _, err := c.InsertOne(t.Context(), bson.Doc("_id", 4)); err != nil {
			t.Fatal(err)
		}
		if !stream.Next(t.Context()) {
			t.Errorf("got %v", stream.Err())
		}
	})
}
