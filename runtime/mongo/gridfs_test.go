//lint:file-ignore SA1019 files of other programs have these fields, and applications may still set them

package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// pattern returns n bytes. No two chunks of a prime size are the same.
func pattern(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	return data
}

func upload(t *testing.T, b *mongo.GridFSBucket, name string, data []byte, opts ...*options.GridFSUpload) bson.ObjectID {
	t.Helper()
	id, err := b.UploadFromStream(t.Context(), name, bytes.NewReader(data), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestGridFSOnEachShape(t *testing.T) {
	onEachShape(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client) {
		bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(7))})
		for _, size := range []int{0, 1, 6, 7, 8, 14, 100} {
			data := pattern(size)
			id := upload(t, bucket, "layers", data)
			var got bytes.Buffer
			n, err := bucket.DownloadToStream(t.Context(), id, &got)
			if err != nil || n != int64(size) || !bytes.Equal(got.Bytes(), data) {
				t.Errorf("%d bytes: downloaded %d, %v: %x", size, n, err, got.Bytes())
			}
			if err := bucket.Delete(t.Context(), id); err != nil {
				t.Error(err)
			}
		}
		for _, c := range []*mongo.Collection{bucket.GetFilesCollection(), bucket.GetChunksCollection()} {
			if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
				t.Errorf("%d documents left in %s, %v", n, c.Name(), err)
			}
		}
	})
}

// TestGridFSUploadStoresTheSpecifiedDocuments compares what an upload stores with "File Upload".
func TestGridFSUploadStoresTheSpecifiedDocuments(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d).Database("shop").GridFSBucket(&options.GridFSBucket{Name: new("photos"), ChunkSize: new(int32(4))})
	before := time.Now().Truncate(time.Millisecond)
	err := bucket.UploadFromStreamWithID(t.Context(), "ada-1", "ada.jpg", iotest.OneByteReader(strings.NewReader("0123456789")),
		&options.GridFSUpload{
			Metadata: bson.Doc("owner", "ada"), ContentType: new("image/jpeg"), Aliases: []string{"a.jpg"},
		})
	if err != nil {
		t.Fatal(err)
	}
	file, err := bucket.GetFilesCollection().FindOne(t.Context(), bson.D{}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	uploaded, _ := file.Lookup("uploadDate").TimeOK()
	if uploaded.Before(before) || time.Since(uploaded) > time.Minute {
		t.Errorf("uploadDate is %v", uploaded)
	}
	want := bson.Doc("_id", "ada-1", "length", int64(10), "chunkSize", int32(4), "uploadDate", uploaded, "filename", "ada.jpg",
		"contentType", "image/jpeg", "aliases", []string{"a.jpg"}, "metadata", bson.Doc("owner", "ada"))
	if raw, err := bson.Marshal(want); err != nil || !bytes.Equal(raw, file) {
		t.Errorf("file %v, want %v", file, want)
	}
	cursor, err := bucket.GetChunksCollection().Find(t.Context(), bson.D{}, &options.Find{Sort: bson.Doc("n", 1)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for chunk, err := range mongo.Each[bson.Raw](t.Context(), cursor) {
		if err != nil {
			t.Fatal(err)
		}
		subtype, data, _ := chunk.Lookup("data").BinaryOK()
		got = append(got, fmt.Sprintf("%v %v: %s", chunk.Lookup("files_id"), chunk.Lookup("n"), data))
		if subtype != 0 || chunk.Lookup("_id").IsZero() {
			t.Errorf("chunk %v", chunk)
		}
	}
	if want := []string{`"ada-1" 0: 0123`, `"ada-1" 1: 4567`, `"ada-1" 2: 89`}; !slices.Equal(got, want) {
		t.Errorf("chunks %q, want %q", got, want)
	}
}

func TestGridFSEmptyFile(t *testing.T) {
	d := mongotest.Start(t)
	client, r := connectRecorded(t, d)
	bucket := client.Database("shop").GridFSBucket()
	id := upload(t, bucket, "empty", nil)
	if n := len(r.commands("insert")); n != 1 {
		t.Errorf("%d inserts, want that of the file alone", n)
	}
	raw, err := bucket.GetFilesCollection().FindOne(t.Context(), bson.D{}).Raw()
	if length, ok := raw.Lookup("length").AsInt64OK(); err != nil || !ok || length != 0 || !raw.Lookup("metadata").IsZero() {
		t.Errorf("file %v, %v", raw, err)
	}
	before := len(r.commands("find"))
	if n, err := bucket.DownloadToStream(t.Context(), id, io.Discard); n != 0 || err != nil {
		t.Errorf("downloaded %d bytes, %v", n, err)
	}
	if n := len(r.commands("find")) - before; n != 1 {
		t.Errorf("%d finds, want that of the file alone", n)
	}
}

// TestGridFSUploadCreatesMissingIndexes checks which indexes the first upload of a bucket looks for and creates.
// GridFS, "Before write operations".
func TestGridFSUploadCreatesMissingIndexes(t *testing.T) {
	seen := []string{"find fs.files", "listIndexes fs.files", "listIndexes fs.chunks"}
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, b *mongo.GridFSBucket)
		want    []string
	}{
		{"nothing exists", func(*testing.T, *mongo.GridFSBucket) {}, []string{
			"find fs.files", "listIndexes fs.files", "createIndexes fs.files", "listIndexes fs.chunks", "createIndexes fs.chunks",
		}},
		{"a file exists", func(t *testing.T, b *mongo.GridFSBucket) { insertInto(t, b.GetFilesCollection(), bson.Doc("_id", 1)) }, seen[:1]},
		{"both exist as int32", createBothIndexes(int32(1), int32(1)), seen},
		{"both exist as int64", createBothIndexes(int64(1), int64(1)), seen},
		{"both exist as double", createBothIndexes(1.0, 1.0), seen},
		{"both exist with mixed numbers", createBothIndexes(1.0, int32(1)), seen},
		{"they exist in the other direction", createBothIndexes(int32(-1), int32(1)), []string{
			"find fs.files", "listIndexes fs.files", "createIndexes fs.files", "listIndexes fs.chunks", "createIndexes fs.chunks",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := mongotest.Start(t)
			test.prepare(t, connect(t, d).Database("shop").GridFSBucket())
			client, r := connectRecorded(t, d)
			bucket := client.Database("shop").GridFSBucket()
			upload(t, bucket, "first", []byte("x"))
			upload(t, bucket, "second", []byte("x"))
			want := append(slices.Clone(test.want), "insert fs.chunks", "insert fs.files", "insert fs.chunks", "insert fs.files")
			if got := r.listTargets(); !slices.Equal(got, want) {
				t.Errorf("commands\n%q, want\n%q", got, want)
			}
		})
	}
}

// listTargets returns the commands, each with its collection.
func (r *recorder) listTargets() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	for _, e := range r.started {
		collection, _ := e.Command.Lookup(e.CommandName).StringOK()
		list = append(list, e.CommandName+" "+collection)
	}
	return list
}

func insertInto(t *testing.T, c *mongo.Collection, doc any) {
	t.Helper()
	if _, err := c.InsertOne(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
}

// createBothIndexes returns a function that creates both indexes with these directions.
func createBothIndexes(first, second any) func(t *testing.T, b *mongo.GridFSBucket) {
	return func(t *testing.T, b *mongo.GridFSBucket) {
		t.Helper()
		files := mongo.IndexModel{Keys: bson.Doc("filename", first, "uploadDate", second)}
		chunks := mongo.IndexModel{Keys: bson.Doc("files_id", first, "n", second), Options: &options.Index{Unique: new(true)}}
		_, err := b.GetFilesCollection().CreateIndex(t.Context(), files)
		if _, more := b.GetChunksCollection().CreateIndex(t.Context(), chunks); err != nil || more != nil {
			t.Fatal(err, more)
		}
	}
}

// TestGridFSNames pins the names that other drivers rely on. GridFS, "Terms" and "Indexes".
func TestGridFSNames(t *testing.T) {
	got := []any{gridfs.DefaultBucketName, gridfs.DefaultChunkSize, gridfs.FilesSuffix, gridfs.ChunksSuffix, gridfs.FilesIndex(), gridfs.ChunksIndex()}
	want := []any{"fs", 261120, ".files", ".chunks", []string{"filename", "uploadDate"}, []string{"files_id", "n"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestGridFSIndexesAreAscendingAndUnique(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	upload(t, bucket, "first", []byte("x"))
	chunk := bson.Doc("files_id", 1, "n", 1)
	insertInto(t, bucket.GetChunksCollection(), chunk)
	if _, err := bucket.GetChunksCollection().InsertOne(t.Context(), chunk); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("a second chunk: %v", err)
	}
	names, err := bucket.GetFilesCollection().ListIndexNames(t.Context())
	if err != nil || !slices.Contains(names, "filename_1_uploadDate_1") {
		t.Errorf("indexes %q, %v", names, err)
	}
}

// GridFS, "Before write operations": the indexes are built in the foreground. GridFS, "Terms": files of other programs
// may have their numbers in other types.
func TestGridFSForegroundIndexesAndNumbersOfOthers(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	bucket := client.Database("shop").GridFSBucket()
	id := upload(t, bucket, "first", []byte("content"))
	for _, e := range r.commands("createIndexes") {
		if background := e.Command.Lookup("indexes", "0", "background"); !background.IsZero() {
			t.Errorf("background %v", background)
		}
	}
	if n := len(r.commands("createIndexes")); n != 2 {
		t.Errorf("%d indexes", n)
	}
	for _, numbers := range []bson.D{
		bson.Doc("length", 7.0, "chunkSize", 261120.0), bson.Doc("length", int32(7), "chunkSize", int64(261120)),
	} {
		if _, err := bucket.GetFilesCollection().UpdateOne(t.Context(), bson.Doc("_id", id), bson.Doc("$set", numbers)); err != nil {
			t.Fatal(err)
		}
		stream, err := bucket.OpenDownloadStream(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(stream)
		if file := stream.GetFile(); err != nil || string(content) != "content" || file.Length != 7 || file.ChunkSize != 261120 {
			t.Errorf("%v: %q of %d in chunks of %d, %v", numbers, content, file.Length, file.ChunkSize, err)
		}
	}
}

// TestGridFSUploadFailsWithoutItsIndexes checks that an upload fails when the indexes cannot be created, and that the
// next one tries again.
func TestGridFSUploadFailsWithoutItsIndexes(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d).Database("shop").GridFSBucket()
	for _, command := range []string{"listIndexes", "createIndexes"} {
		fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", []string{command}, "errorCode", 13))
		if _, err := bucket.UploadFromStream(t.Context(), "x", strings.NewReader("x")); !mongo.HasErrorCode(err, 13) {
			t.Fatalf("upload, when %s fails: %v", command, err)
		}
	}
	upload(t, bucket, "x", []byte("x"))
	if names, err := bucket.GetChunksCollection().ListIndexNames(t.Context()); err != nil || len(names) != 2 {
		t.Errorf("indexes %q, %v", names, err)
	}
}

func TestGridFSRevisions(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d).Database("shop").GridFSBucket()
	for i, text := range []string{"first", "second", "third"} {
		id := upload(t, bucket, "song", []byte(text))
		date := bson.Doc("$set", bson.Doc("uploadDate", time.UnixMilli(int64(i))))
		if _, err := bucket.GetFilesCollection().UpdateOne(t.Context(), bson.Doc("_id", id), date); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name     string
		file     string
		revision *int32
		want     string
		err      error
	}{
		{"the newest by default", "song", nil, "third", nil},
		{"the oldest", "song", new(int32(0)), "first", nil},
		{"the first revision", "song", new(int32(1)), "second", nil},
		{"the newest", "song", new(int32(-1)), "third", nil},
		{"the second newest", "song", new(int32(-2)), "second", nil},
		{"the oldest from behind", "song", new(int32(-3)), "first", nil},
		{"too new", "song", new(int32(3)), "", mongo.ErrRevisionNotFound},
		{"too old", "song", new(int32(-4)), "", mongo.ErrRevisionNotFound},
		{"no file", "poem", nil, "", mongo.ErrFileNotFound},
		{"no file, whatever the revision", "poem", new(int32(2)), "", mongo.ErrFileNotFound},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			_, err := bucket.DownloadToStreamByName(t.Context(), test.file, &got, &options.GridFSName{Revision: test.revision})
			if got.String() != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("got %q, %v, want %q, %v", got.String(), err, test.want, test.err)
			}
		})
	}
}

// TestGridFSUploadIsAborted checks that an upload whose source fails leaves nothing behind and returns that error.
func TestGridFSUploadIsAborted(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(1 << 20))})
	broken := errors.New("broken pipe")
	source := io.MultiReader(bytes.NewReader(pattern(5<<20)), iotest.ErrReader(broken))
	if _, err := bucket.UploadFromStream(t.Context(), "x", source); !errors.Is(err, broken) {
		t.Errorf("upload: %v", err)
	}
	for _, c := range []*mongo.Collection{bucket.GetFilesCollection(), bucket.GetChunksCollection()} {
		if n, err := c.CountDocuments(context.Background(), bson.D{}); err != nil || n != 0 {
			t.Errorf("%d documents in %s, %v", n, c.Name(), err)
		}
	}
}
