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

// shape is a topology, with as many nodes as it usually has, and with one where fail points are set: a fail point belongs
// to a router.
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

// retries reports whether the topology takes transaction numbers; a standalone server refuses them.
func (p *place) retries() bool { return p.shape != "standalone" }

// The official driver does each of these on each topology.
func TestOfficialDriver(t *testing.T) {
	steps := []struct {
		name string
		run  func(*testing.T, *place)
		one  bool // on a deployment of its own with one router, for fail points
	}{
		{name: "CRUD", run: crud}, {name: "findAndModify", run: findAndModify}, {name: "distinct", run: distinct},
		{name: "update operators", run: updateOperators},
		{name: "cursors", run: cursors}, {name: "tailable cursors", run: tailable}, {name: "RunCommandCursor", run: runCommandCursor},
		{name: "bulk writes", run: bulkWrites}, {name: "client bulk write", run: clientBulkWrite},
		{name: "GridFS", run: gridFS},
		{name: "indexes", run: indexes}, {name: "index options", run: indexOptions},
		{name: "collations", run: collations}, {name: "views", run: views}, {name: "validators", run: validators},
		{name: "lists", run: lists}, {name: "capped collections", run: capped},
		{name: "aggregation", run: aggregation}, {name: "$lookup and $facet", run: lookupAndFacet}, {name: "$out and $merge", run: outAndMerge},
		{name: "sessions", run: sessions}, {name: "causal consistency", run: causalConsistency},
		{name: "read concern majority", run: readConcernMajority}, {name: "read preferences", run: readPreferences},
		{name: "command errors", run: commandErrors}, {name: "write concern errors", run: writeConcernErrors},
		{name: "retryable writes", run: retryableWrites, one: true}, {name: "retryable reads", run: retryableReads, one: true},
		{name: "error labels", run: errorLabels, one: true}, {name: "time-outs", run: timeouts, one: true},
		{name: "pool events", run: poolEvents, one: true},
		{name: "SCRAM", run: scram}, {name: "TLS", run: overTLS}, {name: "compressors", run: compressors},
		{name: "odd uses", run: oddUses}, {name: "Stable API", run: stableAPI}, {name: "monitoring", run: monitoring, one: true},
	}
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			shared := mongotest.Start(t, s.usual)
			client := official(t, shared)
			for _, step := range steps {
				t.Run(step.name, func(t *testing.T) {
					p := &place{shape: s.name, d: shared, client: client}
					if step.one {
						p.d = mongotest.Start(t, s.one)
						p.client = official(t, p.d)
					}
					p.db = p.client.Database("steps")
					t.Cleanup(func() { p.db.Drop(context.Background()) })
					step.run(t, p)
				})
			}
		})
	}
}

// The official driver talks to every version that it accepts, and refuses the one that it is too new for.
func TestOfficialDriverAcceptsEachVersion(t *testing.T) {
	for _, version := range []string{"4.4", "5.0", "6.0", "7.0", "8.0", "8.2", "9.0"} {
		for _, s := range shapes {
			if version == "4.4" && s.name == "loadbalanced" {
				continue // the first servers that work behind a load balancer have version 5.0
			}
			t.Run(version+" "+s.name, func(t *testing.T) {
				t.Parallel()
				d := mongotest.Start(t, s.usual, mongotest.Version(version))
				client := official(t, d)
				p := &place{shape: s.name, d: d, client: client, db: client.Database("versions")}
				crud(t, p)
				var info struct{ Version string }
				if err := p.db.RunCommand(t.Context(), bson.M{"buildInfo": 1}).Decode(&info); err != nil || info.Version[:3] != version {
					t.Errorf("buildInfo = %+v, %v", info, err)
				}
			})
		}
	}
	t.Run("4.2 is too old", func(t *testing.T) {
		client := official(t, mongotest.Start(t, mongotest.Version("4.2")))
		if err := client.Ping(t.Context(), nil); err == nil {
			t.Error("the driver took a server that it does not support")
		}
	})
}

// official connects the official driver to a deployment.
func official(t *testing.T, d *mongotest.Deployment, adjust ...func(*options.ClientOptions)) *mongo.Client {
	t.Helper()
	return officialAt(t, d.URI(), adjust...)
}

// officialAt connects it to a connection string. The client's stream of hellos does not notice a fault of another
// connection, or the client's end, between two answers. It continues at the next heartbeat, so heartbeats are frequent
// here.
func officialAt(t *testing.T, uri string, adjust ...func(*options.ClientOptions)) *mongo.Client {
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
		case <-time.After(50 * time.Millisecond): // it goes on in the background
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

// all reads a cursor to its end.
func all[T any](t *testing.T) func(*mongo.Cursor, error) []T {
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

// hasCode reports whether an error is a server's with this code.
func hasCode(err error, code int) bool {
	failed, ok := err.(mongo.ServerError)
	return ok && failed.HasErrorCode(code)
}
