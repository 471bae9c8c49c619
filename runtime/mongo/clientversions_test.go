package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// everyVersion lists the server releases that the driver supports.
var everyVersion = []string{
	"4.2", "4.4", "5.0", "5.1", "5.2", "5.3", "6.0", "6.1", "6.2", "6.3", "7.0", "7.1", "7.2", "7.3", "8.0", "8.1", "8.2", "8.3", "9.0",
}

// isAtLeast reports whether a release is at least another one. Both have one digit on each side of the dot.
func isAtLeast(version, least string) bool { return version >= least }

// place is a deployment of one kind and release.
type place struct {
	shape, version string
	client         *mongo.Client
	db             *mongo.Database
}

// journey lists what programs do with a deployment. can reports whether a deployment supports it; nil means that all
// do. Where it is not supported, it must fail with an error.
var journey = []struct {
	name string
	can  func(p place) bool
	run  func(ctx context.Context, p place) error
}{
	{"write and read", nil, writeAndRead},
	{"cursor", nil, readBatches},
	{"bulk write", nil, bulkWriteModels},
	{"bulk write of the client", func(p place) bool { return isAtLeast(p.version, "8.0") }, bulkWriteOfTheClient},
	{"aggregation", nil, aggregateToCollection},
	{"explain", nil, func(ctx context.Context, p place) error {
		return p.db.Collection("numbers").Explain(ctx, mongo.ExplainFind(bson.Doc("n", 3)), "").Err()
	}},
	{"indexes", nil, createAndDropIndex},
	{"causal session", nil, readOwnWrite},
	{"snapshot session", func(p place) bool { return isAtLeast(p.version, "5.0") && p.shape != "standalone" }, readSnapshot},
	{"transaction", func(p place) bool { return p.shape != "standalone" }, commitTransaction},
	{"change stream", func(p place) bool { return p.shape != "standalone" }, watchInsert},
	{"GridFS", nil, storeFile},
	{"unacknowledged", nil, func(ctx context.Context, p place) error {
		_, err := p.db.Collection("lost", &options.Collection{WriteConcern: mongo.W(0)}).InsertOne(ctx, bson.D{})
		return err
	}},
	{"lists", nil, listEverything},
}

func TestEveryVersionOnEachShape(t *testing.T) {
	for _, version := range everyVersion {
		for _, shape := range shapes {
			if shape.name == "loadbalanced" && !isAtLeast(version, "5.0") {
				continue // older servers do not work behind a load balancer
			}
			t.Run(version+" "+shape.name, func(t *testing.T) {
				t.Parallel()
				client := connect(t, mongotest.Start(t, shape.option, mongotest.Version(version)))
				p := place{shape: shape.name, version: version, client: client, db: client.Database("journey")}
				for _, step := range journey {
					err := step.run(t.Context(), p)
					if can := step.can == nil || step.can(p); can != (err == nil) {
						t.Errorf("%s: err = %v, possible: %t", step.name, err, can)
					}
				}
			})
		}
	}
}

func writeAndRead(ctx context.Context, p place) error {
	c := p.db.Collection("people")
	if _, err := c.InsertOne(ctx, bson.Doc("_id", 1, "name", "Ada")); err != nil {
		return err
	}
	updated, err := c.UpdateOne(ctx, bson.Doc("_id", 1), bson.Doc("$set", bson.Doc("age", 36)))
	if err != nil || updated.ModifiedCount != 1 {
		return fmt.Errorf("updated %+v: %w", updated, err)
	}
	var ada struct{ Age int }
	if err := c.FindOne(ctx, bson.Doc("name", "Ada"), &options.FindOne{Comment: "who"}).Decode(&ada); err != nil || ada.Age != 36 {
		return fmt.Errorf("found %+v: %w", ada, err)
	}
	if err := c.FindOneAndDelete(ctx, bson.Doc("_id", 1)).Err(); err != nil {
		return err
	}
	n, err := c.CountDocuments(ctx, bson.D{})
	return expect(n == 0, err, "%d documents are left", n)
}

// expect returns err, or an error with the description if ok is false.
func expect(ok bool, err error, format string, args ...any) error {
	if err != nil || ok {
		return err
	}
	return fmt.Errorf(format, args...)
}

func readBatches(ctx context.Context, p place) error {
	c := p.db.Collection("numbers")
	var docs []bson.D
	for i := range 10 {
		docs = append(docs, bson.Doc("n", i))
	}
	if _, err := c.InsertMany(ctx, docs); err != nil {
		return err
	}
	cursor, err := c.Find(ctx, bson.D{}, &options.Find{BatchSize: new(int32(3)), Sort: bson.Doc("n", 1), Comment: "all"})
	if err != nil {
		return err
	}
	list, err := mongo.All[struct{ N int }](ctx, cursor)
	return expect(len(list) == 10, err, "%d documents", len(list))
}

func bulkWriteModels(ctx context.Context, p place) error {
	result, err := p.db.Collection("bulk").BulkWrite(ctx, []mongo.WriteModel{
		&mongo.InsertOneModel{Document: bson.Doc("_id", 1)},
		&mongo.UpdateOneModel{Filter: bson.Doc("_id", 1), Update: bson.Doc("$set", bson.Doc("a", 1))},
		&mongo.ReplaceOneModel{Filter: bson.Doc("_id", 2), Replacement: bson.Doc("a", 2), Upsert: new(true)},
		&mongo.DeleteManyModel{Filter: bson.D{}},
	})
	return expect(err != nil || result.DeletedCount == 2 && result.UpsertedCount == 1, err, "result %+v", result)
}

func bulkWriteOfTheClient(ctx context.Context, p place) error {
	result, err := p.client.BulkWrite(ctx, []mongo.ClientBulkWrite{
		{Database: "journey", Collection: "a", Model: &mongo.ClientInsertOneModel{Document: bson.Doc("_id", 1)}},
		{Database: "journey", Collection: "b", Model: &mongo.ClientDeleteManyModel{Filter: bson.D{}}},
	})
	if err != nil && !strings.Contains(err.Error(), "needs MongoDB 8.0") && !isAtLeast(p.version, "8.0") {
		return nil // the test takes that for a failure: the error must name the version that supports it
	}
	return expect(err != nil || result.InsertedCount == 1, err, "result %+v", result)
}

func aggregateToCollection(ctx context.Context, p place) error {
	cursor, err := p.db.Collection("numbers").Aggregate(ctx, mongo.Pipeline{
		bson.Doc("$match", bson.Doc("n", bson.Doc("$lt", 4))), bson.Doc("$out", "few"),
	})
	if err != nil {
		return err
	}
	if err := cursor.Close(ctx); err != nil {
		return err
	}
	n, err := p.db.Collection("few").EstimatedDocumentCount(ctx)
	return expect(n == 4, err, "%d documents", n)
}

func createAndDropIndex(ctx context.Context, p place) error {
	c := p.db.Collection("indexed")
	keys := bson.Doc("a", 1, "b", -1)
	if _, err := c.CreateIndex(ctx, mongo.IndexModel{Keys: keys, Options: &options.Index{Unique: new(true)}}); err != nil {
		return err
	}
	if err := c.DropIndexWithKey(ctx, keys); err != nil {
		return err
	}
	names, err := c.ListIndexNames(ctx)
	return expect(len(names) == 1, err, "indexes %v", names)
}

func readOwnWrite(ctx context.Context, p place) error {
	return p.client.UseSession(ctx, func(ctx context.Context, _ *mongo.Session) error {
		if _, err := p.db.Collection("own").InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
			return err
		}
		return p.db.Collection("own", &options.Collection{ReadPreference: mongo.SecondaryPreferred()}).FindOne(ctx, bson.D{}).Err()
	})
}

func readSnapshot(ctx context.Context, p place) error {
	return p.client.UseSessionWithOptions(ctx, &options.Session{Snapshot: new(true)}, func(ctx context.Context, s *mongo.Session) error {
		err := p.db.Collection("own").FindOne(ctx, bson.D{}).Err()
		return expect(s.SnapshotTime() != nil, err, "no snapshot time")
	})
}

func commitTransaction(ctx context.Context, p place) error {
	if err := p.db.CreateCollection(ctx, "accounts"); err != nil {
		return err
	}
	return p.client.UseSession(ctx, func(ctx context.Context, s *mongo.Session) error {
		return s.WithTransaction(ctx, func(ctx context.Context) error {
			_, err := p.db.Collection("accounts").InsertOne(ctx, bson.Doc("_id", 1))
			return err
		})
	})
}

func watchInsert(ctx context.Context, p place) error {
	stream, err := p.db.Collection("watched").Watch(ctx, mongo.Pipeline{})
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	if _, err := p.db.Collection("watched").InsertOne(ctx, bson.Doc("_id", 1)); err != nil {
		return err
	}
	return expect(stream.Next(ctx), stream.Err(), "no event")
}

func storeFile(ctx context.Context, p place) error {
	bucket := p.db.GridFSBucket()
	id, err := bucket.UploadFromStream(ctx, "file", strings.NewReader("content"))
	if err != nil {
		return err
	}
	stream, err := bucket.OpenDownloadStream(ctx, id)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(stream)
	if err := errors.Join(err, stream.Close()); err != nil {
		return err
	}
	return expect(string(content) == "content", nil, "read %q", content)
}

func listEverything(ctx context.Context, p place) error {
	databases, err := p.client.ListDatabaseNames(ctx, bson.D{})
	if err != nil || len(databases) == 0 {
		return fmt.Errorf("databases %v: %w", databases, err)
	}
	collections, err := p.db.ListCollectionNames(ctx, bson.Doc("name", "people"))
	return expect(len(collections) == 1, err, "collections %v", collections)
}
