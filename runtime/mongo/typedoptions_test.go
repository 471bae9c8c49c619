package mongo_test

import (
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestTypedCollectionOptions creates collections with the structs that their options may hold, and reads them back.
func TestTypedCollectionOptions(t *testing.T) {
	d := mongotest.Start(t, mongotest.Version("8.0"))
	client, err := mongo.Connect(t.Context(), d.URI())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(t.Context())
	for _, c := range []struct {
		name  string
		opts  options.CreateCollection
		path  []string
		value string
	}{
		{
			"time series",
			options.CreateCollection{TimeSeries: &options.TimeSeries{TimeField: "at", MetaField: "sensor", Granularity: "hours"}},
			[]string{"options", "timeseries", "granularity"}, `"hours"`,
		},
		{
			"clustered",
			options.CreateCollection{ClusteredIndex: &options.ClusteredIndex{Key: bson.Doc("_id", 1), Unique: true, Name: "byID"}},
			[]string{"options", "clusteredIndex", "name"}, `"byID"`,
		},
		{
			"images",
			options.CreateCollection{ChangeStreamPreAndPostImages: &options.PreAndPostImages{Enabled: true}},
			[]string{"options", "changeStreamPreAndPostImages", "enabled"}, "true",
		},
		{
			"index defaults",
			options.CreateCollection{IndexOptionDefaults: &options.DefaultIndex{StorageEngine: bson.Doc("wiredTiger", bson.D{})}},
			[]string{"options", "indexOptionDefaults", "storageEngine", "wiredTiger"}, "{}",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := client.Database("typed")
			if err := db.CreateCollection(t.Context(), c.name, &c.opts); err != nil {
				t.Fatal(err)
			}
			cursor, err := db.ListCollections(t.Context(), bson.Doc("name", c.name))
			if err != nil {
				t.Fatal(err)
			}
			defer cursor.Close(t.Context())
			if !cursor.Next(t.Context()) {
				t.Fatal("the collection is not listed")
			}
			if got := cursor.Current().Lookup(c.path...).String(); got != c.value {
				t.Errorf("%v is %s, want %s", c.path, got, c.value)
			}
		})
	}
}
