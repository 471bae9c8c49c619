package interop

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/tools/mongotest"
)

// shape is a topology: with its usual number of nodes, and with a single node for tests that set fail points, because a fail point
// belongs to one router.
type shape struct {
	name  string
	usual mongotest.Option
	one   mongotest.Option
}

var shapes = []shape{
	{"standalone", mongotest.Standalone(), mongotest.Standalone()},
	{"replicaset", mongotest.ReplicaSet(3), mongotest.ReplicaSet(3)},
	{"sharded", mongotest.Sharded(2), mongotest.Sharded(1)},
	{"loadbalanced", mongotest.LoadBalanced(2), mongotest.LoadBalanced(1)},
}

// place is where a step runs: a deployment, a client, and a database that no other step uses.
type place struct {
	shape  string
	d      *mongotest.Deployment
	client *mongo.Client
	db     *mongo.Database
}

// isSet reports whether the client sees a replica set's members.
func (p *place) isSet() bool { return p.shape == "replicaset" }

// canRetryWrites reports whether the topology takes transaction numbers; a standalone server refuses them.
func (p *place) canRetryWrites() bool { return p.shape != "standalone" }

// The official driver passes each of these tests on each topology.
func TestOfficialDriver(t *testing.T) {
	steps := []struct {
		name string
		run  func(*testing.T, *place)
		one  bool // on a deployment of its own with one router, for fail points
	}{
		{name: "CRUD", run: testCRUD}, {name: "findAndModify", run: testFindAndModify}, {name: "distinct", run: testDistinct},
		{name: "update operators", run: testUpdateOperators},
		{name: "cursors", run: testCursors}, {name: "tailable cursors", run: testTailable}, {name: "RunCommandCursor", run: testRunCommandCursor},
		{name: "bulk writes", run: testBulkWrites}, {name: "client bulk write", run: testClientBulkWrite},
		{name: "GridFS", run: testGridFS},
		{name: "indexes", run: testIndexes}, {name: "index options", run: testIndexOptions},
		{name: "collations", run: testCollations}, {name: "views", run: testViews}, {name: "validators", run: testValidators},
		{name: "lists", run: testLists}, {name: "capped collections", run: testCapped},
		{name: "aggregation", run: testAggregation}, {name: "$lookup and $facet", run: testLookupAndFacet}, {name: "$out and $merge", run: testOutAndMerge},
		{name: "sessions", run: testSessions}, {name: "causal consistency", run: testCausalConsistency},
		{name: "read concern majority", run: testReadConcernMajority}, {name: "read preferences", run: testReadPreferences},
		{name: "command errors", run: testCommandErrors}, {name: "write concern errors", run: testWriteConcernErrors},
		{name: "retryable writes", run: testRetryableWrites, one: true}, {name: "retryable reads", run: testRetryableReads, one: true},
		{name: "error labels", run: testErrorLabels, one: true}, {name: "time-outs", run: testTimeouts, one: true},
		{name: "pool events", run: testPoolEvents, one: true},
		{name: "SCRAM", run: testSCRAM}, {name: "TLS", run: testTLS}, {name: "compressors", run: testCompressors},
		{name: "odd uses", run: testOddUses}, {name: "Stable API", run: testStableAPI}, {name: "monitoring", run: testMonitoring, one: true},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			shared := mongotest.Start(t, s.usual)
			client := connectOfficial(t, shared)
			for _, step := range steps {
				t.Run(step.name, func(t *testing.T) {
					p := &place{shape: s.name, d: shared, client: client}
					if step.one {
						p.d = mongotest.Start(t, s.one)
						p.client = connectOfficial(t, p.d)
					}
					p.db = p.client.Database("steps")
					t.Cleanup(func() { p.db.Drop(context.Background()) })
					step.run(t, p)
				})
			}
		})
	}
}

// The official driver talks to every server version that it supports, and refuses one that is too old for it.
func TestOfficialDriverAcceptsEachVersion(t *testing.T) {
	for _, version := range []string{"4.4", "5.0", "6.0", "7.0", "8.0", "8.2", "9.0"} {
		for _, s := range shapes {
			if version == "4.4" && s.name == "loadbalanced" {
				continue // the first servers that work behind a load balancer have version 5.0
			}
			t.Run(version+" "+s.name, func(t *testing.T) {
				t.Parallel()
				d := mongotest.Start(t, s.usual, mongotest.Version(version))
				client := connectOfficial(t, d)
				p := &place{shape: s.name, d: d, client: client, db: client.Database("versions")}
				testCRUD(t, p)
				var info struct{ Version string }
				if err := p.db.RunCommand(t.Context(), bson.M{"buildInfo": 1}).Decode(&info); err != nil || info.Version[:3] != version {
					t.Errorf("buildInfo = %+v, %v", info, err)
				}
			})
		}
	}
	t.Run("4.2 is too old", func(t *testing.T) {
		client := connectOfficial(t, mongotest.Start(t, mongotest.Version("4.2")))
		if err := client.Ping(t.Context(), nil); err == nil {
			t.Error("the driver took a server that it does not support")
		}
	})
}

// connectOfficial connects the official driver to a deployment.
func connectOfficial(t *testing.T, d *mongotest.Deployment, adjust ...func(*options.ClientOptions)) *mongo.Client {
	t.Helper()
	return connectOfficialTo(t, d.URI(), adjust...)
}

// connectOfficialTo connects the official driver to a connection string. Between two answers, the client's stream of hellos notices
// neither a fault of another connection nor the end of the client. It goes on at the next heartbeat, so heartbeats are frequent here.
func connectOfficialTo(t *testing.T, uri string, adjust ...func(*options.ClientOptions)) *mongo.Client {
	t.Helper()
	o := options.Client().ApplyURI(uri).SetServerSelectionTimeout(5 * time.Second).SetHeartbeatInterval(500 * time.Millisecond)
	for _, f := range adjust {
		f(o)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			client.Disconnect(context.Background())
		}()
		select {
		case <-ended:
		case <-time.After(50 * time.Millisecond): // the client goes on closing in the background
		}
	})
	return client
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// readAll reads a cursor to its end.
func readAll[T any](t *testing.T) func(*mongo.Cursor, error) []T {
	return func(cursor *mongo.Cursor, err error) []T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var out []T
		if err := cursor.All(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// fill inserts documents into a collection.
func fill(t *testing.T, c *mongo.Collection, docs ...any) {
	t.Helper()
	if _, err := c.InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
}

// hasCode reports whether an error is a server error with this code.
func hasCode(err error, code int) bool {
	failed, ok := err.(mongo.ServerError)
	return ok && failed.HasErrorCode(code)
}
