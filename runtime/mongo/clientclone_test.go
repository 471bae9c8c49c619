package mongo_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A clone has its own defaults and passes them to its databases. For defaults that it does not set, those of the
// original apply.
func TestClonesHaveDefaultsOfTheirOwn(t *testing.T) {
	majority, two := mongo.Majority(), mongo.W(2)
	client, events := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(3)), &options.Client{WriteConcern: majority})
	for _, tt := range []struct {
		name string
		from func() *mongo.Collection
		want string
	}{
		{"client", func() *mongo.Collection { return client.Database("shop").Collection("c") }, `{"w":"majority"}`},
		{"clone of the client", func() *mongo.Collection {
			return client.Clone(&options.Database{WriteConcern: two}).Database("shop").Collection("c")
		}, `{"w":2}`},
		{"clone without options", func() *mongo.Collection { return client.Clone().Database("shop").Clone().Collection("c").Clone() }, `{"w":"majority"}`},
		{"clone of the database", func() *mongo.Collection {
			return client.Database("shop").Clone(&options.Database{WriteConcern: two}).Collection("c")
		}, `{"w":2}`},
		{"origin of the clone", func() *mongo.Collection {
			shop := client.Database("shop")
			shop.Clone(&options.Database{WriteConcern: two})
			return shop.Collection("c")
		}, `{"w":"majority"}`},
		{"clone of the collection", func() *mongo.Collection {
			return client.Database("shop").Collection("c").Clone(&options.Collection{WriteConcern: two})
		}, `{"w":2}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := tt.from().InsertOne(t.Context(), bson.D{}); err != nil {
				t.Fatal(err)
			}
			sent := events.commands("insert")
			if got := sent[len(sent)-1].Command.Lookup("writeConcern").String(); got != tt.want {
				t.Errorf("sent %s, want %s", got, tt.want)
			}
		})
	}
}

// A client and its clones share connections, sessions and counts. Closing one closes all.
func TestAClientAndItsCloneAreOne(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	clone := client.Clone(&options.Database{Timeout: new(time.Minute)})
	session, err := client.StartSession()
	if err != nil {
		t.Fatal(err)
	}
	ctx := mongo.NewSessionContext(t.Context(), session)
	if err := clone.Ping(ctx, nil); err != nil {
		t.Errorf("a session of the client is refused: %v", err)
	}
	if n := clone.NumberSessionsInProgress(); n != 1 {
		t.Errorf("the clone counts %d sessions", n)
	}
	session.EndSession(ctx)
	if a, b := client.Stats().Operations.Finished, clone.Stats().Operations.Finished; a != b || a == 0 {
		t.Errorf("%d and %d operations", a, b)
	}
	other := connect(t, d)
	if err := other.Ping(ctx, nil); !errors.Is(err, mongo.ErrWrongClient) {
		t.Errorf("another client takes the session: %v", err)
	}
	if err := clone.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := client.Ping(t.Context(), nil); !errors.Is(err, mongo.ErrClientClosed) {
		t.Errorf("after Close of the clone: %v", err)
	}
}
