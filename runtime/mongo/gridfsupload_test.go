package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// A failed insert of chunks ends the upload: every later call returns its error, and no files document is written.
func TestGridFSAFailedInsertEndsTheUpload(t *testing.T) {
	for _, inSession := range []bool{false, true} {
		for name, use := range map[string]func(s *mongo.GridFSUploadStream) error{
			"Close": (*mongo.GridFSUploadStream).Close,
			"Write": func(s *mongo.GridFSUploadStream) error {
				n, err := s.Write(pattern(4 * aheadBatch))
				if n >= 4*aheadBatch {
					t.Errorf("%d bytes were taken", n)
				}
				return err
			},
			"ReadFrom": func(s *mongo.GridFSUploadStream) error {
				n, err := s.ReadFrom(bytes.NewReader(pattern(4 * aheadBatch)))
				if n >= 4*aheadBatch {
					t.Errorf("%d bytes were taken", n)
				}
				return err
			},
		} {
			t.Run(name, func(t *testing.T) {
				d := mongotest.Start(t, mongotest.ReplicaSet(1))
				client := connect(t, d)
				bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
				ctx := t.Context()
				if inSession {
					session, err := client.StartSession()
					if err != nil {
						t.Fatal(err)
					}
					defer session.EndSession(context.Background())
					ctx = mongo.NewSessionContext(ctx, session)
				}
				s, err := bucket.OpenUploadStream(ctx, "log")
				if err != nil {
					t.Fatal(err)
				}
				answer(t, d, "insert", "ok", 0, "code", 8000, "codeName", "AtlasError", "errmsg", "refused")
				_, first := s.Write(pattern(aheadBatch))
				if err := errors.Join(first, use(s)); !mongo.HasErrorCode(err, 8000) {
					t.Errorf("%s: %v", name, err)
				}
				if n := len(d.Commands(mongotest.Named("insert"))); n != 1 {
					t.Errorf("%d inserts, want the one that failed", n)
				}
				if name != "Close" {
					if _, err := s.Write([]byte("x")); !mongo.HasErrorCode(err, 8000) {
						t.Errorf("the next Write: %v", err)
					}
					if err := s.Close(); !mongo.HasErrorCode(err, 8000) {
						t.Errorf("Close: %v", err)
					}
				}
				if err := s.Close(); !errors.Is(err, mongo.ErrStreamClosed) {
					t.Errorf("Close once more: %v", err)
				}
			})
		}
	}
}

// The description of a file has the settings of its upload.
func TestGridFSDescriptionOfAnUpload(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	aliases := []string{"journal", "diary"}
	id := upload(t, bucket, "log", []byte("x"), &options.GridFSUpload{
		//lint:ignore SA1019 applications may still set them
		Metadata: bson.Doc("owner", "ada"), ContentType: new("text/plain"), Aliases: aliases,
	})
	var file bson.Raw
	if err := bucket.GetFilesCollection().FindOne(t.Context(), bson.Doc("_id", id)).Decode(&file); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"contentType": `"text/plain"`, "aliases": `["journal","diary"]`, "metadata": `{"owner":"ada"}`} {
		if got := file.Lookup(path).String(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// An upload describes its file when it closes, as its options were when it was opened.
func TestGridFSAnUploadKeepsItsOptions(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("db").GridFSBucket()
	contentType, aliases, metadata := "text/plain", []string{"a"}, mustMarshal(t, bson.Doc("m", "before"))
	s, err := bucket.OpenUploadStream(t.Context(), "name", &options.GridFSUpload{
		//lint:ignore SA1019 applications may still set them
		Metadata: metadata, ContentType: &contentType, Aliases: aliases,
	})
	if err != nil {
		t.Fatal(err)
	}
	contentType, aliases[0] = "text/html", "b"
	copy(metadata, mustMarshal(t, bson.Doc("m", "after!")))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := bucket.GetFilesCollection().FindOne(t.Context(), bson.D{}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"contentType": `"text/plain"`, "aliases": `["a"]`, "metadata": `{"m":"before"}`} {
		if got := file.Lookup(path).String(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// An upload whose source fails leaves no chunk.
func TestGridFSABrokenSourceLeavesNothing(t *testing.T) {
	broken := errors.New("broken")
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
	source := io.MultiReader(bytes.NewReader(pattern(aheadBatch+5)), iotest.ErrReader(broken))
	if _, err := bucket.UploadFromStream(t.Context(), "log", source); !errors.Is(err, broken) {
		t.Errorf("err = %v", err)
	}
	for _, c := range []*mongo.Collection{bucket.GetChunksCollection(), bucket.GetFilesCollection()} {
		if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
			t.Errorf("%d documents are left in %s, %v", n, c.Name(), err)
		}
	}
}
