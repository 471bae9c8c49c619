package shop

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/x/bsonx"
)

func indexKeys(keys ...string) mongo.IndexModel {
	doc := bsonx.Doc{}
	for _, key := range keys {
		doc = doc.Append(key, bsonx.Int32(1))
	}
	return mongo.IndexModel{Keys: doc}
}

func indexesTogether(ctx context.Context, c *mongo.Collection) error {
	_, err := c.Indexes().CreateMany(ctx, []mongo.IndexModel{
		{Keys: bsonx.Doc{{Key: "name", Value: bsonx.Int32(1)}}, Options: options.Index().SetUnique(true)},
		{Keys: bsonx.Doc{{"text", bsonx.String("text")}}},
		{Keys: bsonx.MDoc{"at": bsonx.Int64(-1)}},
	})
	return err
}

func regexes(ctx context.Context, c *mongo.Collection, words ...string) (*mongo.Cursor, error) {
	var or []bson.M
	for _, word := range words {
		or = append(or, bson.M{"name": bsonx.Regex(fmt.Sprintf(".*%s.*", word), "i")})
	}
	return c.Find(ctx, bson.M{"$or": or})
}

func condition(words []string) (bsonx.Val, error) {
	if len(words) == 0 {
		return bsonx.Null(), nil
	}
	var list bsonx.Arr
	for _, w := range words {
		list = append(list, bsonx.String(w))
	}
	return bsonx.Document(bsonx.MDoc{"$in": bsonx.Array(list), "$lt": bsonx.Double(2)}), nil
}

func everyValue(id primitive.ObjectID, d primitive.Decimal128, t time.Time, data []byte) bsonx.Doc {
	return bsonx.Doc{
		{Key: "a", Value: bsonx.Boolean(true)},
		{Key: "b", Value: bsonx.ObjectID(id)},
		{Key: "c", Value: bsonx.Decimal128(d)},
		{Key: "d", Value: bsonx.Time(t)},
		{Key: "e", Value: bsonx.DateTime(t.UnixMilli())},
		{Key: "f", Value: bsonx.Binary(4, data)},
		{Key: "g", Value: bsonx.Timestamp(1, 2)},
		{Key: "h", Value: bsonx.JavaScript("1")},
		{Key: "i", Value: bsonx.CodeWithScope("x", bsonx.Doc{})},
		{Key: "j", Value: bsonx.MinKey()},
		{Key: "k", Value: bsonx.MaxKey()},
		{Key: "l", Value: bsonx.DBPointer("shop.users", id)},
		{Key: "m", Value: bsonx.Symbol("s")},
		{Key: "n", Value: bsonx.Undefined()},
	}
}

func lookedUp(doc bsonx.Doc) string { return doc.Lookup("name").StringValue() }

func transformed(v interface{}) (bsonx.Doc, error) {
	if doc, ok := v.(bsonx.Doc); ok {
		return doc.Copy(), nil
	}
	data, err := bson.Marshal(v)
	if err != nil {
		return nil, mongo.MarshalError{Value: v, Err: err}
	}
	return bsonx.ReadDoc(data)
}
