package shop

import (
	"context"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
)

type embeddedClient struct {
	*mongo.Client
	db *mongo.Database
}

type embeddedCollection struct{ *mongo.Collection }

type embeddedSession struct {
	mongo.Session
	name string
}

type embeddedBucket struct {
	*gridfs.Bucket
	primitive.ObjectID
	options.FindOptions
}

func newEmbedded(b *gridfs.Bucket, limit int64) embeddedBucket {
	e := embeddedBucket{Bucket: b, ObjectID: primitive.NewObjectID()}
	e.FindOptions.SetLimit(limit)
	e.SetSkip(1)
	return e
}

func (b embeddedBucket) remove(ctx context.Context) error {
	if b.Bucket == nil || b.IsZero() {
		return nil
	}
	return b.DeleteContext(ctx, b.ObjectID)
}

func (c *embeddedClient) stop(ctx context.Context) error { return c.Disconnect(ctx) }

func (c *embeddedClient) inSession(ctx context.Context, work func(mongo.SessionContext) error) error {
	return c.UseSession(ctx, func(sc mongo.SessionContext) error { return work(sc) })
}

func (r embeddedCollection) one(ctx context.Context, id string) (m bson.M, err error) {
	err = r.FindOne(ctx, bson.M{"_id": id}, options.FindOne().SetProjection(bson.M{"a": 1})).Decode(&m)
	return m, err
}

func (r embeddedCollection) raw(ctx context.Context) (bson.Raw, error) {
	return r.FindOne(ctx, bson.D{}).DecodeBytes()
}

func (r *embeddedCollection) names(ctx context.Context) ([]interface{}, error) {
	return r.Distinct(ctx, "name", bson.D{})
}

func (u *embeddedSession) do(ctx context.Context, fn func(mongo.SessionContext) (interface{}, error)) error {
	_, err := u.WithTransaction(ctx, fn)
	return err
}

func comparedErrors(err error) bool {
	return err == mongo.ErrNoDocuments || err == gridfs.ErrFileNotFound || nil != err && mongo.ErrNilDocument != err
}

func switchedErrors(err error) int {
	switch err {
	case mongo.ErrNoDocuments:
		return 1
	case mongo.ErrNilDocument:
		return 2
	}
	return 0
}

func mergedFind(opts ...*options.FindOptions) *int64 { return options.MergeFindOptions(opts...).Limit }

func passwordSet(user, password string) options.Credential {
	return options.Credential{AuthMechanism: "PLAIN", Username: user, Password: password, PasswordSet: true}
}
