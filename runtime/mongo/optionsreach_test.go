package mongo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Options of calls that do more than to send their options reach the server too.
func TestOptionsReachTheServer(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1), mongotest.Version("8.0")))
	db := client.Database("shop")
	c := db.Collection("c")
	bucket := db.GridFSBucket()
	if _, err := c.InsertOne(t.Context(), bson.D{}); err != nil {
		t.Fatal(err)
	}
	only := func(_ any, err error) error { return err }
	german := &options.Collation{Locale: "de"}
	for _, tt := range []struct {
		command, path, want string
		call                func() error
	}{
		{"create", "collation.locale", `"de"`, func() error {
			return db.CreateView(t.Context(), "view", "c", bson.A{}, &options.CreateCollection{Collation: german})
		}},
		{"create", "viewOn", `"c"`, func() error { return db.CreateView(t.Context(), "other", "c", bson.A{}) }},
		{"listDatabases", "nameOnly", "true", func() error {
			return only(client.ListDatabases(t.Context(), bson.D{}, &options.ListDatabases{NameOnly: new(true)}))
		}},
		{"listDatabases", "nameOnly", "", func() error { return only(client.ListDatabases(t.Context(), bson.D{})) }},
		{"listDatabases", "comment", `"why"`, func() error {
			return only(client.ListDatabaseNames(t.Context(), bson.D{}, &options.ListDatabases{Comment: "why"}))
		}},
		{"listDatabases", "nameOnly", "true", func() error { return only(client.ListDatabaseNames(t.Context(), bson.D{})) }},
		{"listDatabases", "filter", "", func() error { return only(client.ListDatabaseNames(t.Context(), bson.D{})) }},
		{"listDatabases", "filter.name", `"shop"`, func() error {
			return only(client.ListDatabaseNames(t.Context(), bson.Doc("name", "shop")))
		}},
		{"listCollections", "nameOnly", "true", func() error { return only(db.ListCollectionNames(t.Context(), bson.D{})) }},
		{"listCollections", "nameOnly", "true", func() error { return only(db.ListCollectionNames(t.Context(), bson.Doc("name", "c"))) }},
		{"listCollections", "nameOnly", "", func() error { return only(db.ListCollectionNames(t.Context(), bson.Doc("type", "view"))) }},
		{"find", "limit", "3", func() error {
			return only(bucket.Find(t.Context(), bson.D{}, &options.GridFSFind{Limit: new(int32(3))}))
		}},
		{"find", "skip", "2", func() error {
			return only(bucket.Find(t.Context(), bson.D{}, &options.GridFSFind{Skip: new(int32(2))}))
		}},
		{"aggregate", "pipeline.0.$changeStream.showExpandedEvents", "true", func() error {
			stream, err := c.Watch(t.Context(), bson.A{}, &options.ChangeStream{ShowExpandedEvents: new(true)})
			if err != nil {
				return err
			}
			return stream.Close(t.Context())
		}},
		{"createIndexes", "indexes.0.name", `"a_1"`, func() error {
			return only(c.CreateIndex(t.Context(), mongo.IndexModel{Keys: bson.Doc("a", 1.0)}))
		}},
		{"createIndexes", "indexes.0.name", `"a_-1_b_1"`, func() error {
			return only(c.CreateIndex(t.Context(), mongo.IndexModel{Keys: bson.Doc("a", -1.0, "b", int64(1))}))
		}},
		{"createIndexes", "indexes.0.name", `"c_text"`, func() error {
			return only(c.CreateIndex(t.Context(), mongo.IndexModel{Keys: bson.Doc("c", "text")}))
		}},
	} {
		t.Run(tt.command+" "+tt.path, func(t *testing.T) {
			if err := tt.call(); err != nil {
				t.Fatal(err)
			}
			sent := r.commands(tt.command)
			last := sent[len(sent)-1].Command
			got := last.Lookup(strings.Split(tt.path, ".")...)
			if text := fmt.Sprint(got); got.IsZero() != (tt.want == "") || tt.want != "" && text != tt.want {
				t.Errorf("%s is %s in %v, want %q", tt.path, text, last, tt.want)
			}
		})
	}
	auto := mongo.AutoEncryption{KeyVaultNamespace: "db.keys"}
	if text := fmt.Sprint(auto); !strings.Contains(text, "db.keys") {
		t.Errorf("settings of the encryption are printed as %q", text)
	}
}
