package interop

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/specdrivers/onion/runtime/mongotest"
)

var shapes = []struct {
	name   string
	option mongotest.Option
}{
	{"standalone", mongotest.Standalone()},
	{"replicaset", mongotest.ReplicaSet(3)},
	{"sharded", mongotest.Sharded(2)},
	{"loadbalanced", mongotest.LoadBalanced(2)},
}

// official connects the official driver to a deployment.
func official(t *testing.T, d *mongotest.Deployment, adjust ...func(*options.ClientOptions)) *mongo.Client {
	t.Helper()
	o := options.Client().ApplyURI(d.URI()).SetServerSelectionTimeout(5 * time.Second)
	for _, f := range adjust {
		f(o)
	}
	client, err := mongo.Connect(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Disconnect(context.Background()) })
	return client
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestOfficialDriver(t *testing.T) {
	steps := []struct {
		name string
		run  func(t *testing.T, d *mongotest.Deployment, c *mongo.Client)
	}{
		{"CRUD", crud}, {"cursors", cursors}, {"bulk writes", bulkWrites}, {"client bulk write", clientBulkWrite},
		{"GridFS", gridFS}, {"indexes", indexes}, {"aggregation", aggregation}, {"sessions", sessions},
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			d := mongotest.Start(t, shape.option)
			client := official(t, d)
			for _, step := range steps {
				t.Run(step.name, func(t *testing.T) { step.run(t, d, client) })
			}
			if shape.name == "replicaset" {
				t.Run("retryable write", func(t *testing.T) { retryableWrite(t, client) })
			}
		})
	}
}

func crud(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	ctx := t.Context()
	users := c.Database("crud").Collection("users")
	must[*mongo.InsertOneResult](t)(users.InsertOne(ctx, bson.D{{Key: "_id", Value: 1}, {Key: "name", Value: "Ada"}, {Key: "age", Value: 36}}))
	must[*mongo.InsertManyResult](t)(users.InsertMany(ctx, []any{bson.M{"_id": 2, "name": "Grace", "age": 45}, bson.M{"_id": 3, "name": "Edsger", "age": 40}}))
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
	after := options.FindOneAndUpdate().SetReturnDocument(options.After)
	if err := users.FindOneAndUpdate(ctx, bson.M{"_id": 1}, bson.M{"$set": bson.M{"name": "Ada L."}}, after).Decode(&doc); err != nil || doc.Name != "Ada L." || doc.Age != 37 {
		t.Errorf("FindOneAndUpdate = %+v, %v", doc, err)
	}
	if n := must[int64](t)(users.CountDocuments(ctx, bson.M{"age": bson.M{"$gte": 41}})); n != 2 {
		t.Errorf("CountDocuments = %d", n)
	}
	if n := must[int64](t)(users.EstimatedDocumentCount(ctx)); n != 4 {
		t.Errorf("EstimatedDocumentCount = %d", n)
	}
	var names []string
	if err := users.Distinct(ctx, "name", bson.M{}).Decode(&names); err != nil || len(names) != 4 {
		t.Errorf("Distinct = %v, %v", names, err)
	}
	_, err := users.InsertOne(ctx, bson.M{"_id": 1})
	if !mongo.IsDuplicateKeyError(err) {
		t.Errorf("a duplicate: %v", err)
	}
	if deleted := must[*mongo.DeleteResult](t)(users.DeleteOne(ctx, bson.M{"_id": 3})); deleted.DeletedCount != 1 {
		t.Errorf("DeleteOne = %+v", deleted)
	}
}

func cursors(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	ctx := t.Context()
	numbers := c.Database("cursors").Collection("numbers")
	docs := make([]any, 1000)
	for i := range docs {
		docs[i] = bson.M{"_id": i, "half": i / 2}
	}
	must[*mongo.InsertManyResult](t)(numbers.InsertMany(ctx, docs))
	cursor := must[*mongo.Cursor](t)(numbers.Find(ctx, bson.M{"_id": bson.M{"$gte": 100}}, options.Find().SetBatchSize(64).SetSort(bson.M{"_id": -1}).SetLimit(500)))
	var all []struct {
		ID int `bson:"_id"`
	}
	if err := cursor.All(ctx, &all); err != nil || len(all) != 500 || all[0].ID != 999 || all[499].ID != 500 {
		t.Errorf("%d documents, %v", len(all), err)
	}
	closed := must[*mongo.Cursor](t)(numbers.Find(ctx, bson.M{}, options.Find().SetBatchSize(2)))
	closed.Next(ctx)
	if err := closed.Close(ctx); err != nil {
		t.Error(err)
	}
}

func bulkWrites(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	items := c.Database("bulk").Collection("items")
	result := must[*mongo.BulkWriteResult](t)(items.BulkWrite(t.Context(), []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(bson.M{"_id": 1, "n": 1}),
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 1}).SetUpdate(bson.M{"$inc": bson.M{"n": 1}}),
		mongo.NewReplaceOneModel().SetFilter(bson.M{"_id": 2}).SetReplacement(bson.M{"n": 7}).SetUpsert(true),
		mongo.NewDeleteManyModel().SetFilter(bson.M{"n": bson.M{"$lt": 5}}),
	}))
	if result.InsertedCount != 1 || result.ModifiedCount != 1 || result.UpsertedCount != 1 || result.DeletedCount != 1 {
		t.Errorf("BulkWrite = %+v", result)
	}
}

func clientBulkWrite(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	result := must[*mongo.ClientBulkWriteResult](t)(c.BulkWrite(t.Context(), []mongo.ClientBulkWrite{
		{Database: "cbw", Collection: "a", Model: mongo.NewClientInsertOneModel().SetDocument(bson.M{"_id": 1})},
		{Database: "cbw", Collection: "b", Model: mongo.NewClientUpdateOneModel().SetFilter(bson.M{"_id": 2}).SetUpdate(bson.M{"$set": bson.M{"x": 1}}).SetUpsert(true)},
	}))
	if result.InsertedCount != 1 || result.UpsertedCount != 1 {
		t.Errorf("BulkWrite = %+v", result)
	}
}

func gridFS(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	bucket := c.Database("files").GridFSBucket()
	content := bytes.Repeat([]byte("onion"), 200_000)
	id := must[bson.ObjectID](t)(bucket.UploadFromStream(t.Context(), "layers.txt", bytes.NewReader(content)))
	stream := must[*mongo.GridFSDownloadStream](t)(bucket.OpenDownloadStream(t.Context(), id))
	if got := must[[]byte](t)(io.ReadAll(stream)); !bytes.Equal(got, content) {
		t.Errorf("%d bytes came back", len(got))
	}
	if err := bucket.Delete(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func indexes(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	ctx := t.Context()
	people := c.Database("indexes").Collection("people")
	name := must[string](t)(people.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: "email", Value: 1}}, Options: options.Index().SetUnique(true)}))
	if name != "email_1" {
		t.Errorf("the index is called %s", name)
	}
	must[*mongo.InsertOneResult](t)(people.InsertOne(ctx, bson.M{"email": "a@b.c"}))
	if _, err := people.InsertOne(ctx, bson.M{"email": "a@b.c"}); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("a duplicate: %v", err)
	}
	specs := must[[]mongo.IndexSpecification](t)(people.Indexes().ListSpecifications(ctx))
	if len(specs) != 2 {
		t.Errorf("indexes = %+v", specs)
	}
	if err := people.Indexes().DropOne(ctx, "email_1"); err != nil {
		t.Error(err)
	}
}

func aggregation(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	ctx := t.Context()
	sales := c.Database("aggregation").Collection("sales")
	must[*mongo.InsertManyResult](t)(sales.InsertMany(ctx, []any{
		bson.M{"item": "a", "qty": 2, "price": 10}, bson.M{"item": "b", "qty": 1, "price": 7}, bson.M{"item": "a", "qty": 3, "price": 10},
	}))
	cursor := must[*mongo.Cursor](t)(sales.Aggregate(ctx, mongo.Pipeline{
		{{Key: "$group", Value: bson.M{"_id": "$item", "total": bson.M{"$sum": bson.M{"$multiply": bson.A{"$qty", "$price"}}}}}},
		{{Key: "$sort", Value: bson.M{"_id": 1}}},
	}))
	var totals []struct {
		ID    string `bson:"_id"`
		Total int
	}
	if err := cursor.All(ctx, &totals); err != nil || len(totals) != 2 || totals[0].Total != 50 || totals[1].Total != 7 {
		t.Errorf("totals = %+v, %v", totals, err)
	}
}

func sessions(t *testing.T, _ *mongotest.Deployment, c *mongo.Client) {
	err := c.UseSession(t.Context(), func(ctx context.Context) error {
		_, err := c.Database("sessions").Collection("c").InsertOne(ctx, bson.M{"x": 1})
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// retryableWrite has the server fail once before and once after it wrote: the document must be there once.
func retryableWrite(t *testing.T, c *mongo.Client) {
	ctx := t.Context()
	for name, data := range map[string]bson.M{
		"connection closed":   {"failCommands": bson.A{"insert"}, "closeConnection": true},
		"not primary":         {"failCommands": bson.A{"insert"}, "errorCode": 10107, "errorLabels": bson.A{"RetryableWriteError"}},
		"write concern error": {"failCommands": bson.A{"insert"}, "writeConcernError": bson.M{"code": 91, "errmsg": "shutting down"}, "errorLabels": bson.A{"RetryableWriteError"}},
	} {
		point := bson.D{{Key: "configureFailPoint", Value: "failCommand"}, {Key: "mode", Value: bson.M{"times": 1}}, {Key: "data", Value: data}}
		if err := c.Database("admin").RunCommand(ctx, point).Err(); err != nil {
			t.Fatal(err)
		}
		once := c.Database("retry").Collection(name)
		must[*mongo.InsertOneResult](t)(once.InsertOne(ctx, bson.M{"x": name}))
		if n := must[int64](t)(once.CountDocuments(ctx, bson.M{})); n != 1 {
			t.Errorf("%s: %d documents", name, n)
		}
	}
}

// With one router the fail point is where the write goes.
func TestOfficialDriverRetriesThroughARouter(t *testing.T) {
	retryableWrite(t, official(t, mongotest.Start(t, mongotest.Sharded(1))))
}

func TestOfficialDriverAuthenticates(t *testing.T) {
	d := mongotest.Start(t, mongotest.Auth("ada", "s3cret/"))
	for _, mechanism := range []string{"", "SCRAM-SHA-1", "SCRAM-SHA-256"} {
		client := official(t, d, func(o *options.ClientOptions) {
			o.SetAuth(options.Credential{AuthMechanism: mechanism, Username: "ada", Password: "s3cret/"})
		})
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Errorf("%q: %v", mechanism, err)
		}
	}
	wrong := official(t, d, func(o *options.ClientOptions) {
		o.SetAuth(options.Credential{Username: "ada", Password: "wrong"})
	})
	var failed mongo.CommandError
	if err := wrong.Ping(t.Context(), nil); err == nil || errors.As(err, &failed) && failed.Code != 18 {
		t.Errorf("a wrong password: %v", err)
	}
}

func TestOfficialDriverCompresses(t *testing.T) {
	d := mongotest.Start(t)
	for _, compressor := range []string{"snappy", "zlib", "zstd"} {
		client := official(t, d, func(o *options.ClientOptions) { o.SetCompressors([]string{compressor}) })
		c := client.Database("compressed").Collection(compressor)
		big := bytes.Repeat([]byte("abc"), 10_000)
		must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"big": big}))
		var doc struct{ Big []byte }
		if err := c.FindOne(t.Context(), bson.M{}).Decode(&doc); err != nil || !bytes.Equal(doc.Big, big) {
			t.Errorf("%s: %d bytes, %v", compressor, len(doc.Big), err)
		}
	}
}

func TestOfficialDriverSpeaksTLS(t *testing.T) {
	pool, cert := certificate(t)
	d := mongotest.Start(t, mongotest.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	client := official(t, d, func(o *options.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: pool}) })
	if err := client.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestOfficialDriverFollowsAStepDown(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(3))
	client := official(t, d)
	c := client.Database("stepdown").Collection("c")
	for i := range 5 {
		must[*mongo.InsertOneResult](t)(c.InsertOne(t.Context(), bson.M{"_id": i}))
		d.StepDown()
	}
	if n := must[int64](t)(c.CountDocuments(t.Context(), bson.M{})); n != 5 {
		t.Errorf("%d documents", n)
	}
}
