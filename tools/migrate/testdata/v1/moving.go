package shop

import (
	"context"
	"log"
	"time"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
)

func connectedAtOnce(uri string) *mongo.Client {
	client, err := mongo.NewClient(options.Client().ApplyURI(uri))
	if err != nil {
		log.Print(err)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := client.Connect(ctx); err != nil {
		log.Print(err)
	}
	return client
}

func bucketOf(db *mongo.Database) *gridfs.Bucket {
	bucket, err := gridfs.NewBucket(db)
	if err != nil {
		log.Fatal(err)
	}
	return bucket
}

func bucketAndError(db *mongo.Database) (*gridfs.Bucket, error) {
	bucket, err := gridfs.NewBucket(db)
	return bucket, err
}

func updatesBoth(ctx context.Context, coll *mongo.Collection) error {
	opts := options.Update().SetUpsert(true)
	set := bson.M{"$set": bson.M{"a": 1}}
	if _, err := coll.UpdateOne(ctx, bson.M{}, set, opts); err != nil {
		return err
	}
	_, err := coll.UpdateMany(ctx, bson.M{}, set, opts)
	return err
}

func updatesMany(ctx context.Context, coll *mongo.Collection, opts ...*options.UpdateOptions) error {
	_, err := coll.UpdateMany(ctx, bson.M{}, bson.M{"$set": bson.M{"a": 1}}, opts...)
	return err
}

func deletesMany(ctx context.Context, coll *mongo.Collection, opts *options.DeleteOptions) error {
	_, err := coll.DeleteMany(ctx, bson.M{}, opts)
	return err
}

func filtered(filters options.ArrayFilters) *options.UpdateOptions {
	if len(filters.Filters) == 0 {
		return nil
	}
	return options.Update().SetArrayFilters(filters)
}

func filteredByName() *options.UpdateOptions {
	return filtered(options.ArrayFilters{Filters: bson.A{bson.M{"name": "a"}}})
}
