package mongo_test

import (
	"context"
	"errors"
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
	if _, err := s.Write(pattern(5 << 20)); err != nil {
		t.Fatal(err)
	}
	if n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 1 || err != nil {
		t.Fatalf("%d chunks before the abort, %v", n, err)
	}
	fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", []string{"delete"}, "errorCode", 13))
	if err := s.Abort(); !mongo.HasCode(err, 13) {
		t.Errorf("Abort() = %v", err)
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
