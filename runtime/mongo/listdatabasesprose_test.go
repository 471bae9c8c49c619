package mongo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The prose tests of Enumerate Collections, Enumerate Databases, Index Management and Collation.

// onEachNode runs a test on each kind of node. The test writes with the first client and lists with the second one.
func onEachNode(t *testing.T, test func(t *testing.T, writer, reader *mongo.Client)) {
	t.Helper()
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) { test(t, client, client) })
	t.Run("secondary", func(t *testing.T) {
		d := mongotest.Start(t, mongotest.ReplicaSet(2))
		host := d.Hosts()[1-d.Primary()]
		reader, err := mongo.Connect(t.Context(), "mongodb://"+host+"/?directConnection=true")
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close(t.Context())
		test(t, connect(t, d, &options.Client{WriteConcern: mongo.W(2)}), reader)
	})
}

// wantNames fails unless the names are exactly these, each once.
func wantNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	got = slices.Sorted(slices.Values(got))
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
	for _, name := range got {
		if strings.Contains(name, "$") {
			t.Errorf("%s: %q has a $", what, name)
		}
	}
}

func TestEnumerateCollectionsProse(t *testing.T) {
	onEachNode(t, func(t *testing.T, writer, reader *mongo.Client) {
		ctx, db := t.Context(), writer.Database("enumerate")
		for name, o := range map[string]*options.CreateCollection{
			"plain":  nil,
			"capped": {Capped: new(true), Size: new(int64(4096))},
		} {
			if err := db.CreateCollection(ctx, name, o); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Collection(name).Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.Doc("a", 1)}); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Collection(name).InsertOne(ctx, bson.Doc("a", 1)); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			filter bson.D
			want   []string
		}{
			{bson.D{}, []string{"capped", "plain"}},
			{bson.Doc("options.capped", true), []string{"capped"}},
		} {
			names, err := reader.Database("enumerate").ListCollectionNames(ctx, tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			wantNames(t, tt.filter.String(), names, tt.want)
		}
	})
}

func TestEnumerateDatabasesProse(t *testing.T) {
	onEachNode(t, func(t *testing.T, writer, reader *mongo.Client) {
		ctx := t.Context()
		for _, name := range []string{"one", "two"} {
			if _, err := writer.Database(name).Collection("c").InsertOne(ctx, bson.D{}); err != nil {
				t.Fatal(err)
			}
		}
		ours := bson.Doc("name", bson.Doc("$nin", bson.A{"admin", "config", "local"}))
		described, err := reader.ListDatabases(ctx, ours)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range described {
			names = append(names, d.Name)
		}
		wantNames(t, "ListDatabases", names, []string{"one", "two"})
		if names, err = reader.ListDatabaseNames(ctx, ours); err != nil {
			t.Fatal(err)
		}
		wantNames(t, "ListDatabaseNames", names, []string{"one", "two"})
		objects, err := reader.ListDatabaseObjects(ctx, ours)
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, d := range objects {
			names = append(names, d.Name())
		}
		wantNames(t, "ListDatabaseObjects", names, []string{"one", "two"})
	})
}

func TestIndexManagementProse(t *testing.T) {
	want := []string{"_id_", "single_1", "two_1_three_-1", "unique_1"}
	onEachNode(t, func(t *testing.T, writer, reader *mongo.Client) {
		ctx, c := t.Context(), writer.Database("enumerate").Collection("indexed")
		_, err := c.Indexes().CreateMany(ctx, []mongo.IndexModel{
			{Keys: bson.Doc("single", 1)},
			{Keys: bson.Doc("two", 1, "three", -1)},
			{Keys: bson.Doc("unique", 1), Options: &options.Index{Unique: new(true)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.InsertOne(ctx, bson.Doc("single", 1, "two", 2, "three", 3, "unique", 4)); err != nil {
			t.Fatal(err)
		}
		c = reader.Database("enumerate").Collection("indexed")
		names, err := c.ListIndexNames(ctx)
		if err != nil {
			t.Fatal(err)
		}
		wantNames(t, "ListIndexNames", names, want)
		described, err := c.Indexes().ListSpecifications(ctx)
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, s := range described {
			names = append(names, s.Name)
			if unique := s.Unique != nil && *s.Unique; unique != (s.Name == "unique_1") {
				t.Errorf("%s: unique is %v", s.Name, unique)
			}
			if s.Namespace != "" && s.Namespace != "enumerate.indexed" {
				t.Errorf("%s: the namespace is %q", s.Name, s.Namespace)
			}
		}
		wantNames(t, "ListSpecifications", names, want)
	})
}

func TestCollationProseIndexesOfOneKeyPattern(t *testing.T) {
	client := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	ctx, view := t.Context(), client.Database("shop").Collection("things").Indexes()
	for _, model := range []mongo.IndexModel{
		{Keys: bson.Doc("name", 1)},
		{Keys: bson.Doc("name", 1), Options: &options.Index{
			Name: new("caseless"), Collation: &options.Collation{Locale: "en_US", Strength: new(int32(2))},
		}},
	} {
		if _, err := view.CreateOne(ctx, model); err != nil {
			t.Fatal(err)
		}
	}
	if err := view.DropOne(ctx, "name_1"); err != nil {
		t.Fatal(err)
	}
	names, err := client.Database("shop").Collection("things").ListIndexNames(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wantNames(t, "after DropOne", names, []string{"_id_", "caseless"})
}
