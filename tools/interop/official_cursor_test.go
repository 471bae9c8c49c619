package interop

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func testCursors(t *testing.T, p *place) {
	ctx := t.Context()
	numbers := p.db.Collection("numbers")
	docs := make([]any, 1000)
	for i := range docs {
		docs[i] = bson.M{"_id": i, "half": i / 2}
	}
	fill(t, numbers, docs...)
	type number struct {
		ID int `bson:"_id"`
	}
	p.d.ForgetCommands()
	some := options.Find().SetBatchSize(64).SetSort(bson.M{"_id": -1}).SetLimit(500)
	found := readAll[number](t)(numbers.Find(ctx, bson.M{"_id": bson.M{"$gte": 100}}, some))
	if len(found) != 500 || found[0].ID != 999 || found[499].ID != 500 {
		t.Errorf("%d documents", len(found))
	}
	if n := countReceived(p.d, "getMore"); n != 7 {
		t.Errorf("%d getMore commands for 500 documents by 64", n)
	}
	p.d.ForgetCommands()
	closed := must[*mongo.Cursor](t)(numbers.Find(ctx, bson.M{}, options.Find().SetBatchSize(2)))
	if !closed.Next(ctx) {
		t.Error(closed.Err())
	}
	id := closed.ID()
	if err := closed.Close(ctx); err != nil || countReceived(p.d, "killCursors") != 1 {
		t.Errorf("Close: %v, killCursors %d times", err, countReceived(p.d, "killCursors"))
	}
	lost := p.db.RunCommand(ctx, bson.D{{Key: "getMore", Value: id}, {Key: "collection", Value: "numbers"}})
	if !hasCode(lost.Err(), 43) {
		t.Errorf("getMore of a closed cursor: %v", lost.Err())
	}
	between := options.Find().SetMin(bson.M{"_id": 10}).SetMax(bson.M{"_id": 13}).SetHint(bson.M{"_id": 1})
	if got := readAll[number](t)(numbers.Find(ctx, bson.M{}, between)); len(got) != 3 || got[0].ID != 10 {
		t.Errorf("from 10 to 13: %v", got)
	}
	last := readAll[number](t)(numbers.Find(ctx, bson.M{}, options.Find().SetSort(bson.M{"_id": 1}).SetSkip(998).SetHint(bson.M{"_id": 1})))
	if len(last) != 2 || last[0].ID != 998 {
		t.Errorf("the last two = %v", last)
	}
}

func testTailable(t *testing.T, p *place) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := p.db.CreateCollection(ctx, "log", options.CreateCollection().SetCapped(true).SetSizeInBytes(1<<16)); err != nil {
		t.Fatal(err)
	}
	log := p.db.Collection("log")
	fill(t, log, bson.M{"_id": 1}, bson.M{"_id": 2})
	cursor := must[*mongo.Cursor](t)(log.Find(ctx, bson.M{}, options.Find().SetCursorType(options.TailableAwait).SetMaxAwaitTime(time.Minute)))
	defer cursor.Close(context.Background())
	for i := range 2 {
		if !cursor.Next(ctx) {
			t.Fatalf("document %d: %v", i, cursor.Err())
		}
	}
	started := time.Now()
	arrived := make(chan bool)
	go func() { arrived <- cursor.Next(ctx) }()
	fill(t, log, bson.M{"_id": 3})
	if !<-arrived || cursor.Current.Lookup("_id").AsInt64() != 3 {
		t.Errorf("the tail is %v, %v", cursor.Current, cursor.Err())
	}
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("the new document took %s", took)
	}
	ordinary := p.db.Collection("ordinary")
	fill(t, ordinary, bson.M{"_id": 1})
	if _, err := ordinary.Find(ctx, bson.M{}, options.Find().SetCursorType(options.Tailable)); !hasCode(err, 2) {
		t.Errorf("a tailable cursor on a collection that is not capped: %v", err)
	}
}

func testRunCommandCursor(t *testing.T, p *place) {
	c := p.db.Collection("commands")
	fill(t, c, bson.M{"_id": 1}, bson.M{"_id": 2}, bson.M{"_id": 3})
	cursor := must[*mongo.Cursor](t)(p.db.RunCommandCursor(t.Context(), bson.D{{Key: "find", Value: "commands"}, {Key: "batchSize", Value: 1}, {Key: "sort", Value: bson.M{"_id": -1}}}))
	cursor.SetBatchSize(1)
	got := readAll[struct {
		ID int `bson:"_id"`
	}](t)(cursor, nil)
	if len(got) != 3 || got[0].ID != 3 {
		t.Errorf("documents = %v", got)
	}
}

func testBulkWrites(t *testing.T, p *place) {
	items := p.db.Collection("items")
	result := must[*mongo.BulkWriteResult](t)(items.BulkWrite(t.Context(), []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(bson.M{"_id": 1, "n": 1}),
		mongo.NewUpdateOneModel().SetFilter(bson.M{"_id": 1}).SetUpdate(bson.M{"$inc": bson.M{"n": 1}}),
		mongo.NewReplaceOneModel().SetFilter(bson.M{"_id": 2}).SetReplacement(bson.M{"n": 7}).SetUpsert(true),
		mongo.NewDeleteManyModel().SetFilter(bson.M{"n": bson.M{"$lt": 5}}),
	}))
	if result.InsertedCount != 1 || result.ModifiedCount != 1 || result.UpsertedCount != 1 || result.DeletedCount != 1 || result.UpsertedIDs[2] != int32(2) {
		t.Errorf("BulkWrite = %+v", result)
	}
	models := []mongo.WriteModel{
		mongo.NewInsertOneModel().SetDocument(bson.M{"_id": 2}), mongo.NewInsertOneModel().SetDocument(bson.M{"_id": 3}),
		mongo.NewUpdateManyModel().SetFilter(bson.M{}).SetUpdate(bson.M{"$set": bson.M{"m": 1}}),
	}
	for _, tc := range []struct {
		ordered            bool
		inserted, modified int64
	}{{true, 0, 0}, {false, 1, 2}} {
		result, err := items.BulkWrite(t.Context(), models, options.BulkWrite().SetOrdered(tc.ordered))
		var failed mongo.BulkWriteException
		if !errors.As(err, &failed) || len(failed.WriteErrors) != 1 || failed.WriteErrors[0].Code != 11000 {
			t.Fatalf("ordered %t: %v", tc.ordered, err)
		}
		if result.InsertedCount != tc.inserted || result.ModifiedCount != tc.modified {
			t.Errorf("ordered %t: %+v", tc.ordered, result)
		}
	}
}

func testClientBulkWrite(t *testing.T, p *place) {
	in := func(collection string, model mongo.ClientWriteModel) mongo.ClientBulkWrite {
		return mongo.ClientBulkWrite{Database: p.db.Name(), Collection: collection, Model: model}
	}
	result := must[*mongo.ClientBulkWriteResult](t)(p.client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{
		in("a", mongo.NewClientInsertOneModel().SetDocument(bson.M{"_id": 1})),
		in("b", mongo.NewClientUpdateOneModel().SetFilter(bson.M{"_id": 2}).SetUpdate(bson.M{"$set": bson.M{"x": 1}}).SetUpsert(true)),
		in("b", mongo.NewClientReplaceOneModel().SetFilter(bson.M{"_id": 2}).SetReplacement(bson.M{"x": 2})),
		in("a", mongo.NewClientDeleteOneModel().SetFilter(bson.M{"_id": 1})),
	}, options.ClientBulkWrite().SetVerboseResults(true)))
	if result.InsertedCount != 1 || result.UpsertedCount != 1 || result.ModifiedCount != 1 || result.DeletedCount != 1 {
		t.Errorf("BulkWrite = %+v", result)
	}
	if result.UpdateResults[1].UpsertedID != int32(2) || result.DeleteResults[3].DeletedCount != 1 {
		t.Errorf("verbose results = %+v", result)
	}
	_, err := p.client.BulkWrite(t.Context(), []mongo.ClientBulkWrite{
		in("b", mongo.NewClientInsertOneModel().SetDocument(bson.M{"_id": 2})),
		in("b", mongo.NewClientInsertOneModel().SetDocument(bson.M{"_id": 3})),
	}, options.ClientBulkWrite().SetOrdered(false))
	var failed mongo.ClientBulkWriteException
	if !errors.As(err, &failed) || failed.WriteErrors[0].Code != 11000 || failed.PartialResult.InsertedCount != 1 {
		t.Errorf("a duplicate: %v", err)
	}
}

func testGridFS(t *testing.T, p *place) {
	ctx := t.Context()
	bucket := p.db.GridFSBucket()
	content := bytes.Repeat([]byte("onion"), 200_000)
	id := must[bson.ObjectID](t)(bucket.UploadFromStream(ctx, "layers.txt", bytes.NewReader(content)))
	stream := must[*mongo.GridFSDownloadStream](t)(bucket.OpenDownloadStream(ctx, id))
	if got := must[[]byte](t)(io.ReadAll(stream)); !bytes.Equal(got, content) {
		t.Errorf("%d bytes came back", len(got))
	}
	must[bson.ObjectID](t)(bucket.UploadFromStream(ctx, "layers.txt", bytes.NewReader([]byte("second"))))
	newest := must[*mongo.GridFSDownloadStream](t)(bucket.OpenDownloadStreamByName(ctx, "layers.txt"))
	if got := must[[]byte](t)(io.ReadAll(newest)); string(got) != "second" {
		t.Errorf("the newest revision is %q", got)
	}
	if err := bucket.Rename(ctx, id, "other.txt"); err != nil {
		t.Error(err)
	}
	if files := readAll[bson.M](t)(bucket.Find(ctx, bson.M{"filename": "other.txt"})); len(files) != 1 || files[0]["length"] != int64(len(content)) {
		t.Errorf("files = %v", files)
	}
	if err := bucket.Delete(ctx, id); err != nil {
		t.Error(err)
	}
	if _, err := bucket.OpenDownloadStream(ctx, id); !errors.Is(err, mongo.ErrFileNotFound) {
		t.Errorf("a deleted file: %v", err)
	}
	if n := must[int64](t)(p.db.Collection("fs.chunks").CountDocuments(ctx, bson.M{"files_id": id})); n != 0 {
		t.Errorf("%d chunks are left", n)
	}
	if err := bucket.Drop(ctx); err != nil {
		t.Error(err)
	}
}
