package interop

import (
	"errors"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func testCRUD(t *testing.T, p *place) {
	ctx := t.Context()
	users := p.db.Collection("users")
	must[*mongo.InsertOneResult](t)(users.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "Ada"}, {Key: "age", Value: 36}}))
	fill(t, users, bson.M{"_id": 2, "name": "Grace", "age": 45}, bson.M{"_id": 3, "name": "Edsger", "age": 40})
	var doc struct {
		Name string
		Age  int
	}
	if err := users.FindOne(ctx, bson.M{"age": bson.M{"$gt": 40}}).Decode(&doc); err != nil || doc.Name != "Grace" {
		t.Errorf("FindOne = %+v, %v", doc, err)
	}
	updated := must[*mongo.UpdateResult](t)(users.UpdateMany(ctx, bson.M{}, bson.M{"$inc": bson.M{"age": 1}}))
	if updated.MatchedCount != 3 || updated.ModifiedCount != 3 {
		t.Errorf("UpdateMany = %+v", updated)
	}
	upserted := must[*mongo.UpdateResult](t)(users.ReplaceOne(ctx, bson.M{"_id": 4}, bson.M{"name": "Alan"}, options.Replace().SetUpsert(true)))
	if upserted.UpsertedID != int32(4) {
		t.Errorf("ReplaceOne = %+v", upserted)
	}
	same := must[*mongo.UpdateResult](t)(users.UpdateByID(ctx, 4, bson.M{"$set": bson.M{"name": "Alan"}}))
	if same.MatchedCount != 1 || same.ModifiedCount != 0 {
		t.Errorf("an update that changes nothing = %+v", same)
	}
	if n := must[int64](t)(users.CountDocuments(ctx, bson.M{"age": bson.M{"$gte": 41}})); n != 2 {
		t.Errorf("CountDocuments = %d", n)
	}
	if n := must[int64](t)(users.EstimatedDocumentCount(ctx)); n != 4 {
		t.Errorf("EstimatedDocumentCount = %d", n)
	}
	_, err := users.InsertOne(ctx, bson.M{"_id": 1})
	if !mongo.IsDuplicateKeyError(err) {
		t.Errorf("a duplicate: %v", err)
	}
	_, err = users.InsertMany(ctx, bson.A{bson.M{"_id": 5}, bson.M{"_id": 1}, bson.M{"_id": 6}}, options.InsertMany().SetOrdered(false))
	var bulk mongo.BulkWriteException
	if !errors.As(err, &bulk) || len(bulk.WriteErrors) != 1 || bulk.WriteErrors[0].Index != 1 {
		t.Errorf("an unordered insertMany with a duplicate: %v", err)
	}
	if deleted := must[*mongo.DeleteResult](t)(users.DeleteOne(ctx, bson.M{"_id": 3})); deleted.DeletedCount != 1 {
		t.Errorf("DeleteOne = %+v", deleted)
	}
	if deleted := must[*mongo.DeleteResult](t)(users.DeleteMany(ctx, bson.M{})); deleted.DeletedCount != 5 {
		t.Errorf("DeleteMany = %+v", deleted)
	}
	if err := users.FindOne(ctx, bson.M{}).Err(); !errors.Is(err, mongo.ErrNoDocuments) {
		t.Errorf("FindOne in an empty collection: %v", err)
	}
}

func testFindAndModify(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("modified")
	fill(t, c, bson.M{"_id": 1, "n": 3}, bson.M{"_id": 2, "n": 1}, bson.M{"_id": 3, "n": 2})
	lowest := bson.M{"n": 1}
	inc := bson.M{"$inc": bson.M{"n": 10}}
	after := options.After
	cases := []struct {
		name   string
		result func() *mongo.SingleResult
		want   bson.D
	}{
		{"the document before", func() *mongo.SingleResult {
			return c.FindOneAndUpdate(ctx, bson.M{"_id": 1}, inc)
		}, bson.D{{Key: "_id", Value: int32(1)}, {Key: "n", Value: int32(3)}}},
		{"the document after, the first of a sort", func() *mongo.SingleResult {
			return c.FindOneAndUpdate(ctx, bson.M{}, inc, options.FindOneAndUpdate().SetSort(lowest).SetReturnDocument(after))
		}, bson.D{{Key: "_id", Value: int32(2)}, {Key: "n", Value: int32(11)}}},
		{"projected", func() *mongo.SingleResult {
			return c.FindOneAndUpdate(ctx, bson.M{"_id": 3}, inc, options.FindOneAndUpdate().SetProjection(bson.M{"_id": 0}))
		}, bson.D{{Key: "n", Value: int32(2)}}},
		{"an upsert has nothing before", func() *mongo.SingleResult {
			return c.FindOneAndUpdate(ctx, bson.M{"_id": 4}, inc, options.FindOneAndUpdate().SetUpsert(true))
		}, nil},
		{"an upsert's document after", func() *mongo.SingleResult {
			return c.FindOneAndUpdate(ctx, bson.M{"_id": 5}, inc, options.FindOneAndUpdate().SetUpsert(true).SetReturnDocument(after))
		}, bson.D{{Key: "_id", Value: int32(5)}, {Key: "n", Value: int32(10)}}},
		{"a pipeline", func() *mongo.SingleResult {
			pipeline := mongo.Pipeline{{{Key: "$set", Value: bson.M{"n": bson.M{"$multiply": bson.A{"$n", 2}}}}}}
			return c.FindOneAndUpdate(ctx, bson.M{"_id": 4}, pipeline, options.FindOneAndUpdate().SetReturnDocument(after))
		}, bson.D{{Key: "_id", Value: int32(4)}, {Key: "n", Value: int32(20)}}},
		{"a replacement", func() *mongo.SingleResult {
			return c.FindOneAndReplace(ctx, bson.M{"_id": 4}, bson.M{"x": true}, options.FindOneAndReplace().SetReturnDocument(after))
		}, bson.D{{Key: "_id", Value: int32(4)}, {Key: "x", Value: true}}},
		{"removed", func() *mongo.SingleResult {
			return c.FindOneAndDelete(ctx, bson.M{"_id": 4})
		}, bson.D{{Key: "_id", Value: int32(4)}, {Key: "x", Value: true}}},
		{"nothing to remove", func() *mongo.SingleResult {
			return c.FindOneAndDelete(ctx, bson.M{"_id": 4})
		}, nil},
	}
	for _, tc := range cases {
		var got bson.D
		err := tc.result().Decode(&got)
		if tc.want == nil {
			if !errors.Is(err, mongo.ErrNoDocuments) {
				t.Errorf("%s: %v, %v", tc.name, got, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v, %v", tc.name, got, tc.want, err)
		}
	}
}

func testDistinct(t *testing.T, p *place) {
	c := p.db.Collection("distinct")
	fill(t, c, bson.M{"x": bson.A{1, 2}}, bson.M{"x": 2}, bson.M{"x": bson.A{bson.A{3}}}, bson.M{"y": 1})
	var values []any
	if err := c.Distinct(t.Context(), "x", bson.M{}).Decode(&values); err != nil || len(values) != 3 {
		t.Errorf("values = %v, %v", values, err)
	}
	var some []int
	if err := c.Distinct(t.Context(), "x", bson.M{"x": 2}).Decode(&some); err != nil || !slices.Equal(some, []int{1, 2}) {
		t.Errorf("values of some = %v, %v", some, err)
	}
}

func testUpdateOperators(t *testing.T, p *place) {
	ctx := t.Context()
	c := p.db.Collection("updates")
	start := bson.D{{Key: "_id", Value: 1}, {Key: "n", Value: 6}, {Key: "a", Value: bson.A{1, 5, 3}}, {Key: "o", Value: bson.A{bson.M{"k": 1, "v": 1}, bson.M{"k": 2, "v": 2}}}}
	filters := options.UpdateOne().SetArrayFilters([]any{bson.M{"e.k": bson.M{"$gt": 1}}})
	cases := []struct {
		name    string
		filter  bson.M
		update  any
		options []options.Lister[options.UpdateOneOptions]
		check   bson.M // a filter that the updated document matches
	}{
		{"$push with $each, $sort and $slice", nil, bson.M{"$push": bson.M{"a": bson.M{"$each": bson.A{4, 2}, "$sort": 1, "$slice": -3}}}, nil, bson.M{"a": bson.A{3, 4, 5}}},
		{"$push at a position", nil, bson.M{"$push": bson.M{"a": bson.M{"$each": bson.A{9}, "$position": 1}}}, nil, bson.M{"a": bson.A{1, 9, 5, 3}}},
		{"$pull with a condition", nil, bson.M{"$pull": bson.M{"a": bson.M{"$gte": 3}}}, nil, bson.M{"a": bson.A{1}}},
		{"$addToSet with $each", nil, bson.M{"$addToSet": bson.M{"a": bson.M{"$each": bson.A{1, 7}}}}, nil, bson.M{"a": bson.A{1, 5, 3, 7}}},
		{"the positional operator", bson.M{"o.k": 2}, bson.M{"$set": bson.M{"o.$.v": 9}}, nil, bson.M{"o.1.v": 9, "o.0.v": 1}},
		{"the all positional operator", nil, bson.M{"$inc": bson.M{"o.$[].v": 1}}, nil, bson.M{"o.0.v": 2, "o.1.v": 3}},
		{"array filters", nil, bson.M{"$set": bson.M{"o.$[e].v": 0}}, []options.Lister[options.UpdateOneOptions]{filters}, bson.M{"o.0.v": 1, "o.1.v": 0}},
		{"$bit", nil, bson.M{"$bit": bson.M{"n": bson.M{"and": 3}}}, nil, bson.M{"n": 2}},
		{"$rename and $unset", nil, bson.M{"$rename": bson.M{"n": "m"}, "$unset": bson.M{"a": ""}}, nil, bson.M{"m": 6, "n": nil, "a": nil}},
		{"$currentDate", nil, bson.M{"$currentDate": bson.M{"when": true}}, nil, bson.M{"when": bson.M{"$type": "date"}}},
		{"a pipeline", nil, mongo.Pipeline{{{Key: "$set", Value: bson.M{"s": bson.M{"$sum": "$a"}}}}, {{Key: "$unset", Value: "a"}}}, nil, bson.M{"s": 9, "a": nil}},
	}
	for _, tc := range cases {
		must[*mongo.DeleteResult](t)(c.DeleteMany(ctx, bson.M{}))
		fill(t, c, start)
		filter := bson.M{"_id": 1}
		for k, v := range tc.filter {
			filter[k] = v
		}
		if _, err := c.UpdateOne(ctx, filter, tc.update, tc.options...); err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if n := must[int64](t)(c.CountDocuments(ctx, tc.check)); n != 1 {
			t.Errorf("%s: the document is %v", tc.name, readAll[bson.D](t)(c.Find(ctx, bson.M{})))
		}
	}
}
