package mongo_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests that need an outside deployment. An environment variable from the specification names it. Without the
// variable the test is skipped.

// deploymentOf returns the connection string in an environment variable.
func deploymentOf(t *testing.T, variable string) string {
	t.Helper()
	uri := os.Getenv(variable)
	if uri == "" {
		t.Skipf("%s names no deployment", variable)
	}
	return uri
}

// connectLive connects to an outside deployment.
func connectLive(t *testing.T, uri string, opts ...*options.Client) *mongo.Client {
	t.Helper()
	client, err := mongo.Connect(t.Context(), uri, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(context.Background()) })
	return client
}

// testCommonAssertions are the common assertions of Atlas SFP Testing: ping, connection status, and a document that is
// written and read.
func testCommonAssertions(t *testing.T, client *mongo.Client, authenticated bool) {
	t.Helper()
	ctx, admin := t.Context(), client.Database("admin")
	if err := admin.RunCommand(ctx, bson.Doc("ping", 1)).Err(); err != nil {
		t.Fatal(err)
	}
	var status struct {
		AuthInfo struct {
			AuthenticatedUsers []bson.Raw `bson:"authenticatedUsers"`
		} `bson:"authInfo"`
	}
	if err := admin.RunCommand(ctx, bson.Doc("connectionStatus", 1)).Decode(&status); err != nil {
		t.Fatal(err)
	}
	if n := len(status.AuthInfo.AuthenticatedUsers); (n > 0) != authenticated {
		t.Errorf("%d authenticated users", n)
	}
	if !authenticated {
		return
	}
	id := bson.NewObjectID()
	c := client.Database("sfp").Collection("sfp_test_" + id.Hex())
	defer c.Drop(context.WithoutCancel(ctx))
	if _, err := c.InsertOne(ctx, bson.Doc("_id", id)); err != nil {
		t.Fatal(err)
	}
	if err := c.FindOne(ctx, bson.Doc("_id", id)).Err(); err != nil {
		t.Error(err)
	}
}

// variations are the connection variations of Atlas SFP Testing.
var variations = []struct {
	name    string
	options *options.Client
}{
	{"baseline", nil},
	{"compressed", &options.Client{Compressors: []string{"zstd", "snappy", "zlib"}}},
	{"stable API", &options.Client{ServerAPI: &options.ServerAPI{Version: "1"}}},
}

func TestAtlasSFPProse(t *testing.T) {
	t.Run("unauthenticated", func(t *testing.T) {
		testCommonAssertions(t, connectLive(t, deploymentOf(t, "SFP_ATLAS_URI")), false)
	})
	for _, v := range variations {
		t.Run("SCRAM-SHA-256, "+v.name, func(t *testing.T) {
			testCommonAssertions(t, connectLive(t, deploymentOf(t, "SFP_ATLAS_URI"), v.options, &options.Client{Auth: &options.Credential{
				AuthMechanism: new("SCRAM-SHA-256"), Username: new(os.Getenv("SFP_ATLAS_USER")), Password: new(os.Getenv("SFP_ATLAS_PASSWORD")),
			}}), true)
		})
		t.Run("X.509, "+v.name, func(t *testing.T) {
			testCommonAssertions(t, connectLive(t, deploymentOf(t, "SFP_ATLAS_X509_URI"), v.options, &options.Client{
				Auth:                  &options.Credential{AuthMechanism: new("MONGODB-X509")},
				TLSCertificateKeyFile: new(os.Getenv("SFP_ATLAS_X509_CERT")),
			}), true)
		})
	}
}

// The specification's document is obsolete. If a variable names a proxy, the test checks that it meets the document's
// demands.
func TestAtlasServerlessProse(t *testing.T) {
	testCommonAssertions(t, connectLive(t, deploymentOf(t, "SERVERLESS_URI"), variations[1].options, &options.Client{Auth: &options.Credential{
		Username: new(os.Getenv("SERVERLESS_ATLAS_USER")), Password: new(os.Getenv("SERVERLESS_ATLAS_PASSWORD")),
	}}), true)
}

// The function of FaaS Automated Testing, in the environment of a function. Without MONGODB_URI it runs here.
func TestFaaSProse(t *testing.T) {
	t.Setenv("AWS_EXECUTION_ENV", "AWS_Lambda_go1.x")
	uri := os.Getenv("MONGODB_URI")
	if uri == "" {
		uri = mongotest.Start(t, mongotest.ReplicaSet(1)).URI()
	}
	var mu sync.Mutex
	beats, awaited, open, commands := 0, 0, 0, time.Duration(0)
	note := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	client := connectLive(t, uri, &options.Client{
		ServerMonitor: &event.ServerMonitor{
			ServerHeartbeatStarted: func(e *event.ServerHeartbeatStarted) {
				note(func() {
					beats++
					if e.Awaited {
						awaited++
					}
				})
			},
			ServerHeartbeatFailed: func(e *event.ServerHeartbeatFailed) { t.Errorf("a heartbeat failed: %v", e.Failure) },
		},
		CommandMonitor: &event.CommandMonitor{
			Succeeded: func(_ context.Context, e *event.CommandSucceeded) { note(func() { commands += e.Duration }) },
			Failed:    func(_ context.Context, e *event.CommandFailed) { t.Errorf("%s failed: %v", e.CommandName, e.Failure) },
		},
		PoolMonitor: &event.PoolMonitor{
			ConnectionCreated: func(*event.ConnectionCreated) { note(func() { open++ }) },
			ConnectionClosed:  func(*event.ConnectionClosed) { note(func() { open-- }) },
		},
	})
	c := client.Database("faas").Collection("test_" + bson.NewObjectID().Hex())
	result, err := c.InsertOne(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.DeleteOne(t.Context(), bson.Doc("_id", result.InsertedID)); err != nil {
		t.Error(err)
	}
	note(func() {
		if beats == 0 || awaited != 0 || open == 0 || commands <= 0 {
			t.Errorf("%d heartbeats, %d of them awaited, %d connections, commands took %v", beats, awaited, open, commands)
		}
	})
}

// awaitSearchIndexes polls the search indexes of a collection until ready accepts them.
func awaitSearchIndexes(t *testing.T, c *mongo.Collection, name string, ready func(indexes []bson.Raw) bool) []bson.Raw {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		o := &options.ListSearchIndexes{}
		if name != "" {
			o.Name = &name
		}
		cursor, err := c.SearchIndexes().List(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		indexes, err := mongo.All[bson.Raw](ctx, cursor)
		if err != nil {
			t.Fatal(err)
		}
		if ready(indexes) {
			return indexes
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the search indexes are %v", indexes)
		}
	}
}

// awaitQueryable waits until the search indexes answer queries and have the given type.
func awaitQueryable(t *testing.T, c *mongo.Collection, typ string, dynamic *bool, names ...string) {
	t.Helper()
	for _, name := range names {
		indexes := awaitSearchIndexes(t, c, name, func(indexes []bson.Raw) bool {
			if len(indexes) != 1 {
				return false
			}
			ok, _ := indexes[0].Lookup("queryable").BooleanOK()
			status, _ := indexes[0].Lookup("status").StringOK()
			got, _ := indexes[0].Lookup("latestDefinition", "mappings", "dynamic").BooleanOK()
			return ok && status == "READY" && (dynamic == nil || got == *dynamic)
		})
		if got, _ := indexes[0].Lookup("type").StringOK(); got != typ {
			t.Errorf("%s has the type %q, want %q", name, got, typ)
		}
	}
}

// The search index tests of Index Management. SEARCH_INDEX_URI names a cluster of Atlas with 7.0 or later.
func TestSearchIndexProse(t *testing.T) {
	client := connectLive(t, deploymentOf(t, "SEARCH_INDEX_URI"))
	static, off, on := bson.Doc("mappings", bson.Doc("dynamic", false)), false, true
	vector := bson.Doc("fields", bson.A{bson.Doc("type", "vector", "path", "plot_embedding", "numDimensions", 1536, "similarity", "euclidean")})
	model := func(name, typ string, definition any) mongo.SearchIndexModel {
		m := mongo.SearchIndexModel{Definition: definition, Options: &options.SearchIndex{Name: &name}}
		if typ != "" {
			m.Options.Type = &typ
		}
		return m
	}
	for _, tt := range []struct {
		name    string
		options *options.Collection
		models  []mongo.SearchIndexModel
		then    func(ctx context.Context, c *mongo.Collection, name string)
	}{
		{name: "cases 1 and 2", models: []mongo.SearchIndexModel{model("one", "", static), model("two", "", static)}},
		{name: "case 3", models: []mongo.SearchIndexModel{model("dropped", "", static)}, then: func(ctx context.Context, c *mongo.Collection, name string) {
			if err := c.SearchIndexes().DropOne(ctx, name); err != nil {
				t.Error(err)
			}
			awaitSearchIndexes(t, c, "", func(indexes []bson.Raw) bool { return len(indexes) == 0 })
		}},
		{name: "case 4", models: []mongo.SearchIndexModel{model("updated", "", static)}, then: func(ctx context.Context, c *mongo.Collection, name string) {
			if err := c.SearchIndexes().UpdateOne(ctx, name, bson.Doc("mappings", bson.Doc("dynamic", true))); err != nil {
				t.Error(err)
			}
			awaitQueryable(t, c, "search", &on, name)
		}},
		{name: "case 6", options: &options.Collection{WriteConcern: mongo.W(1), ReadConcern: mongo.ReadMajority()},
			models: []mongo.SearchIndexModel{model("concerns", "", static)}},
		{name: "case 7", models: []mongo.SearchIndexModel{model("explicit", "search", static), model("vector", "vectorSearch", vector)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := bson.NewObjectID().Hex()
			if err := client.Database("search").CreateCollection(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			c := client.Database("search").Collection(name, tt.options)
			defer c.Drop(context.Background())
			names, err := c.SearchIndexes().CreateMany(t.Context(), tt.models)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range tt.models {
				if names[i] != *m.Options.Name {
					t.Errorf("got the name %q, want %q", names[i], *m.Options.Name)
				}
				if m.Options.Type != nil && *m.Options.Type == "vectorSearch" {
					awaitQueryable(t, c, "vectorSearch", nil, names[i])
				} else {
					awaitQueryable(t, c, "search", &off, names[i])
				}
			}
			if tt.then != nil {
				tt.then(t.Context(), c, names[0])
			}
		})
	}
	t.Run("case 5", func(t *testing.T) {
		if err := client.Database("search").Collection(bson.NewObjectID().Hex()).SearchIndexes().DropOne(t.Context(), "none"); err != nil {
			t.Error(err)
		}
	})
	t.Run("case 8", func(t *testing.T) {
		name := bson.NewObjectID().Hex()
		if err := client.Database("search").CreateCollection(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		_, err := client.Database("search").Collection(name).SearchIndexes().CreateOne(t.Context(), model("untyped", "", vector))
		if err == nil || !strings.Contains(err.Error(), "Attribute mappings missing") {
			t.Errorf("got %v", err)
		}
	})
}
