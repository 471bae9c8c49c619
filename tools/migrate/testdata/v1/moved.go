package shop

import (
	"context"
	"math/big"
	"net/url"

	"go.mongodb.org/mongo-driver/bson"
	"go.mongodb.org/mongo-driver/bson/bsoncodec"
	"go.mongodb.org/mongo-driver/bson/primitive"
	"go.mongodb.org/mongo-driver/event"
	"go.mongodb.org/mongo-driver/mongo"
	"go.mongodb.org/mongo-driver/mongo/gridfs"
	"go.mongodb.org/mongo-driver/mongo/options"
	"go.mongodb.org/mongo-driver/mongo/readconcern"
	"go.mongodb.org/mongo-driver/mongo/readpref"
)

type collections interface {
	UpdateMany(ctx context.Context, filter, update any, opts ...*options.UpdateOptions) (*mongo.UpdateResult, error)
	DeleteMany(ctx context.Context, filter any, opts ...*options.DeleteOptions) (*mongo.DeleteResult, error)
}

var _ collections = (*mongo.Collection)(nil)

func mappedDocument(d bson.D, p *primitive.D) (bson.M, primitive.M) { return d.Map(), p.Map() }

func sooner(a, b primitive.Timestamp) bool { return primitive.CompareTimestamp(a, b) < 0 }

func decimal(v *big.Int) (primitive.Decimal128, bool) {
	return primitive.ParseDecimal128FromBigInt(v, -2)
}

func listedDatabases(ctx context.Context, c *mongo.Client) (mongo.ListDatabasesResult, int64, error) {
	all, err := c.ListDatabases(ctx, bson.D{})
	if err != nil {
		return mongo.ListDatabasesResult{}, 0, err
	}
	return mongo.ListDatabasesResult{Databases: all.Databases}, all.TotalSize, nil
}

func upsertedIDs(r *mongo.BulkWriteResult) (map[int64]interface{}, int, any) {
	return r.UpsertedIDs, len(r.UpsertedIDs), mongo.BulkWriteResult{UpsertedIDs: map[int64]interface{}{1: "a"}}
}

func credentialByField(text string, given bool) (c options.Credential, err error) {
	c.Username, err = url.QueryUnescape(text)
	if err != nil {
		return c, err
	}
	c.AuthMechanism = ""
	c.PasswordSet = given
	if given && c.PasswordSet && c.Username != "" {
		c.Password = text
	}
	return c, nil
}

func collationByField(strength int) *options.Collation {
	c := &options.Collation{Locale: "en"}
	c.Strength = strength
	return c
}

func preferred(mode readpref.Mode, opts ...readpref.Option) (*readpref.ReadPref, error) {
	return readpref.New(mode, opts...)
}

func specifications(ctx context.Context, c *mongo.Collection) ([]*mongo.IndexSpecification, error) {
	return c.Indexes().ListSpecifications(ctx)
}

func dropped(ctx context.Context, c *mongo.Collection) (bson.Raw, error) {
	return c.Indexes().DropAll(ctx)
}

func filtersOf(o *options.UpdateOptions) *options.ArrayFilters {
	if o.ArrayFilters == nil {
		return &options.ArrayFilters{Filters: bson.A{bson.M{"a": 1}}}
	}
	return o.ArrayFilters
}

func gridFSDefaults() (int, int32, *int32, string, error) {
	return gridfs.UploadBufferSize, gridfs.DefaultChunkSize, &options.DefaultRevision, options.DefaultName, gridfs.ErrWrongIndex
}

func serverReadConcern() *readconcern.ReadConcern { return readconcern.New() }

type holder struct {
	context.Context
	Session mongo.Session
}

func heldSession(sc mongo.SessionContext) (holder, mongo.Session) {
	return holder{Context: sc, Session: sc}, sc
}

func encodedValue(r *bsoncodec.Registry, v any) ([]byte, error) {
	if r == nil {
		r = bson.DefaultRegistry
	}
	_, data, err := bson.MarshalValueWithRegistry(r, v)
	return data, err
}

func encodedJSON(r *bsoncodec.Registry, v any) ([]byte, error) {
	return bson.MarshalExtJSONWithRegistry(r, v, true, false)
}

func poolEvents(created *int, ids map[uint64]bool) *event.PoolMonitor {
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) {
		switch e.Type {
		case event.ConnectionCreated, event.GetSucceeded:
			*created++
			ids[e.ConnectionID] = true
		case event.ConnectionClosed:
			if e.Reason == event.ReasonStale && e.PoolOptions != nil {
				*created -= int(e.PoolOptions.MaxPoolSize)
			}
		}
	}}
}

func limited(ctx context.Context, c *mongo.Collection) error {
	cursor, err := c.Find(ctx, bson.D{}, options.Find().SetBatchSize(0))
	if err != nil {
		return err
	}
	return cursor.Close(ctx)
}
