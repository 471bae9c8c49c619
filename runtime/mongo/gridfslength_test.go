package mongo_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"runtime"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// storeParts stores the description of a file and some of its chunks.
func storeParts(t *testing.T, b *mongo.GridFSBucket, name string, length int64, chunkSize int32, chunks map[int64][]byte) {
	t.Helper()
	file := bson.Doc("_id", name, "length", length, "chunkSize", chunkSize, "filename", name)
	if _, err := b.GetFilesCollection().InsertOne(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	for n, data := range chunks {
		chunk := bson.Doc("files_id", name, "n", n, "data", bson.Binary{Data: data})
		if _, err := b.GetChunksCollection().InsertOne(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}
	}
}

// fs.ReadFile would allocate the length that Stat returns, and a description can claim any length.
func TestGridFSReadFileFollowsTheChunks(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	four := map[int64][]byte{0: []byte("four")}
	storeParts(t, bucket, "honest", 4, 16, four)
	storeParts(t, bucket, "8 GiB", 1<<33, 4, four)
	storeParts(t, bucket, "too long", 1<<62, 4, four)
	storeParts(t, bucket, "longest", math.MaxInt64, math.MaxInt32, four)
	storeParts(t, bucket, "folder/file", 0, 4, nil)
	tree := bucket.FS(t.Context())
	for name, want := range map[string]string{
		"honest": "four", "8 GiB": "", "too long": "", "longest": "", "folder": "", "none": "", "folder/file": "",
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			content, err := fs.ReadFile(tree, name)
			runtime.ReadMemStats(&after)
			good := name == "honest" || name == "folder/file"
			if (err == nil) != good || good && string(content) != want || len(content) > 4 {
				t.Errorf("read %q, %v", content, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 { // includes what other goroutines allocate
				t.Errorf("%d bytes were allocated for 4", used)
			}
		})
	}
	large := pattern(3 << 20)
	upload(t, bucket, "large", large)
	if content, err := fs.ReadFile(tree, "large"); err != nil || !bytes.Equal(content, large) {
		t.Errorf("read %d bytes, %v", len(content), err)
	}
}

// A length cut to 32 bits would be negative beyond 2 GiB, and too small beyond 4 GiB. Only the first chunk and
// the last two are stored.
func TestGridFSDownloadBeyond2GiB(t *testing.T) {
	for name, size := range map[string]int64{"2 GiB": 2 << 30, "4 GiB": 4 << 30, "5 GiB": 5 << 30} {
		t.Run(name, func(t *testing.T) {
			const chunk = 1 << 20
			bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
			data := pattern(chunk)
			last := size / chunk
			storeParts(t, bucket, "big", size+10, chunk, map[int64][]byte{0: data, last - 1: data, last: data[:10]})
			var progress []int64
			stream, err := bucket.OpenDownloadStream(t.Context(), "big", &options.GridFSDownload{
				Progress: func(n int64) { progress = append(progress, n) },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			if got := stream.GetFile().Length; got != size+10 {
				t.Errorf("the length is %d", got)
			}
			if n, err := stream.Skip(size - 5); n != size-5 || err != nil {
				t.Errorf("Skip went %d, %v", n, err)
			}
			if n, err := stream.Skip(math.MaxInt64); n != 15 || err != nil {
				t.Errorf("Skip went %d to the end, %v", n, err)
			}
			if n, err := stream.Seek(-15, io.SeekEnd); n != size-5 || err != nil {
				t.Errorf("Seek is at %d, %v", n, err)
			}
			rest, err := io.ReadAll(stream)
			if want := append(data[chunk-5:], data[:10]...); err != nil || !bytes.Equal(rest, want) {
				t.Errorf("read %x, %v, want %x", rest, err, want)
			}
			if len(progress) != 2 || progress[0] != size || progress[1] != size+10 {
				t.Errorf("the progress was %d", progress)
			}
			if n, err := stream.Seek(-15, io.SeekCurrent); n != size-5 || err != nil {
				t.Errorf("Seek back is at %d, %v", n, err)
			}
			if n, err := stream.WriteTo(io.Discard); n != 15 || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
			if _, err := stream.Seek(0, io.SeekStart); err != nil {
				t.Error(err)
			}
			first := make([]byte, 5)
			if _, err := io.ReadFull(stream, first); err != nil || !bytes.Equal(first, data[:5]) {
				t.Errorf("the file begins with %x, %v", first, err)
			}
			info, err := fs.Stat(bucket.FS(t.Context()), "big")
			if err != nil || info.Size() != size+10 {
				t.Errorf("the file system says %v, %v", info, err)
			}
			cursor, err := bucket.Find(t.Context(), bson.D{})
			if err != nil {
				t.Fatal(err)
			}
			for file, err := range mongo.Each[mongo.GridFSFile](t.Context(), cursor) {
				if err != nil || file.Length != size+10 {
					t.Errorf("Find returned %d, %v", file.Length, err)
				}
			}
		})
	}
}

// A chunk after the end is noticed in a file of that length, too.
func TestGridFSSurplusChunkBeyond2GiB(t *testing.T) {
	for name, size := range map[string]int64{"2 GiB": 2 << 30, "5 GiB": 5 << 30} {
		const chunk = 1 << 20
		bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
		storeParts(t, bucket, "big", size+10, chunk, map[int64][]byte{size / chunk: pattern(10), size/chunk + 1: pattern(1)})
		stream, err := bucket.OpenDownloadStream(t.Context(), "big")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Seek(-5, io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		if rest, err := io.ReadAll(stream); len(rest) != 5 || !errors.Is(err, mongo.ErrExtraChunk) {
			t.Errorf("%s: %d bytes, %v", name, len(rest), err)
		}
		stream.Close()
	}
}

// An upload that has already stored more than 2 GiB goes on with the right chunk, and its description has the whole
// length.
func TestGridFSUploadBeyond2GiB(t *testing.T) {
	for name, size := range map[string]int64{"2 GiB": 2 << 30, "5 GiB": 5 << 30} {
		t.Run(name, func(t *testing.T) {
			const chunk = 1 << 20
			bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(chunk))})
			var progress int64
			stream, err := bucket.OpenUploadStreamWithID(t.Context(), "big", "big", &options.GridFSUpload{
				Progress: func(n int64) { progress = n },
			})
			if err != nil {
				t.Fatal(err)
			}
			mongo.SetStored(stream, size)
			if n, err := stream.ReadFrom(bytes.NewReader(pattern(chunk + 10))); n != chunk+10 || err != nil {
				t.Fatalf("read %d, %v", n, err)
			}
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
			file, err := bucket.GetFilesCollection().FindOne(t.Context(), bson.Doc("_id", "big")).Raw()
			if got, _ := file.Lookup("length").AsInt64OK(); err != nil || got != size+chunk+10 {
				t.Errorf("the length is %d, %v", got, err)
			}
			if progress != size+chunk+10 {
				t.Errorf("the progress was %d", progress)
			}
			for i := range int64(2) {
				n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.Doc("files_id", "big", "n", size/chunk+i))
				if n != 1 || err != nil {
					t.Errorf("%d chunks have the number %d, %v", n, size/chunk+i, err)
				}
			}
		})
	}
}

// A chunk's number has 32 bits.
func TestGridFSUploadOfTooManyChunks(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(1))})
	for stored, good := range map[int64]bool{math.MaxInt32: true, math.MaxInt32 + 1: false, math.MaxUint32 + 1: false} {
		stream, err := bucket.OpenUploadStream(t.Context(), "big")
		if err != nil {
			t.Fatal(err)
		}
		mongo.SetStored(stream, stored)
		if _, err := stream.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := stream.Close(); (err == nil) != good {
			t.Errorf("after %d chunks: %v", stored, err)
		}
	}
}
