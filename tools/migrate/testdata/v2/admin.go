package shop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
)

func indexes(ctx context.Context, c *mongo.Collection) error {
	name, err := c.Indexes().CreateOne(ctx, mongo.IndexModel{
		Keys:    bson.D{{"name", 1}},
		Options: options.Index().SetUnique(true).SetName("name").SetExpireAfterSeconds(3600),
	})
	if err != nil {
		return err
	}
	_, err = c.Indexes().CreateMany(ctx, []mongo.IndexModel{
		{Keys: bson.D{{"age", -1}}, Options: options.Index().SetSparse(true).SetPartialFilterExpression(bson.M{"age": bson.M{"$gt": 5}})},
		{Keys: bson.M{"text": "text"}, Options: options.Index().SetWeights(bson.M{"text": 2}).SetDefaultLanguage("english").SetHidden(true)},
		{Keys: bson.D{{"at", "2dsphere"}}, Options: options.Index().SetSphereVersion(3).SetCollation(&options.Collation{Locale: "en"})},
	}, options.CreateIndexes().SetCommitQuorumString("majority"))
	if err != nil {
		return err
	}
	specs, err := c.Indexes().ListSpecifications(ctx)
	for _, s := range specs {
		fmt.Println(s.Name, s.KeysDocument, s.Unique, s.ExpireAfterSeconds)
	}
	if err := c.Indexes().DropOne(ctx, name); err != nil {
		return err
	}
	return c.Indexes().DropAll(ctx)
}

func databases(ctx context.Context, client *mongo.Client) error {
	names, err := client.ListDatabaseNames(ctx, bson.D{}, options.ListDatabases().SetNameOnly(true))
	if err != nil {
		return err
	}
	res, err := client.ListDatabases(ctx, bson.M{"empty": false})
	if err != nil {
		return err
	}
	for _, d := range res.Databases {
		fmt.Println(d.Name, d.SizeOnDisk, names)
	}
	return client.Database("old").Drop(ctx)
}

func collections(ctx context.Context, db *mongo.Database) error {
	err := db.CreateCollection(ctx, "log", options.CreateCollection().SetCapped(true).SetSizeInBytes(1<<20).SetMaxDocuments(100).
		SetValidator(bson.M{"$jsonSchema": bson.M{}}).SetValidationLevel("strict").SetValidationAction("error"))
	if err != nil {
		return err
	}
	ts := options.TimeSeries().SetTimeField("at").SetMetaField("sensor").SetGranularity("minutes")
	if err := db.CreateCollection(ctx, "temps", options.CreateCollection().SetTimeSeriesOptions(ts).SetExpireAfterSeconds(86400)); err != nil {
		return err
	}
	if err := db.CreateView(ctx, "adults", "users", mongo.Pipeline{}, options.CreateView().SetCollation(&options.Collation{Locale: "en"})); err != nil {
		return err
	}
	names, err := db.ListCollectionNames(ctx, bson.D{}, options.ListCollections().SetNameOnly(true))
	if err != nil {
		return err
	}
	fmt.Println(names, db.Name(), db.Client() == nil)
	return db.Collection("log").Drop(ctx)
}

func commands(ctx context.Context, db *mongo.Database) error {
	var out bson.M
	if err := db.RunCommand(ctx, bson.D{{"ping", 1}}, options.RunCmd().SetReadPreference(readpref.Primary())).Decode(&out); err != nil {
		return err
	}
	cursor, err := db.RunCommandCursor(ctx, bson.D{{"find", "users"}})
	if err != nil {
		return err
	}
	return cursor.Close(ctx)
}

func transaction(ctx context.Context, client *mongo.Client, c *mongo.Collection) error {
	sess, err := client.StartSession(options.Session().SetCausalConsistency(true).
		SetDefaultTransactionOptions(options.Transaction().SetReadConcern(readconcern.Snapshot())))
	if err != nil {
		return err
	}
	defer sess.EndSession(ctx)
	_, err = sess.WithTransaction(ctx, func(ctx context.Context) (any, error) {
		return c.InsertOne(ctx, bson.M{"a": 1})
	}, options.Transaction().SetWriteConcern(writeconcern.Majority()))
	return err
}

func manualTransaction(ctx context.Context, client *mongo.Client, c *mongo.Collection) error {
	return client.UseSession(ctx, func(ctx context.Context) error {
		sess := mongo.SessionFromContext(ctx)
		if err := sess.StartTransaction(); err != nil {
			return err
		}
		if _, err := c.InsertOne(ctx, bson.M{"a": 1}); err != nil {
			_ = sess.AbortTransaction(ctx)
			return err
		}
		return sess.CommitTransaction(ctx)
	})
}

func withSession(ctx context.Context, sess *mongo.Session, c *mongo.Collection) error {
	if err := mongo.WithSession(ctx, sess, func(ctx context.Context) error {
		_, err := c.InsertOne(ctx, bson.D{})
		return err
	}); err != nil {
		return err
	}
	sc := mongo.NewSessionContext(ctx, sess)
	fmt.Println(sess.ClusterTime(), sess.OperationTime(), sess.ID(), sess.Client())
	return c.FindOne(sc, bson.D{}).Err()
}

func watch(ctx context.Context, c *mongo.Collection, token bson.Raw) error {
	stream, err := c.Watch(ctx, mongo.Pipeline{}, options.ChangeStream().SetFullDocument(options.UpdateLookup).
		SetFullDocumentBeforeChange(options.WhenAvailable).SetResumeAfter(token).SetMaxAwaitTime(time.Second).SetBatchSize(5))
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	for stream.Next(ctx) {
		var event struct {
			OperationType string `bson:"operationType"`
		}
		if err := stream.Decode(&event); err != nil {
			return err
		}
		fmt.Println(stream.ResumeToken(), stream.Current, stream.ID())
	}
	return stream.Err()
}

func watchAll(ctx context.Context, client *mongo.Client) (*mongo.ChangeStream, error) {
	if s, err := client.Database("shop").Watch(ctx, mongo.Pipeline{}); err == nil {
		return s, nil
	}
	return client.Watch(ctx, mongo.Pipeline{{{"$match", bson.D{}}}}, options.ChangeStream().SetStartAfter(bson.M{}).SetShowExpandedEvents(true))
}

func gridFS(ctx context.Context, db *mongo.Database, r io.Reader) error {
	bucket := db.GridFSBucket(options.GridFSBucket().SetName("pictures").SetChunkSizeBytes(1024))
	id, err := bucket.UploadFromStream(ctx, "cat.png", r, options.GridFSUpload().SetMetadata(bson.M{"by": "ada"}))
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	if _, err := bucket.DownloadToStream(ctx, id, &buf); err != nil {
		return err
	}
	up, err := bucket.OpenUploadStream(ctx, "dog.png")
	if err != nil {
		return err
	}
	if _, err := up.Write(buf.Bytes()); err != nil {
		return up.Abort()
	}
	fmt.Println(up.FileID)
	if err := up.Close(); err != nil {
		return err
	}
	down, err := bucket.OpenDownloadStreamByName(ctx, "dog.png", options.GridFSName().SetRevision(-1))
	if err != nil {
		return err
	}
	defer down.Close()
	cursor, err := bucket.Find(ctx, bson.D{}, options.GridFSFind().SetLimit(3).SetSort(bson.M{"length": 1}))
	if err != nil {
		return err
	}
	defer cursor.Close(ctx)
	if err := bucket.Rename(ctx, id, "kitten.png"); err != nil {
		return err
	}
	return bucket.Delete(ctx, id)
}

func searchIndexes(ctx context.Context, c *mongo.Collection) error {
	_, err := c.SearchIndexes().CreateOne(ctx, mongo.SearchIndexModel{
		Definition: bson.D{{"mappings", bson.D{{"dynamic", true}}}},
		Options:    options.SearchIndexes().SetName("default").SetType("search"),
	})
	if err != nil {
		return err
	}
	return c.SearchIndexes().DropOne(ctx, "default")
}

func fakes() (*mongo.Cursor, *mongo.SingleResult) {
	c, _ := mongo.NewCursorFromDocuments([]any{bson.D{}}, nil, nil)
	return c, mongo.NewSingleResultFromDocument(bson.D{}, nil, nil)
}
