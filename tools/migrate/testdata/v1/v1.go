package shop

import (
	"context"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/mongo/readconcern"
	"go.mongodb.org/mongo-driver/mongo/readpref"
	"go.mongodb.org/mongo-driver/mongo/writeconcern"
)

type user struct {
	ID      primitive.ObjectID `bson:"_id,omitempty"`
	Name    string
	Created primitive.DateTime
	Tags    primitive.A
}

func connect(ctx context.Context, uri string) (*mongo.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	clientOptions := options.Client().ApplyURI(uri)
	client, err := mongo.Connect(ctx, clientOptions)
	if err != nil {
		return nil, err
	}
	return client, client.Ping(ctx, readpref.Primary())
}

func connectInline(ctx context.Context) (*mongo.Client, error) {
	return mongo.Connect(ctx, options.Client().ApplyURI("mongodb://localhost").SetSocketTimeout(time.Second))
}

func crud(ctx context.Context, c *mongo.Collection) error {
	id := primitive.NewObjectID()
	res, err := c.InsertMany(ctx, []interface{}{user{ID: id}, primitive.D{{Key: "a", Value: 1}}, primitive.M{"b": 2}})
	if err != nil {
		return err
	}
	fmt.Println(len(res.InsertedIDs))
	if _, err := c.UpdateOne(ctx, bson.M{"_id": id}, bson.M{"$set": bson.M{"name": "Ada"}}, options.Update().SetUpsert(true)); err != nil {
		return err
	}
	opts := options.Update().SetArrayFilters(options.ArrayFilters{Filters: []interface{}{bson.M{"x": 1}}})
	if _, err := c.UpdateMany(ctx, bson.M{}, bson.M{}, opts); err != nil {
		return err
	}
	if _, err := c.DeleteMany(ctx, bson.M{}, options.Delete().SetHint("a")); err != nil {
		return err
	}
	names, err := c.Distinct(ctx, "name", bson.D{})
	if err != nil {
		return err
	}
	fmt.Println(names)
	raw, err := c.FindOne(ctx, bson.D{}).DecodeBytes()
	fmt.Println(raw, err)
	limit := int64(5)
	cursor, err := c.Find(ctx, bson.D{}, &options.FindOptions{Limit: &limit, Sort: bson.D{{Key: "a", Value: 1}}})
	if err != nil {
		return err
	}
	return cursor.All(ctx, new([]user))
}

func transaction(ctx context.Context, client *mongo.Client, c *mongo.Collection) error {
	session, err := client.StartSession()
	if err != nil {
		return err
	}
	defer session.EndSession(ctx)
	_, err = session.WithTransaction(ctx, func(sessCtx mongo.SessionContext) (interface{}, error) {
		return c.InsertOne(sessCtx, bson.D{})
	}, options.Transaction().SetReadConcern(readconcern.New(readconcern.Level("snapshot"))).
		SetWriteConcern(writeconcern.New(writeconcern.WMajority())))
	if err != nil {
		return err
	}
	return client.UseSession(ctx, func(sc mongo.SessionContext) error {
		if err := sc.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(sc, bson.D{}); err != nil {
			return sc.AbortTransaction(sc)
		}
		return sc.CommitTransaction(sc)
	})
}

func keep(s mongo.Session) { fmt.Println(s.ID()) }

func concerns() []*writeconcern.WriteConcern {
	return []*writeconcern.WriteConcern{
		writeconcern.New(writeconcern.W(2), writeconcern.J(true), writeconcern.WTimeout(time.Second)),
		writeconcern.Majority(),
	}
}

func files(db *mongo.Database, r io.Reader) error {
	bucket, err := gridfs.NewBucket(db, options.GridFSBucket().SetName("pictures"))
	if err != nil {
		return err
	}
	id, err := bucket.UploadFromStream("cat.png", r)
	if err != nil {
		return err
	}
	return bucket.Delete(id)
}

func values() primitive.D {
	d, _ := primitive.ParseDecimal128("1")
	return primitive.D{
		{Key: "r", Value: primitive.Regex{Pattern: "a"}},
		{Key: "d", Value: d},
		{Key: "t", Value: primitive.NewDateTimeFromTime(time.Now())},
		{Key: "n", Value: primitive.Null{}},
		{Key: "id", Value: primitive.NilObjectID},
	}
}

func extJSON(v interface{}) ([]byte, error) { return bson.MarshalExtJSON(v, false, true) }
