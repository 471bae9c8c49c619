package mongo_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// manyChunks uploads a file with more chunks than one batch has.
func manyChunks(t *testing.T, client *mongo.Client) (*mongo.GridFSBucket, bson.ObjectID) {
	t.Helper()
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(10))})
	return bucket, upload(t, bucket, "log", pattern(5000))
}

// A stream closes its cursor when it seeks elsewhere, and when a download ends early.
func TestGridFSLeavesNoCursorOpen(t *testing.T) {
	full := errors.New("the disk is full")
	for _, tt := range []struct {
		name string
		read func(t *testing.T, b *mongo.GridFSBucket, id bson.ObjectID)
	}{
		{"a seek", func(t *testing.T, b *mongo.GridFSBucket, id bson.ObjectID) {
			s, err := b.OpenDownloadStream(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			piece := make([]byte, 4)
			for _, to := range []int64{0, 4990} {
				if _, err := s.Seek(to, io.SeekStart); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadFull(s, piece); err != nil || string(piece) != string(pattern(5000)[to:to+4]) {
					t.Errorf("at %d stands %q, %v", to, piece, err)
				}
			}
			t.Cleanup(func() { _ = s.Close() })
		}},
		{"DownloadToStream", func(t *testing.T, b *mongo.GridFSBucket, id bson.ObjectID) {
			if _, err := b.DownloadToStream(t.Context(), id, failingWriter{full}); !errors.Is(err, full) {
				t.Errorf("err = %v", err)
			}
		}},
		{"DownloadToStreamByName", func(t *testing.T, b *mongo.GridFSBucket, _ bson.ObjectID) {
			if _, err := b.DownloadToStreamByName(t.Context(), "log", failingWriter{full}); !errors.Is(err, full) {
				t.Errorf("err = %v", err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mongotest.Start(t)
			bucket, id := manyChunks(t, connect(t, d))
			tt.read(t, bucket, id)
			if killed := d.Commands(mongotest.Named("killCursors")); len(killed) != 1 {
				t.Errorf("%d cursors are killed, want 1", len(killed))
			}
		})
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// countingWriter claims to have written n bytes.
type countingWriter int

func (n countingWriter) Write([]byte) (int, error) { return int(n), nil }

// The error for a file that another program has stored badly says what is wrong with it.
func TestGridFSFilesThatAreBroken(t *testing.T) {
	set := func(field string, v any) func(t *testing.T, b *mongo.GridFSBucket) {
		return func(t *testing.T, b *mongo.GridFSBucket) {
			if _, err := b.GetFilesCollection().UpdateOne(t.Context(), bson.D{}, bson.Doc("$set", bson.Doc(field, v))); err != nil {
				t.Fatal(err)
			}
		}
	}
	chunk := func(change func(c *mongo.Collection) error) func(t *testing.T, b *mongo.GridFSBucket) {
		return func(t *testing.T, b *mongo.GridFSBucket) {
			if err := change(b.GetChunksCollection()); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx := t.Context()
	for _, tt := range []struct {
		name   string
		breaks func(t *testing.T, b *mongo.GridFSBucket)
		kind   error
		words  string
	}{
		{"a length of text", set("length", "7"), nil, "no valid length"},
		{"a negative length", set("length", -1), nil, "no valid length"},
		{"chunks without a size", set("chunkSize", 0), mongo.ErrMissingGridFSChunkSize, ""},
		{"chunks of a negative size", set("chunkSize", -1), mongo.ErrMissingGridFSChunkSize, ""},
		{"chunks of more than an int32", set("chunkSize", int64(1)<<32+10), mongo.ErrMissingGridFSChunkSize, ""},
		{"a larger file", set("length", 31), mongo.ErrMissingChunk, "chunk 3"},
		{"a smaller file", set("length", 25), mongo.ErrWrongSize, "chunk 2"},
		{"a file with a chunk less", set("length", 20), mongo.ErrExtraChunk, ""},
		{"no second chunk", chunk(func(c *mongo.Collection) error {
			_, err := c.DeleteOne(ctx, bson.Doc("n", 1))
			return err
		}), mongo.ErrMissingChunk, "chunk 1"},
		{"two second chunks", chunk(func(c *mongo.Collection) error {
			if err := c.DropAllIndexes(ctx); err != nil {
				return err
			}
			raw, err := c.FindOne(ctx, bson.Doc("n", 1)).Raw()
			if err != nil {
				return err
			}
			_, err = c.InsertOne(ctx, bson.Doc("files_id", raw.Lookup("files_id"), "n", 1, "data", raw.Lookup("data")))
			return err
		}), mongo.ErrExtraChunk, "a second chunk 1"},
		{"a chunk without a number", chunk(func(c *mongo.Collection) error {
			_, err := c.UpdateOne(ctx, bson.Doc("n", 1), bson.Doc("$set", bson.Doc("n", "1")))
			return err
		}), mongo.ErrMissingChunk, "chunk 1"},
		{"a chunk of text", chunk(func(c *mongo.Collection) error {
			_, err := c.UpdateOne(ctx, bson.Doc("n", 1), bson.Doc("$set", bson.Doc("data", "text")))
			return err
		}), mongo.ErrWrongSize, "chunk 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(10))})
			id := upload(t, bucket, "log", pattern(30))
			tt.breaks(t, bucket)
			_, err := bucket.DownloadToStream(ctx, id, io.Discard)
			if err == nil || tt.kind != nil && !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("err = %v, want %v, %q", err, tt.kind, tt.words)
			}
		})
	}
}

// An empty file of another program may lack the chunk size.
func TestGridFSReadsAnEmptyFileWithoutASize(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	insertInto(t, bucket.GetFilesCollection(), bson.Doc("_id", 1, "length", 0, "filename", "empty"))
	if n, err := bucket.DownloadToStream(t.Context(), 1, io.Discard); n != 0 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A stream reports a writer that returns a wrong count, and a Skip by a negative number.
func TestGridFSReadsToTheLetter(t *testing.T) {
	bucket, id := manyChunks(t, connect(t, mongotest.Start(t)))
	open := func() *mongo.GridFSDownloadStream {
		s, err := bucket.OpenDownloadStream(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	for n, want := range map[countingWriter]string{
		-1: "mongo: the destination returned an invalid count from Write", 11: "mongo: the destination returned an invalid count from Write",
		9: io.ErrShortWrite.Error(),
	} {
		s := open()
		written, err := s.WriteTo(n)
		if err == nil || err.Error() != want || n == 9 && written != 9 || n != 9 && written != 0 {
			t.Errorf("a writer that counts %d of 10: %d, %v", n, written, err)
		}
	}
	s := open()
	for _, tt := range []struct {
		n, want int64
		fails   bool
	}{{0, 0, false}, {15, 15, false}, {-1, 0, true}, {1, 1, false}, {5000, 4984, false}, {1, 0, false}} {
		if n, err := s.Skip(tt.n); n != tt.want || (err != nil) != tt.fails {
			t.Errorf("Skip(%d) = %d, %v", tt.n, n, err)
		}
	}
	if rest, err := io.ReadAll(s); err != nil || len(rest) != 0 {
		t.Errorf("%d bytes behind the end, %v", len(rest), err)
	}
}
