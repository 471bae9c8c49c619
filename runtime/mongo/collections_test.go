package mongo_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestCollectionsAreDescribedRenamedAndModified(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		ctx, db := t.Context(), client.Database("shop")
		if err := db.CreateCollection(ctx, "users"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Collection("users").InsertMany(ctx, []bson.D{bson.Doc("_id", 1, "age", 36), bson.Doc("_id", 2, "age", 17)}); err != nil {
			t.Fatal(err)
		}
		adults := mongo.Pipeline{bson.Doc("$match", bson.Doc("age", bson.Doc("$gte", 18)))}
		if err := db.CreateView(ctx, "adults", "users", adults); err != nil {
			t.Fatal(err)
		}
		if n, err := db.Collection("adults").CountDocuments(ctx, bson.D{}); n != 1 || err != nil {
			t.Errorf("%d adults, %v", n, err)
		}
		specs, err := db.ListCollectionSpecifications(ctx, bson.Doc("name", bson.Doc("$in", bson.A{"users", "adults"})))
		if err != nil || len(specs) != 2 {
			t.Fatalf("%+v, %v", specs, err)
		}
		for _, spec := range specs {
			view := spec.Name == "adults"
			if view != (spec.Type == "view") || view != spec.ReadOnly || view != (spec.UUID == nil) {
				t.Errorf("%+v", spec)
			}
			if on, _ := spec.Options.Lookup("viewOn").StringOK(); view && on != "users" || !view && (spec.IDIndex.Name != "_id_" || spec.IDIndex.Namespace != "shop.users") {
				t.Errorf("%+v", spec)
			}
		}
		objects, err := db.ListCollectionObjects(ctx, bson.Doc("name", "users"))
		if err != nil || len(objects) != 1 || objects[0].Name() != "users" {
			t.Errorf("%v, %v", objects, err)
		}
		databases, err := client.ListDatabaseObjects(ctx, bson.Doc("name", "shop"))
		if err != nil || len(databases) != 1 || databases[0].Name() != "shop" {
			t.Errorf("%v, %v", databases, err)
		}
		validator := bson.Doc("age", bson.Doc("$type", "number"))
		if err := db.ModifyCollection(ctx, "users", &options.ModifyCollection{Validator: validator}); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Collection("users").InsertOne(ctx, bson.Doc("age", "old")); err == nil {
			t.Error("the validator does not count")
		}
		if err := db.Collection("users").Rename(ctx, "people"); err != nil {
			t.Fatal(err)
		}
		if n, err := db.Collection("people").CountDocuments(ctx, bson.D{}); n != 2 || err != nil {
			t.Errorf("%d people, %v", n, err)
		}
	})
}

func TestIndexView(t *testing.T) {
	users := connect(t, mongotest.Start(t, mongotest.ReplicaSet(1))).Database("shop").Collection("users")
	view := users.Indexes()
	name, err := view.CreateOne(t.Context(), mongo.IndexModel{Keys: bson.Doc("age", 1), Options: &options.Index{Unique: new(true), Sparse: new(true)}},
		&options.CreateIndexes{CommitQuorum: "majority"})
	if err != nil || name != "age_1" {
		t.Fatalf("%s, %v", name, err)
	}
	names, err := view.CreateMany(t.Context(), []mongo.IndexModel{{Keys: bson.Doc("a", 1)}, {Keys: bson.Doc("b", -1)}})
	if err != nil || !slices.Equal(names, []string{"a_1", "b_-1"}) {
		t.Fatalf("%v, %v", names, err)
	}
	specs, err := view.ListSpecifications(t.Context())
	if err != nil || len(specs) != 4 {
		t.Fatalf("%+v, %v", specs, err)
	}
	if s := specs[1]; s.Name != "age_1" || s.Namespace != "shop.users" || s.Unique == nil || !*s.Unique || s.Sparse == nil || s.Version != 2 {
		t.Errorf("%+v", s)
	}
	if err := view.DropWithKey(t.Context(), bson.Doc("a", 1)); err != nil {
		t.Error(err)
	}
	if err := view.DropOne(t.Context(), "b_-1"); err != nil {
		t.Error(err)
	}
	if err := view.DropAll(t.Context()); err != nil {
		t.Error(err)
	}
	cursor, err := view.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left, err := mongo.All[bson.Raw](t.Context(), cursor); len(left) != 1 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
}

func TestSearchIndexesSendTheirCommands(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t, mongotest.ReplicaSet(1)))
	view := client.Database("shop").Collection("users", &options.Collection{
		ReadConcern: mongo.ReadMajority(), WriteConcern: mongo.Majority(),
	}).SearchIndexes()
	model := mongo.SearchIndexModel{Definition: bson.Doc("mappings", bson.Doc("dynamic", true)), Options: &options.SearchIndex{Name: new("n"), Type: new("search")}}
	// Like a server outside of Atlas, mongotest has no search. Only the command that the driver sends matters here.
	view.CreateOne(t.Context(), model)
	view.UpdateOne(t.Context(), "n", bson.Doc("mappings", bson.D{}))
	view.DropOne(t.Context(), "n")
	if cursor, err := view.List(t.Context(), &options.ListSearchIndexes{Name: new("n")}); err == nil {
		cursor.Close(t.Context())
	}
	for _, name := range []string{"createSearchIndexes", "updateSearchIndex", "dropSearchIndex", "aggregate"} {
		sent := r.commands(name)
		if len(sent) != 1 {
			t.Fatalf("%d of %s", len(sent), name)
		}
		if !sent[0].Command.Lookup("readConcern").IsZero() || !sent[0].Command.Lookup("writeConcern").IsZero() {
			t.Errorf("%s has a concern: %v", name, sent[0].Command)
		}
	}
	if got, _ := r.commands("createSearchIndexes")[0].Command.Lookup("indexes", "0", "type").StringOK(); got != "search" {
		t.Errorf("type %q", got)
	}
	if got, _ := r.commands("aggregate")[0].Command.Lookup("pipeline", "0", "$listSearchIndexes", "name").StringOK(); got != "n" {
		t.Errorf("listed %q", got)
	}
}

func TestDistinctCountAndUpdateByID(t *testing.T) {
	users := connect(t, mongotest.Start(t)).Database("shop").Collection("users")
	if _, err := users.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1, "n", "a"), bson.Doc("_id", 2, "n", "b"), bson.Doc("_id", 3, "n", "a")}); err != nil {
		t.Fatal(err)
	}
	names, err := mongo.Distinct[string](t.Context(), users, "n", bson.D{})
	if err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := mongo.Distinct[int](t.Context(), users, "n", bson.D{}); err == nil {
		t.Error("texts are numbers")
	}
	if n, err := users.Count(t.Context(), bson.Doc("n", "a")); n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if result, err := users.UpdateByID(t.Context(), 2, bson.Doc("$set", bson.Doc("n", "c"))); err != nil || result.ModifiedCount != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := users.UpdateByID(t.Context(), nil, bson.Doc("$set", bson.Doc("n", "c"))); !errors.Is(err, mongo.ErrNilValue) {
		t.Errorf("err = %v", err)
	}
}

func TestCursorsAndResultsOfDocuments(t *testing.T) {
	broken := errors.New("broken")
	cursor, err := mongo.NewCursorFromDocuments([]any{bson.Doc("_id", 1), user{Name: "Ada"}}, broken)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for cursor.Next(t.Context()) {
		n++
	}
	if n != 2 || !errors.Is(cursor.Err(), broken) || cursor.Close(t.Context()) != nil {
		t.Errorf("%d documents, %v", n, cursor.Err())
	}
	cursor, err = mongo.NewCursorFromDocuments([]any{user{Name: "Ada"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := mongo.All[user](t.Context(), cursor); err != nil || len(list) != 1 || list[0].Name != "Ada" {
		t.Errorf("%v, %v", list, err)
	}
	var got user
	if err := mongo.NewSingleResultFromDocument(user{Name: "Ada"}, nil).Decode(&got); err != nil || got.Name != "Ada" {
		t.Errorf("%v, %v", got, err)
	}
	if err := mongo.NewSingleResultFromDocument(nil, nil).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("err = %v", err)
	}
	if err := mongo.NewSingleResultFromDocument(nil, broken).Decode(&got); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
}

func TestCursorSettingsReachTheNextBatch(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	numbers := client.Database("shop").Collection("numbers")
	if _, err := numbers.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := numbers.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	cursor.SetBatchSize(7)
	cursor.SetComment("later")
	if list, err := mongo.All[bson.Raw](t.Context(), cursor); len(list) != 3 || err != nil {
		t.Fatalf("%v, %v", list, err)
	}
	sent := r.commands("getMore")[0].Command
	if size, _ := sent.Lookup("batchSize").AsInt64OK(); size != 7 {
		t.Errorf("getMore %v", sent)
	}
	if comment, _ := sent.Lookup("comment").StringOK(); comment != "later" {
		t.Errorf("getMore %v", sent)
	}
}

// A getMore repeats the comment of listIndexes, and not that of listCollections, which it inherits.
//
// Index Management, "ListIndexesOptions"; Enumerating Collections, "listCollections Database Command".
func TestCommentsOfListsInTheNextBatch(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	db := client.Database("shop")
	things := db.Collection("things")
	for _, name := range []string{"a", "b"} {
		if _, err := things.CreateIndex(t.Context(), mongo.IndexModel{Keys: bson.Doc(name, 1)}); err != nil {
			t.Fatal(err)
		}
		if err := db.CreateCollection(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		command, next string
		list          func(ctx context.Context, batchSize *int32, comment any) (*mongo.Cursor, error)
	}{
		{"listIndexes", "trace", func(ctx context.Context, batchSize *int32, comment any) (*mongo.Cursor, error) {
			return things.ListIndexes(ctx, &options.ListIndexes{BatchSize: batchSize, Comment: comment})
		}},
		{"listCollections", "", func(ctx context.Context, batchSize *int32, comment any) (*mongo.Cursor, error) {
			return db.ListCollections(ctx, bson.D{}, &options.ListCollections{BatchSize: batchSize, Comment: comment})
		}},
	} {
		before := len(r.commands("getMore"))
		cursor, err := tt.list(t.Context(), new(int32(1)), "trace")
		if err != nil {
			t.Fatal(err)
		}
		if list, err := mongo.All[bson.Raw](t.Context(), cursor); len(list) != 3 || err != nil {
			t.Fatalf("%v, %v", list, err)
		}
		if comment, _ := r.commands(tt.command)[0].Command.Lookup("comment").StringOK(); comment != "trace" {
			t.Errorf("%s has the comment %q", tt.command, comment)
		}
		for _, sent := range r.commands("getMore")[before:] {
			if comment, _ := sent.Command.Lookup("comment").StringOK(); comment != tt.next {
				t.Errorf("a getMore of %s has the comment %q, want %q", tt.command, comment, tt.next)
			}
		}
	}
}

// Find, getMore and killCursors Commands, "getMore": the cursor takes its namespace from every reply.
func TestCursorFollowsTheNamespaceOfEachBatch(t *testing.T) {
	d := mongotest.Start(t)
	client, r := connectRecorded(t, d)
	numbers := client.Database("shop").Collection("numbers")
	if _, err := numbers.InsertMany(t.Context(), []bson.D{bson.Doc("_id", 1), bson.Doc("_id", 2), bson.Doc("_id", 3)}); err != nil {
		t.Fatal(err)
	}
	cursor, err := numbers.Find(t.Context(), bson.D{}, &options.Find{BatchSize: new(int32(1))})
	if err != nil {
		t.Fatal(err)
	}
	d.Control("getMore", func(mongotest.Command) mongotest.Answer {
		return mongotest.Answer{Reply: encodeReply(t, "ok", 1, "cursor",
			bson.Doc("id", cursor.ID(), "ns", "store.figures", "nextBatch", bson.A{bson.Doc("_id", 2)}))}
	})
	for range 2 {
		if !cursor.Next(t.Context()) {
			t.Fatal(cursor.Err())
		}
	}
	cursor.Close(t.Context())
	sent := r.commands("killCursors")[0]
	if name, _ := sent.Command.Lookup("killCursors").StringOK(); sent.DatabaseName != "store" || name != "figures" {
		t.Errorf("killCursors of %s.%s, want store.figures", sent.DatabaseName, name)
	}
}

// CRUD, "14. explain helpers allow users to specify maxTimeMS", and the other operations that have a plan.
func TestCRUDProse14ExplainWithMaxTime(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	coll := client.Database("explain-test").Collection("collection")
	filter := bson.Doc("name", "john doe")
	tests := []struct {
		name, command, array string
		operation            mongo.Explainable
	}{
		{"find", "find", "", mongo.ExplainFind(filter, &options.Find{MaxTime: new(time.Minute)})},
		{"aggregate", "aggregate", "", mongo.ExplainAggregate(mongo.Pipeline{bson.Doc("$match", filter)})},
		{"distinct", "distinct", "", mongo.ExplainDistinct("name", filter)},
		{"update", "update", "updates", mongo.ExplainWrite(&mongo.UpdateOneModel{Filter: filter, Update: bson.Doc("$set", bson.Doc("a", 1))})},
		{"delete", "delete", "deletes", mongo.ExplainWrite(&mongo.DeleteManyModel{Filter: filter})},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			coll.Explain(t.Context(), tt.operation, "queryPlanner", &options.Explain{MaxTime: new(2 * time.Second)})
			sent := r.commands("explain")
			if len(sent) != i+1 {
				t.Fatalf("%d commands", len(sent))
			}
			command := sent[i].Command
			if ms, _ := command.Lookup("maxTimeMS").AsInt64OK(); ms != 2000 {
				t.Errorf("maxTimeMS in %v", command)
			}
			inner, _ := command.Lookup("explain").DocumentOK()
			if name, _ := inner.Lookup(tt.command).StringOK(); name != "collection" || tt.array != "" && lengthOf(inner, tt.array) != 1 {
				t.Errorf("explained %v", inner)
			}
		})
	}
	if err := coll.Explain(t.Context(), mongo.ExplainFind(filter), "").Err(); err != nil {
		t.Error(err)
	}
	if err := coll.Explain(t.Context(), mongo.ExplainWrite(&mongo.InsertOneModel{Document: filter}), "").Err(); err == nil {
		t.Error("an insert has a plan")
	}
}

func TestReadPreferencesAndConcernsReadWell(t *testing.T) {
	rp := mongo.Secondary(mongo.MaxStaleness(2*time.Minute), mongo.Tags("dc", "ny", "rack", "1"), mongo.Tags())
	if rp.Mode != options.Secondary || *rp.MaxStaleness != 2*time.Minute || len(rp.TagSets) != 2 || rp.TagSets[0][1].Value != "1" {
		t.Errorf("%+v", rp)
	}
	for mode, rp := range map[options.ReadPreferenceMode]*options.ReadPreference{
		options.Primary: mongo.Primary(), options.PrimaryPreferred: mongo.PrimaryPreferred(), options.Nearest: mongo.Nearest(),
		options.SecondaryPreferred: mongo.SecondaryPreferred(),
	} {
		if rp.Mode != mode {
			t.Errorf("%v, want %v", rp.Mode, mode)
		}
	}
	for level, rc := range map[string]*options.ReadConcern{
		"local": mongo.ReadLocal(), "available": mongo.ReadAvailable(), "majority": mongo.ReadMajority(),
		"linearizable": mongo.ReadLinearizable(), "snapshot": mongo.ReadSnapshot(),
	} {
		if rc.Level != level {
			t.Errorf("%s, want %s", rc.Level, level)
		}
	}
	if mongo.Majority().W != "majority" || mongo.W(2).W != 2 || !*mongo.Journaled().Journal {
		t.Error("a write concern is wrong")
	}
}

func TestIndexWithANameOfItsOwnIsDroppedByItsKeys(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		indexes := client.Database("shop").Collection("things").Indexes()
		_, err := indexes.CreateOne(t.Context(), mongo.IndexModel{
			Keys: bson.Doc("a", 1, "b", -1), Options: &options.Index{Name: new("mine")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := indexes.DropWithKey(t.Context(), bson.Doc("a", 1, "b", -1)); err != nil {
			t.Fatal(err)
		}
		left, err := indexes.ListSpecifications(t.Context())
		if err != nil || len(left) != 1 || left[0].Name != "_id_" {
			t.Errorf("what is left: %+v, %v", left, err)
		}
		if err := indexes.DropWithKey(t.Context(), bson.Doc("a", 1, "b", -1)); !mongo.HasErrorCode(err, errcode.IndexNotFound) {
			t.Errorf("dropped twice: %v", err)
		}
	})
}
