package mongo_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestGridFSChunkBoundaries stores files that end before, at and after the end of a chunk or of a batch. However the
// bytes arrive, every chunk except the last is full, and none is empty.
func TestGridFSChunkBoundaries(t *testing.T) {
	const chunk, batch = 1 << 20, 4 << 20 // a batch is sent at once
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(chunk))})
	ways := map[string]func(s *mongo.GridFSUploadStream, data []byte) error{
		"one write": func(s *mongo.GridFSUploadStream, data []byte) error {
			_, err := s.Write(data)
			return err
		},
		"writes across boundaries": func(s *mongo.GridFSUploadStream, data []byte) error {
			for part := range slices.Chunk(data, chunk-7) {
				if _, err := s.Write(part); err != nil {
					return err
				}
			}
			return nil
		},
		"a reader": func(s *mongo.GridFSUploadStream, data []byte) error {
			_, err := s.ReadFrom(iotest.HalfReader(bytes.NewReader(data)))
			return err
		},
		"a reader that gives the last bytes with the end": func(s *mongo.GridFSUploadStream, data []byte) error {
			_, err := s.ReadFrom(iotest.DataErrReader(bytes.NewReader(data)))
			return err
		},
		"a reader behind a write": func(s *mongo.GridFSUploadStream, data []byte) error {
			half := len(data) / 2
			if _, err := s.Write(data[:half]); err != nil {
				return err
			}
			_, err := s.ReadFrom(bytes.NewReader(data[half:]))
			return err
		},
	}
	for name, upload := range ways {
		for _, size := range []int{0, 1, chunk - 1, chunk, chunk + 1, batch - 1, batch, batch + 1, batch + chunk} {
			t.Run(fmt.Sprintf("%s, %d bytes", name, size), func(t *testing.T) {
				s, err := bucket.OpenUploadStream(t.Context(), "log")
				if err != nil {
					t.Fatal(err)
				}
				data := pattern(size)
				if err := upload(s, data); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if got := storedChunks(t, bucket, s.FileID, chunk); !bytes.Equal(got, data) {
					t.Errorf("%d bytes are stored, and differ", len(got))
				}
			})
		}
	}
}

// storedChunks joins the chunks of a file, and checks their numbers and sizes.
func storedChunks(t *testing.T, bucket *mongo.GridFSBucket, id any, size int) (data []byte) {
	t.Helper()
	cursor, err := bucket.GetChunksCollection().Find(t.Context(), bson.Doc("files_id", id), &options.Find{Sort: bson.Doc("n", 1)})
	if err != nil {
		t.Fatal(err)
	}
	type chunk struct {
		ID   bson.ObjectID `bson:"_id"`
		N    int32         `bson:"n"`
		Data []byte        `bson:"data"`
	}
	chunks, err := mongo.All[chunk](t.Context(), cursor)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range chunks {
		if c.N != int32(i) || c.ID.IsZero() {
			t.Errorf("chunk %d has number %d and ID %v", i, c.N, c.ID)
		}
		if n := len(c.Data); n == 0 || n > size || i < len(chunks)-1 && n < size {
			t.Errorf("chunk %d of %d has %d bytes", i, len(chunks), n)
		}
		data = append(data, c.Data...)
	}
	return data
}

// TestGridFSGreedySourceIsRefused checks that a source cannot claim more bytes than it was given room for.
func TestGridFSGreedySourceIsRefused(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(10))})
	if _, err := bucket.UploadFromStream(t.Context(), "log", greedy{}); err == nil {
		t.Error("no error")
	}
}

type greedy struct{}

func (greedy) Read(p []byte) (int, error) { return len(p) + 1, io.EOF }
