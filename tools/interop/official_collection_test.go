package interop

import (
	"errors"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func testIndexes(t *testing.T, p *place) {
	ctx := t.Context()
	people := p.db.Collection("people")
	name := must[string](t)(people.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "email", Value: 1}}, Options: options.Index().SetUnique(true)}))
	if name != "email_1" {
		t.Errorf("the index is called %s", name)
	}
	must[*mongo.InsertOneResult](t)(people.InsertOne(ctx, bson.M{"email": "a@b.c"}))
	if _, err := people.InsertOne(ctx, bson.M{"email": "a@b.c"}); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("a duplicate: %v", err)
	}
	names := must[[]string](t)(people.Indexes().CreateMany(ctx, []mongo.IndexModel{{Keys: bson.D{{Key: "a", Value: 1}, {Key: "b", Value: -1}}}, {Keys: bson.D{{Key: "c.d", Value: 1}}}}))
	if !slices.Equal(names, []string{"a_1_b_-1", "c.d_1"}) {
		t.Errorf("names = %v", names)
	}
	specs := must[[]mongo.IndexSpecification](t)(people.Indexes().ListSpecifications(ctx))
	if len(specs) != 4 || specs[1].Unique == nil || !*specs[1].Unique {
		t.Errorf("indexes = %+v", specs)
	}
	_, err := people.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "email", Value: 1}}})
	if !hasCode(err, 86) {
		t.Errorf("the same index without unique: %v", err)
	}
	_, err = people.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "email", Value: 1}}, Options: options.Index().SetName("other").SetUnique(true)})
	if !hasCode(err, 85) {
		t.Errorf("the same index under another name: %v", err)
	}
	if err := people.Indexes().DropOne(ctx, "email_1"); err != nil {
		t.Error(err)
	}
	if err := people.Indexes().DropOne(ctx, "email_1"); !hasCode(err, 27) {
		t.Errorf("dropping a missing index: %v", err)
	}
	if err := people.Indexes().DropAll(ctx); err != nil {
		t.Error(err)
	}
	if left := must[[]mongo.IndexSpecification](t)(people.Indexes().ListSpecifications(ctx)); len(left) != 1 {
		t.Errorf("left = %+v", left)
	}
}

func testIndexOptions(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("options")
	cases := []struct {
		field    string
		options  *options.IndexOptionsBuilder
		listed   string // how listIndexes shows the index
		accepted []any
		refused  any
	}{
		{"sparse", options.Index().SetUnique(true).SetSparse(true), "sparse", []any{bson.M{"sparse": 1}, bson.M{"x": 1}, bson.M{"x": 2}}, bson.M{"sparse": 1}},
		{"partial", options.Index().SetUnique(true).SetPartialFilterExpression(bson.M{"on": true}), "partialFilterExpression",
			[]any{bson.M{"partial": 1}, bson.M{"partial": 1}, bson.M{"partial": 1, "on": true}}, bson.M{"partial": 1, "on": true}},
		{"collated", options.Index().SetUnique(true).SetSparse(true).SetCollation(&options.Collation{Locale: "en", Strength: 2}), "collation", []any{bson.M{"collated": "é"}}, bson.M{"collated": "É"}},
		{"ttl", options.Index().SetExpireAfterSeconds(3600), "expireAfterSeconds", []any{bson.M{"ttl": 1}, bson.M{"ttl": 1}}, nil},
		{"hidden", options.Index().SetHidden(true), "hidden", []any{bson.M{"hidden": 1}}, nil},
	}
	for _, tc := range cases {
		if _, err := c.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: tc.field, Value: 1}}, Options: tc.options.SetName(tc.field)}); err != nil {
			t.Errorf("%s: %v", tc.field, err)
			continue
		}
		fill(t, c, tc.accepted...)
		if tc.refused != nil {
			if _, err := c.InsertOne(ctx, tc.refused); !mongo.IsDuplicateKeyError(err) {
				t.Errorf("%s: %v", tc.field, err)
			}
		}
	}
	shown := map[string]bson.M{}
	for _, spec := range readAll[bson.M](t)(c.Indexes().List(ctx)) {
		shown[spec["name"].(string)] = spec
	}
	for _, tc := range cases {
		if _, has := shown[tc.field][tc.listed]; !has {
			t.Errorf("%s is listed as %v", tc.field, shown[tc.field])
		}
	}
}

func testCollations(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("words")
	fill(t, c, bson.M{"w": "b"}, bson.M{"w": "B"}, bson.M{"w": "a"}, bson.M{"w": "item10"}, bson.M{"w": "item9"})
	blind := &options.Collation{Locale: "en", Strength: 2}
	if n := must[int64](t)(c.CountDocuments(ctx, bson.M{"w": "b"}, options.Count().SetCollation(blind))); n != 2 {
		t.Errorf("without case %d documents are b", n)
	}
	numeric := options.Find().SetCollation(&options.Collation{Locale: "en", NumericOrdering: true}).SetSort(bson.M{"w": 1})
	sorted := readAll[struct{ W string }](t)(c.Find(ctx, bson.M{"w": bson.M{"$gt": "item"}}, numeric))
	if len(sorted) != 2 || sorted[0].W != "item9" {
		t.Errorf("in numeric order: %v", sorted)
	}
	if err := p.db.CreateCollection(ctx, "blind", options.CreateCollection().SetCollation(blind)); err != nil {
		t.Fatal(err)
	}
	fill(t, p.db.Collection("blind"), bson.M{"w": "Ada"})
	if err := p.db.Collection("blind").FindOne(ctx, bson.M{"w": "ADA"}).Err(); err != nil {
		t.Errorf("the collection's own collation: %v", err)
	}
	updated := must[*mongo.UpdateResult](t)(c.UpdateMany(ctx, bson.M{"w": "B"}, bson.M{"$set": bson.M{"x": 1}}, options.UpdateMany().SetCollation(blind)))
	if updated.ModifiedCount != 2 {
		t.Errorf("an update with a collation: %+v", updated)
	}
}

func testViews(t *testing.T, p *place) {
	ctx := t.Context()
	fill(t, p.db.Collection("base"), bson.M{"_id": 1, "n": 1}, bson.M{"_id": 2, "n": 5}, bson.M{"_id": 3, "n": 9})
	big := mongo.Pipeline{{{Key: "$match", Value: bson.M{"n": bson.M{"$gt": 3}}}}, {{Key: "$set", Value: bson.M{"twice": bson.M{"$multiply": bson.A{"$n", 2}}}}}}
	if err := p.db.CreateView(ctx, "big", "base", big); err != nil {
		t.Fatal(err)
	}
	view := p.db.Collection("big")
	if got := readAll[struct{ Twice int }](t)(view.Find(ctx, bson.M{}, options.Find().SetSort(bson.M{"_id": 1}))); len(got) != 2 || got[0].Twice != 10 {
		t.Errorf("the view shows %v", got)
	}
	if n := must[int64](t)(view.CountDocuments(ctx, bson.M{"twice": 18})); n != 1 {
		t.Errorf("count = %d", n)
	}
	if _, err := view.InsertOne(ctx, bson.M{"n": 1}); !hasCode(err, 166) {
		t.Errorf("an insert into a view: %v", err)
	}
	if err := p.db.CreateView(ctx, "bigger", "big", mongo.Pipeline{{{Key: "$match", Value: bson.M{"twice": bson.M{"$gt": 10}}}}}); err != nil {
		t.Fatal(err)
	}
	if got := readAll[bson.M](t)(p.db.Collection("bigger").Aggregate(ctx, mongo.Pipeline{})); len(got) != 1 || got[0]["_id"] != int32(3) {
		t.Errorf("a view of a view shows %v", got)
	}
	specs := must[[]mongo.CollectionSpecification](t)(p.db.ListCollectionSpecifications(ctx, bson.M{"name": "big"}))
	if len(specs) != 1 || specs[0].Type != "view" || !specs[0].ReadOnly {
		t.Errorf("listed as %+v", specs)
	}
}

func testValidators(t *testing.T, p *place) {
	ctx := t.Context()
	schema := bson.M{"$jsonSchema": bson.M{"required": bson.A{"age"}, "properties": bson.M{"age": bson.M{"bsonType": "int", "minimum": 0}}}}
	for name, validator := range map[string]bson.M{"query": {"age": bson.M{"$gte": 0}}, "schema": schema} {
		if err := p.db.CreateCollection(ctx, name, options.CreateCollection().SetValidator(validator)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := p.db.Collection(name)
		fill(t, c, bson.M{"_id": 1, "age": 1})
		_, err := c.InsertOne(ctx, bson.M{"age": -1})
		var failed mongo.WriteException
		if !errors.As(err, &failed) || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Code != 121 || failed.WriteErrors[0].Details == nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.UpdateByID(ctx, 1, bson.M{"$set": bson.M{"age": -1}}); !hasCode(err, 121) {
			t.Errorf("%s: an update: %v", name, err)
		}
		if _, err := c.InsertOne(ctx, bson.M{"age": -1}, options.InsertOne().SetBypassDocumentValidation(true)); err != nil {
			t.Errorf("%s: bypassing: %v", name, err)
		}
	}
	warn := bson.D{{Key: "collMod", Value: "query"}, {Key: "validationAction", Value: "warn"}}
	if err := p.db.RunCommand(ctx, warn).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.db.Collection("query").InsertOne(ctx, bson.M{"age": -1}); err != nil {
		t.Errorf("with warnings only: %v", err)
	}
}

func testLists(t *testing.T, p *place) {
	ctx := t.Context()
	for _, name := range []string{"one", "two", "three"} {
		fill(t, p.db.Collection(name), bson.M{"_id": 1})
	}
	names := must[[]string](t)(p.db.ListCollectionNames(ctx, bson.M{"name": bson.M{"$regex": "^t"}}))
	slices.Sort(names)
	if !slices.Equal(names, []string{"three", "two"}) {
		t.Errorf("collections = %v", names)
	}
	byOne := readAll[bson.M](t)(p.db.ListCollections(ctx, bson.M{}, options.ListCollections().SetBatchSize(1)))
	if len(byOne) != 3 || byOne[0]["type"] != "collection" {
		t.Errorf("collections = %v", byOne)
	}
	databases := must[mongo.ListDatabasesResult](t)(p.client.ListDatabases(ctx, bson.M{"name": p.db.Name()}))
	if len(databases.Databases) != 1 || databases.Databases[0].Empty || databases.TotalSize == 0 {
		t.Errorf("databases = %+v", databases)
	}
	if err := p.client.Database("admin").RunCommand(ctx, bson.D{{Key: "renameCollection", Value: p.db.Name() + ".one"}, {Key: "to", Value: p.db.Name() + ".two"}}).Err(); !hasCode(err, 48) {
		t.Errorf("renaming over another collection: %v", err)
	}
	if err := p.db.Collection("one").Drop(ctx); err != nil {
		t.Error(err)
	}
	if err := p.db.CreateCollection(ctx, "two", options.CreateCollection().SetCapped(true).SetSizeInBytes(4096)); !hasCode(err, 48) {
		t.Errorf("creating another collection of that name: %v", err)
	}
}

func testCapped(t *testing.T, p *place) {
	ctx := t.Context()
	if err := p.db.CreateCollection(ctx, "ring", options.CreateCollection().SetCapped(true).SetSizeInBytes(4096).SetMaxDocuments(3)); err != nil {
		t.Fatal(err)
	}
	ring := p.db.Collection("ring")
	for i := range 5 {
		fill(t, ring, bson.M{"_id": i})
	}
	var kept []int
	for _, doc := range readAll[struct {
		ID int `bson:"_id"`
	}](t)(ring.Find(ctx, bson.M{}, options.Find().SetSort(bson.M{"$natural": -1}))) {
		kept = append(kept, doc.ID)
	}
	if !slices.Equal(kept, []int{4, 3, 2}) {
		t.Errorf("the ring holds %v", kept)
	}
}

func testAggregation(t *testing.T, p *place) {
	sales := p.db.Collection("sales")
	fill(t, sales, bson.M{"item": "a", "qty": 2, "price": 10}, bson.M{"item": "b", "qty": 1, "price": 7}, bson.M{"item": "a", "qty": 3, "price": 10})
	totals := readAll[struct {
		ID    string `bson:"_id"`
		Total int
		Most  int
	}](t)(sales.Aggregate(t.Context(), mongo.Pipeline{
		{{Key: "$group", Value: bson.M{"_id": "$item", "total": bson.M{"$sum": bson.M{"$multiply": bson.A{"$qty", "$price"}}}, "most": bson.M{"$max": "$qty"}}}},
		{{Key: "$sort", Value: bson.M{"_id": 1}}},
	}, options.Aggregate().SetBatchSize(1)))
	if len(totals) != 2 || totals[0].Total != 50 || totals[0].Most != 3 || totals[1].Total != 7 {
		t.Errorf("totals = %+v", totals)
	}
	let := options.Aggregate().SetLet(bson.M{"least": 2})
	some := readAll[bson.M](t)(sales.Aggregate(t.Context(), mongo.Pipeline{{{Key: "$match", Value: bson.M{"$expr": bson.M{"$gte": bson.A{"$qty", "$$least"}}}}}}, let))
	if len(some) != 2 {
		t.Errorf("with let: %v", some)
	}
	if n := must[*mongo.Cursor](t)(p.db.Aggregate(t.Context(), mongo.Pipeline{{{Key: "$documents", Value: bson.A{bson.M{"x": 1}}}}})); !n.Next(t.Context()) {
		t.Errorf("$documents: %v", n.Err())
	}
}

func testLookupAndFacet(t *testing.T, p *place) {
	fill(t, p.db.Collection("orders"), bson.M{"_id": 1, "item": "a"}, bson.M{"_id": 2, "item": "c"}, bson.M{"_id": 3, "item": "a"})
	fill(t, p.db.Collection("stock"), bson.M{"_id": "a", "left": 5}, bson.M{"_id": "b", "left": 0})
	join := bson.D{{Key: "$lookup", Value: bson.M{"from": "stock", "localField": "item", "foreignField": "_id", "as": "stock"}}}
	joined := readAll[struct {
		Stock []struct{ Left int }
	}](t)(p.db.Collection("orders").Aggregate(t.Context(), mongo.Pipeline{join, {{Key: "$sort", Value: bson.M{"_id": 1}}}}))
	if len(joined) != 3 || len(joined[0].Stock) != 1 || joined[0].Stock[0].Left != 5 || len(joined[1].Stock) != 0 {
		t.Errorf("$lookup: %+v", joined)
	}
	facets := readAll[struct {
		Count []struct{ N int }
		Items []struct {
			ID    string `bson:"_id"`
			Count int
		}
	}](t)(p.db.Collection("orders").Aggregate(t.Context(), mongo.Pipeline{{{Key: "$facet", Value: bson.M{
		"count": bson.A{bson.M{"$count": "n"}}, "items": bson.A{bson.M{"$sortByCount": "$item"}},
	}}}}))
	if len(facets) != 1 || facets[0].Count[0].N != 3 || facets[0].Items[0].ID != "a" || facets[0].Items[0].Count != 2 {
		t.Errorf("$facet: %+v", facets)
	}
}

func testOutAndMerge(t *testing.T, p *place) {
	ctx := t.Context()
	source := p.db.Collection("source")
	fill(t, source, bson.M{"_id": 1, "n": 1}, bson.M{"_id": 2, "n": 2})
	fill(t, p.db.Collection("merged"), bson.M{"_id": 1, "kept": true})
	stages := map[string]bson.D{
		"copied": {{Key: "$out", Value: "copied"}},
		"merged": {{Key: "$merge", Value: bson.M{"into": "merged", "whenMatched": "merge", "whenNotMatched": "insert"}}},
	}
	for name, stage := range stages {
		if left := readAll[bson.M](t)(source.Aggregate(ctx, mongo.Pipeline{stage})); len(left) != 0 {
			t.Errorf("%s: the cursor has %v", name, left)
		}
		if n := must[int64](t)(p.db.Collection(name).CountDocuments(ctx, bson.M{"n": bson.M{"$gt": 0}})); n != 2 {
			t.Errorf("%s has %d documents", name, n)
		}
	}
	if n := must[int64](t)(p.db.Collection("merged").CountDocuments(ctx, bson.M{"n": 1, "kept": true})); n != 1 {
		t.Error("$merge lost a field")
	}
}
