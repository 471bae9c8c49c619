package shop

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type user struct {
	ID   bson.ObjectID `bson:"_id,omitempty"`
	Name string        `bson:"name"`
	Age  int           `bson:"age,omitempty"`
}

func insertOne(ctx context.Context, c *mongo.Collection) (bson.ObjectID, error) {
	res, err := c.InsertOne(ctx, user{Name: "Ada"}, options.InsertOne().SetBypassDocumentValidation(true))
	if err != nil {
		return bson.NilObjectID, err
	}
	return res.InsertedID.(bson.ObjectID), nil
}

func insertMany(ctx context.Context, c *mongo.Collection) (any, error) {
	res, err := c.InsertMany(ctx, []any{user{Name: "Ada"}, bson.M{"name": "Bob"}}, options.InsertMany().SetOrdered(false))
	if err != nil {
		return nil, err
	}
	if len(res.InsertedIDs) == 0 {
		return nil, nil
	}
	return res.InsertedIDs[0], nil
}

func insertedIDsRanged(ctx context.Context, c *mongo.Collection) error {
	res, err := c.InsertMany(ctx, []user{{Name: "Ada"}})
	if err != nil {
		return err
	}
	for _, id := range res.InsertedIDs {
		fmt.Println(id)
	}
	return nil
}

func findOne(ctx context.Context, c *mongo.Collection, id bson.ObjectID) (*user, error) {
	var u user
	err := c.FindOne(ctx, bson.D{{"_id", id}}, options.FindOne().SetProjection(bson.D{{"age", 0}})).Decode(&u)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &u, err
}

func findLoop(ctx context.Context, c *mongo.Collection, limit int64) error {
	cursor, err := c.Find(ctx, bson.M{"age": bson.M{"$gt": 30}}, options.Find().SetSort(bson.D{{Key: "name", Value: 1}}).SetLimit(limit).SetSkip(10).SetBatchSize(100))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx)
	for cursor.Next(ctx) {
		var u user
		if err := cursor.Decode(&u); err != nil {
			return err
		}
		fmt.Println(cursor.Current.Lookup("name").StringValue(), cursor.ID(), cursor.RemainingBatchLength())
	}
	return cursor.Err()
}

func findAll(ctx context.Context, c *mongo.Collection, page int) ([]user, error) {
	opts := options.Find().SetSkip(int64(page) * 20).SetLimit(20)
	if page > 3 {
		opts.SetSort(bson.D{{"age", -1}})
	}
	opts = opts.SetAllowDiskUse(true)
	cursor, err := c.Find(ctx, bson.D{}, opts)
	if err != nil {
		return nil, err
	}
	var users []user
	if err = cursor.All(ctx, &users); err != nil {
		return nil, err
	}
	return users, nil
}

func findEveryOption(ctx context.Context, c *mongo.Collection) (*mongo.Cursor, error) {
	return c.Find(ctx, bson.D{}, options.Find().
		SetCollation(&options.Collation{Locale: "en", Strength: 2, CaseLevel: false, NumericOrdering: true}).
		SetComment("nightly").
		SetCursorType(options.TailableAwait).
		SetHint("name_1").
		SetLet(bson.M{"x": 1}).
		SetMax(bson.D{{"age", 90}}).
		SetMin(bson.D{{"age", 10}}).
		SetMaxAwaitTime(time.Second).
		SetNoCursorTimeout(true).
		SetAllowPartialResults(false).
		SetReturnKey(false).
		SetShowRecordID(true))
}

func tail(ctx context.Context, c *mongo.Collection) {
	cursor, _ := c.Find(ctx, bson.D{}, options.Find().SetCursorType(options.Tailable))
	cursor.SetBatchSize(10)
	cursor.SetMaxAwaitTime(time.Second)
	cursor.SetComment("tail")
	for cursor.TryNext(ctx) {
	}
}

func pageOptions(limit int64) *options.FindOptionsBuilder {
	return options.Find().SetLimit(limit)
}

func listOptions(opts ...options.Lister[options.FindOptions]) int { return len(opts) }

func updateOne(ctx context.Context, c *mongo.Collection, id bson.ObjectID) (int64, error) {
	res, err := c.UpdateOne(ctx, bson.D{{"_id", id}}, bson.D{{"$set", bson.D{{"age", 37}}}}, options.UpdateOne().SetUpsert(true))
	if err != nil {
		return 0, err
	}
	if res.UpsertedID != nil {
		return res.UpsertedCount, nil
	}
	return res.MatchedCount + res.ModifiedCount, nil
}

func updateByID(ctx context.Context, c *mongo.Collection, id any) error {
	_, err := c.UpdateByID(ctx, id, bson.M{"$inc": bson.M{"age": 1}})
	return err
}

func updateMany(ctx context.Context, c *mongo.Collection) error {
	_, err := c.UpdateMany(ctx, bson.M{}, bson.M{"$set": bson.M{"grades.$[g].ok": true}},
		options.UpdateMany().SetArrayFilters([]any{bson.M{"g.score": bson.M{"$gt": 5}}}).SetHint("age_1"))
	return err
}

func replaceOne(ctx context.Context, c *mongo.Collection, u user) error {
	_, err := c.ReplaceOne(ctx, bson.M{"_id": u.ID}, u, options.Replace().SetUpsert(true).SetComment("replace"))
	return err
}

func deletes(ctx context.Context, c *mongo.Collection) (int64, error) {
	if _, err := c.DeleteOne(ctx, bson.M{"name": "Ada"}, options.DeleteOne().SetHint(bson.D{{"name", 1}})); err != nil {
		return 0, err
	}
	res, err := c.DeleteMany(ctx, bson.D{}, options.DeleteMany().SetComment("all"))
	if err != nil {
		return 0, err
	}
	return res.DeletedCount, nil
}

func findAndModify(ctx context.Context, c *mongo.Collection) error {
	opts := options.FindOneAndUpdate().SetReturnDocument(options.After).SetUpsert(true)
	var u user
	if err := c.FindOneAndUpdate(ctx, bson.M{"name": "Ada"}, bson.M{"$inc": bson.M{"age": 1}}, opts).Decode(&u); err != nil {
		return err
	}
	c.FindOneAndReplace(ctx, bson.M{}, u, options.FindOneAndReplace().SetReturnDocument(options.Before).SetSort(bson.M{"age": 1}))
	return c.FindOneAndDelete(ctx, bson.M{}, options.FindOneAndDelete().SetProjection(bson.M{"name": 1})).Err()
}

func counts(ctx context.Context, c *mongo.Collection) (int64, error) {
	n, err := c.CountDocuments(ctx, bson.D{}, options.Count().SetLimit(5).SetSkip(1).SetHint("_id_"))
	if err != nil {
		return 0, err
	}
	m, err := c.EstimatedDocumentCount(ctx, options.EstimatedDocumentCount().SetComment("about"))
	return n + m, err
}

func distinct(ctx context.Context, c *mongo.Collection) ([]string, error) {
	var names []string
	err := c.Distinct(ctx, "name", bson.D{}, options.Distinct().SetCollation(&options.Collation{Locale: "en"})).Decode(&names)
	return names, err
}

func aggregate(ctx context.Context, c *mongo.Collection) ([]bson.M, error) {
	pipeline := mongo.Pipeline{
		{{"$match", bson.D{{"age", bson.D{{"$gte", 18}}}}}},
		bson.D{{"$group", bson.D{{"_id", "$name"}, {"n", bson.D{{"$sum", 1}}}}}},
	}
	cursor, err := c.Aggregate(ctx, pipeline, options.Aggregate().SetAllowDiskUse(true).SetBatchSize(50).SetBypassDocumentValidation(false).SetLet(bson.M{"a": 1}))
	if err != nil {
		return nil, err
	}
	var out []bson.M
	return out, cursor.All(ctx, &out)
}

func rawResult(ctx context.Context, c *mongo.Collection) (bson.Raw, error) {
	return c.FindOne(ctx, bson.D{}).Raw()
}

func bulkWrite(ctx context.Context, c *mongo.Collection) (int64, error) {
	models := []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(user{Name: "Ada"}),
		mongo.NewUpdateOneModel().SetFilter(bson.M{"name": "Ada"}).SetUpdate(bson.M{"$set": bson.M{"age": 36}}).SetUpsert(true),
		mongo.NewUpdateManyModel().SetFilter(bson.M{}).SetUpdate(bson.M{"$inc": bson.M{"age": 1}}).SetHint("age_1"),
		mongo.NewReplaceOneModel().SetFilter(bson.M{"name": "Bob"}).SetReplacement(user{Name: "Bob"}),
		mongo.NewDeleteOneModel().SetFilter(bson.M{"name": "Eve"}),
		mongo.NewDeleteManyModel().SetFilter(bson.M{"age": 0}).SetCollation(&options.Collation{Locale: "fr"}),
	}
	models = append(models, mongo.NewInsertOneModel().SetDocument(bson.D{}))
	res, err := c.BulkWrite(ctx, models, options.BulkWrite().SetOrdered(false).SetComment("bulk"))
	if err != nil {
		return 0, err
	}
	return res.InsertedCount + res.MatchedCount + res.ModifiedCount + res.DeletedCount + res.UpsertedCount, nil
}

func modelVariable(upsert bool) mongo.WriteModel {
	m := mongo.NewUpdateOneModel()
	m.SetFilter(bson.M{"a": 1})
	m.SetUpdate(bson.M{"$set": bson.M{"a": 2}})
	if upsert {
		m.SetUpsert(true)
	}
	return m
}

func clientBulk(ctx context.Context, client *mongo.Client) error {
	writes := []mongo.ClientBulkWrite{
		{Database: "shop", Collection: "users", Model: mongo.NewClientInsertOneModel().SetDocument(user{Name: "Ada"})},
		{Database: "shop", Collection: "users", Model: mongo.NewClientDeleteOneModel().SetFilter(bson.M{"a": 1})},
	}
	_, err := client.BulkWrite(ctx, writes, options.ClientBulkWrite().SetOrdered(true).SetVerboseResults(true))
	return err
}

func errorsOfWrites(err error) string {
	var we mongo.WriteException
	if errors.As(err, &we) {
		for _, e := range we.WriteErrors {
			if e.Code == 11000 {
				return e.Message
			}
		}
		if we.WriteConcernError != nil {
			return we.WriteConcernError.Message
		}
	}
	var ce mongo.CommandError
	if errors.As(err, &ce) && (ce.Code == 13 || ce.HasErrorCode(50) || ce.HasErrorLabel("TransientTransactionError")) {
		return ce.Name
	}
	var be mongo.BulkWriteException
	if errors.As(err, &be) && len(be.WriteErrors) > 0 {
		return be.WriteErrors[0].Message
	}
	if mongo.IsDuplicateKeyError(err) || mongo.IsTimeout(err) || mongo.IsNetworkError(err) {
		return "known"
	}
	return ""
}

func codeOf(err error) int32 {
	var ce mongo.CommandError
	if errors.As(err, &ce) {
		return ce.Code
	}
	if e, ok := err.(mongo.ServerError); ok && e.HasErrorCode(26) {
		return 26
	}
	return 0
}

func hasCode(err mongo.ServerError, code int) bool { return err.HasErrorCode(code) }
