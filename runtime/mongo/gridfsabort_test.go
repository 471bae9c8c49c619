package mongo_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestGridFSAbort(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
	s, err := bucket.OpenUploadStream(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(pattern(9 << 20)); err != nil {
		t.Fatal(err)
	}
	fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", []string{"delete"}, "errorCode", 13))
	if err := s.Abort(); !mongo.HasErrorCode(err, 13) {
		t.Errorf("Abort() = %v", err)
	}
	if n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 2 || err != nil {
		t.Errorf("the abort that failed came before the insert of the chunks: %d are there, %v", n, err)
	}
	if _, err := s.Write([]byte("x")); !errors.Is(err, mongo.ErrStreamClosed) {
		t.Errorf("Write after Abort: %v", err)
	}
}

// TestGridFSAbortOutlivesItsContext checks that an upload whose context has ended still removes what it stored.
func TestGridFSAbortOutlivesItsContext(t *testing.T) {
	db := connect(t, mongotest.Start(t)).Database("shop")
	for name, timeout := range map[string]*time.Duration{"without a timeout": nil, "with time left": new(time.Hour)} {
		t.Run(name, func(t *testing.T) {
			bucket := db.Clone(&options.Database{Timeout: timeout}).GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
			ctx, cancel := context.WithCancel(t.Context())
			s, err := bucket.OpenUploadStream(ctx, "log")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Write(pattern(5 << 20)); err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := s.Abort(); err != nil {
				t.Error(err)
			}
			if n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
				t.Errorf("%d chunks after the abort, %v", n, err)
			}
		})
	}
}

// TestGridFSIDIsNotACondition checks that an ID with operators selects only its own file.
func TestGridFSIDIsNotACondition(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(2))})
	file, err := bucket.UploadFromStream(t.Context(), "kept", strings.NewReader("kept"))
	if err != nil {
		t.Fatal(err)
	}
	everything := bson.Doc("$gt", bson.MinKey{})
	s, err := bucket.OpenUploadStreamWithID(t.Context(), everything, "injected")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("1234")); err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]any{"operators": everything, "a regular expression": bson.Regex{Pattern: "."}} {
		if err := bucket.Delete(t.Context(), id); !errors.Is(err, mongo.ErrFileNotFound) {
			t.Errorf("Delete with %s: %v", name, err)
		}
		if err := bucket.Rename(t.Context(), id, "renamed"); !errors.Is(err, mongo.ErrFileNotFound) {
			t.Errorf("Rename with %s: %v", name, err)
		}
		if _, err := bucket.OpenDownloadStream(t.Context(), id); !errors.Is(err, mongo.ErrFileNotFound) {
			t.Errorf("OpenDownloadStream with %s: %v", name, err)
		}
	}
	var got strings.Builder
	if _, err := bucket.DownloadToStream(t.Context(), file, &got); err != nil || got.String() != "kept" {
		t.Errorf("the other file: %q, %v", got.String(), err)
	}
}
