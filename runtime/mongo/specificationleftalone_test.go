package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// What a collation says is for the server to judge. Collation, "Unknown Options".
func TestCollationsAreLeftToTheServer(t *testing.T) {
	d := mongotest.Start(t)
	client, r := connectRecorded(t, d)
	answerEach(d, "find", mustMarshal(t, bson.Doc("ok", 1, "cursor", bson.Doc("id", int64(0), "ns", "db.c", "firstBatch", bson.A{}))))
	c := client.Database("db").Collection("c")
	strange := &options.Collation{
		Locale: "martian", CaseFirst: new("middle"), Strength: new(int32(77)), Alternate: new("?"), MaxVariable: new(""),
	}
	if err := ignoreNoDocuments(c.FindOne(t.Context(), bson.D{}, &options.FindOne{Collation: strange}).Err()); err != nil {
		t.Fatal(err)
	}
	sent, _ := r.commands("find")[0].Command.Lookup("collation").DocumentOK()
	want := mustMarshal(t, bson.Doc("locale", "martian", "caseFirst", "middle", "strength", int32(77), "alternate", "?", "maxVariable", ""))
	if !bytes.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

// The first key says whether a document is an update or a replacement; the server judges the others.
//
// CRUD, "Update vs. Replace Validation"; Bulk Write, "Update".
func TestLaterKeysAreLeftToTheServer(t *testing.T) {
	d := mongotest.Start(t, mongotest.Version("8.0"))
	client, r := connectRecorded(t, d)
	c := client.Database("db").Collection("c")
	update, replacement := bson.Doc("$set", bson.Doc("a", 1), "b", 2), bson.Doc("a", 1, "$set", bson.Doc("b", 2))
	for name, run := range map[string]func(context.Context) error{
		"updateOne": func(ctx context.Context) error { _, err := c.UpdateOne(ctx, bson.D{}, update); return err },
		"replaceOne": func(ctx context.Context) error {
			_, err := c.ReplaceOne(ctx, bson.D{}, replacement)
			return err
		},
		"findOneAndUpdate": func(ctx context.Context) error {
			return ignoreNoDocuments(c.FindOneAndUpdate(ctx, bson.D{}, update).Err())
		},
		"findOneAndReplace": func(ctx context.Context) error {
			return ignoreNoDocuments(c.FindOneAndReplace(ctx, bson.D{}, replacement).Err())
		},
		"bulkWrite": func(ctx context.Context) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.UpdateManyModel{Filter: bson.D{}, Update: update}})
			return err
		},
		"bulkWrite of a replacement": func(ctx context.Context) error {
			_, err := c.BulkWrite(ctx, []mongo.WriteModel{&mongo.ReplaceOneModel{Filter: bson.D{}, Replacement: replacement}})
			return err
		},
		"bulkWrite of the client": func(ctx context.Context) error {
			_, err := client.BulkWrite(ctx, []mongo.ClientBulkWrite{
				{Database: "db", Collection: "c", Model: &mongo.ClientUpdateOneModel{Filter: bson.D{}, Update: update}},
			})
			return err
		},
	} {
		before := len(r.started)
		err := run(t.Context())
		if len(r.started) != before+1 {
			t.Errorf("%s: %d commands were sent: %v", name, len(r.started)-before, err)
		}
	}
}

// GridFS, "File Download", "File Deletion": a server's error in the middle is an error of the call, by whatever name
// the file goes.
func TestGridFSReturnsServerErrors(t *testing.T) {
	d := mongotest.Start(t, mongotest.ReplicaSet(1))
	client := connect(t, d)
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(97))})
	id := upload(t, bucket, "log", pattern(1000))
	byID, err := bucket.OpenDownloadStream(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer byID.Close()
	byName, err := bucket.OpenDownloadStreamByName(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	defer byName.Close()
	refuse := encodeReply(t, "ok", 0, "code", errcode.Unauthorized, "errmsg", "told to")
	refused := func(name string) (stop func()) {
		return d.Intercept(func(c mongotest.Command) bool {
			collection, _ := c.Body.Lookup(c.Name).StringOK()
			return collection == name
		}, 0, func(mongotest.Command) mongotest.Answer { return mongotest.Answer{Reply: refuse} })
	}
	stop := refused("fs.files")
	var failed mongo.CommandError
	if err := bucket.Delete(t.Context(), id); !errors.As(err, &failed) || failed.Code != errcode.Unauthorized {
		t.Errorf("a deletion that failed at the file: %v", err)
	}
	stop()
	stop = refused("fs.chunks")
	for name, read := range map[string]func() error{
		"download by id":   func() error { _, err := byID.WriteTo(io.Discard); return err },
		"download by name": func() error { _, err := io.ReadAll(byName); return err },
		"delete":           func() error { return bucket.Delete(t.Context(), id) },
	} {
		var failed mongo.CommandError
		if err := read(); !errors.As(err, &failed) || failed.Code != errcode.Unauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop()
	// In the middle of a download: the first batch of chunks is there, and the next one is refused.
	long := upload(t, bucket, "long", pattern(97*150))
	download, err := bucket.OpenDownloadStream(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	defer download.Close()
	answerEach(d, "getMore", refuse)
	got, err := io.ReadAll(download)
	if !errors.As(err, &failed) || failed.Code != errcode.Unauthorized || len(got) == 0 || len(got) >= 97*150 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	// GridFS, "File Deletion": the file goes first, so no reader finds half of it.
	if _, err := bucket.OpenDownloadStream(t.Context(), id); !errors.Is(err, mongo.ErrFileNotFound) {
		t.Errorf("after a deletion that failed at the chunks: %v", err)
	}
}

// Handshake, "Metadata updates after MongoClient initialization": connections that are open stay as they are.
func TestMetadataOfOpenConnectionsStays(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var opened, closed int
		client, _ := s.connectRecorded(&options.Client{PoolMonitor: &event.PoolMonitor{
			ConnectionCreated: func(*event.ConnectionCreated) { opened++ }, ConnectionClosed: func(*event.ConnectionClosed) { closed++ },
		}})
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		before := opened
		if err := client.AppendMetadata(options.DriverInfo{Name: "library"}); err != nil {
			t.Fatal(err)
		}
		if err := client.Ping(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if opened != before || closed != 0 {
			t.Errorf("%d connections were opened and %d closed", opened-before, closed)
		}
		for _, c := range s.d.Commands() {
			if name, _ := c.Body.Lookup("client", "driver", "name").StringOK(); removeDriverPart(name) != "" {
				t.Errorf("%s carries %q", c.Name, name)
			}
		}
	}, mongotest.ReplicaSet(1))
}
