package mongo_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

func TestGridFSUploadStream(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	var progress []int64
	s, err := bucket.OpenUploadStream(t.Context(), "log", &options.GridFSUpload{
		ChunkSize: new(int32(1 << 20)), Progress: func(n int64) { progress = append(progress, n) },
	})
	if err != nil {
		t.Fatal(err)
	}
	data := pattern(9<<20 + 1)
	for part := range slices.Chunk(data, 100_003) {
		if n, err := s.Write(part); n != len(part) || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if want := []int64{8 << 20, 9<<20 + 1}; !slices.Equal(progress, want) {
		t.Errorf("progress %v, want %v", progress, want)
	}
	_, writing := s.Write(nil)
	_, reading := s.ReadFrom(bytes.NewReader(nil))
	for what, err := range map[string]error{"Write": writing, "ReadFrom": reading, "Close": s.Close(), "Abort": s.Abort()} {
		if !errors.Is(err, mongo.ErrStreamClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
	var got bytes.Buffer
	if _, err := bucket.DownloadToStream(t.Context(), s.FileID, &got); err != nil || !bytes.Equal(got.Bytes(), data) {
		t.Errorf("the file differs, %v", err)
	}
}

// TestGridFSFailedInsert checks that a failed insert ends an upload, deletes nothing and can be aborted.
func TestGridFSFailedInsert(t *testing.T) {
	d := mongotest.Start(t)
	client, r := connectRecorded(t, d)
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
	s, err := bucket.OpenUploadStream(t.Context(), "log")
	if err != nil {
		t.Fatal(err)
	}
	fail(t, d, bson.Doc("skip", 1), bson.Doc("failCommands", []string{"insert"}, "errorCode", 13))
	n, err := s.Write(pattern(25 << 20)) // the third batch is full when the insert of the second has failed
	if !mongo.HasErrorCode(err, 13) || n != 24<<20 {
		t.Fatalf("Write() = %d, %v", n, err)
	}
	if _, again := s.Write([]byte("x")); !mongo.HasErrorCode(again, 13) {
		t.Errorf("Write after the failure: %v", again)
	}
	if len(r.commands("delete")) != 0 {
		t.Error("the failure deleted chunks")
	}
	fail(t, d, "off", bson.D{})
	if err := s.Abort(); err != nil {
		t.Error(err)
	}
	if n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
		t.Errorf("%d chunks after the abort, %v", n, err)
	}
}

// TestGridFSReader runs the checks of the standard library for an io.ReadSeeker.
func TestGridFSReader(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(97))})
	data := pattern(1000)
	s, err := bucket.OpenDownloadStream(t.Context(), upload(t, bucket, "log", data))
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(s, data); err != nil {
		t.Error(err)
	}
	if n, err := s.Seek(-10, io.SeekEnd); n != 990 || err != nil {
		t.Errorf("Seek() = %d, %v", n, err)
	}
	if rest, err := io.ReadAll(s); !bytes.Equal(rest, data[990:]) || err != nil {
		t.Errorf("the end is %x, %v", rest, err)
	}
	if _, err := s.Seek(100, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Skip(5000); n != 900 || err != nil {
		t.Errorf("Skip() = %d, %v", n, err)
	}
	for what, err := range map[string]error{
		"before the beginning": failureOf(s.Seek(-1, io.SeekStart)), "from nowhere": failureOf(s.Seek(0, 9)), "backwards": failureOf(s.Skip(-1)),
	} {
		if err == nil {
			t.Errorf("a seek %s is no error", what)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"Read": failureOf(s.Read(nil)), "Seek": failureOf(s.Seek(0, 0)), "WriteTo": failureOf(s.WriteTo(io.Discard)), "Close": s.Close(),
	} {
		if !errors.Is(err, mongo.ErrStreamClosed) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}

// TestGridFSSeekSkipsChunks checks that a read in the middle of a file does not fetch the chunks before it.
func TestGridFSSeekSkipsChunks(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(10))})
	s, err := bucket.OpenDownloadStream(t.Context(), upload(t, bucket, "log", pattern(100)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := len(r.commands("find"))
	if _, err := s.Seek(42, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 20)
	if _, err := io.ReadFull(s, got); err != nil || !bytes.Equal(got, pattern(100)[42:62]) {
		t.Errorf("read %x, %v", got, err)
	}
	finds := r.commands("find")[before:]
	if len(finds) != 1 {
		t.Fatalf("%d finds", len(finds))
	}
	if from, _ := finds[0].Command.Lookup("filter", "n", "$gte").AsInt64OK(); from != 4 {
		t.Errorf("the filter is %v", finds[0].Command.Lookup("filter"))
	}
}

// TestGridFSBrokenFiles checks the errors of a download whose chunks do not fit the description.
func TestGridFSBrokenFiles(t *testing.T) {
	chunk := func(n int32) bson.D { return bson.Doc("n", n) }
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, files, chunks *mongo.Collection)
		want   error
	}{
		{"nothing", func(*testing.T, *mongo.Collection, *mongo.Collection) {}, nil},
		{"no first chunk", func(t *testing.T, _, c *mongo.Collection) { remove(t, c, chunk(0)) }, mongo.ErrMissingChunk},
		{"no chunk in the middle", func(t *testing.T, _, c *mongo.Collection) { remove(t, c, chunk(1)) }, mongo.ErrMissingChunk},
		{"no last chunk", func(t *testing.T, _, c *mongo.Collection) { remove(t, c, chunk(2)) }, mongo.ErrMissingChunk},
		{"a short chunk", func(t *testing.T, _, c *mongo.Collection) { set(t, c, chunk(1), "data", []byte("abc")) }, mongo.ErrWrongSize},
		{"a long last chunk", func(t *testing.T, _, c *mongo.Collection) { set(t, c, chunk(2), "data", []byte("abc")) }, mongo.ErrWrongSize},
		{"data of another type", func(t *testing.T, _, c *mongo.Collection) { set(t, c, chunk(0), "data", "abcd") }, mongo.ErrWrongSize},
		{"an extra chunk", func(t *testing.T, f, c *mongo.Collection) { storeExtraChunk(t, f, c, []byte("x")) }, mongo.ErrExtraChunk},
		{"an empty extra chunk", func(t *testing.T, f, c *mongo.Collection) { storeExtraChunk(t, f, c, []byte{}) }, nil},
		{"no chunk size", func(t *testing.T, f, _ *mongo.Collection) { set(t, f, bson.D{}, "chunkSize", nil) }, mongo.ErrMissingGridFSChunkSize},
		{"a chunk size of zero", func(t *testing.T, f, _ *mongo.Collection) { set(t, f, bson.D{}, "chunkSize", 0) }, mongo.ErrMissingGridFSChunkSize},
		{"sizes of other types", func(t *testing.T, f, c *mongo.Collection) {
			set(t, f, bson.D{}, "chunkSize", 4.0)
			set(t, f, bson.D{}, "length", 10.0)
			set(t, c, chunk(1), "n", 1.0)
		}, nil},
		{"no name", func(t *testing.T, f, _ *mongo.Collection) { set(t, f, bson.D{}, "filename", nil) }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4))})
			id := upload(t, bucket, "x", []byte("0123456789"))
			test.damage(t, bucket.GetFilesCollection(), bucket.GetChunksCollection())
			var got bytes.Buffer
			_, err := bucket.DownloadToStream(t.Context(), id, &got)
			if !errors.Is(err, test.want) || test.want == nil && (err != nil || got.String() != "0123456789") {
				t.Errorf("downloaded %q, %v, want %v", got.String(), err, test.want)
			}
		})
	}
}

func remove(t *testing.T, c *mongo.Collection, filter bson.D) {
	t.Helper()
	if result, err := c.DeleteOne(t.Context(), filter); err != nil || result.DeletedCount != 1 {
		t.Fatal(result, err)
	}
}

func set(t *testing.T, c *mongo.Collection, filter bson.D, field string, value any) {
	t.Helper()
	if result, err := c.UpdateOne(t.Context(), filter, bson.Doc("$set", bson.Doc(field, value))); err != nil || result.MatchedCount != 1 {
		t.Fatal(result, err)
	}
}

func storeExtraChunk(t *testing.T, files, chunks *mongo.Collection, data []byte) {
	t.Helper()
	file, err := files.FindOne(t.Context(), bson.D{}).Raw()
	if err != nil {
		t.Fatal(err)
	}
	insertInto(t, chunks, bson.Doc("files_id", file.Lookup("_id"), "n", int32(3), "data", data))
}

func TestGridFSManagement(t *testing.T) {
	ctx, client := t.Context(), connect(t, mongotest.Start(t))
	bucket := client.Database("shop").GridFSBucket()
	names := func() []string {
		cursor, err := bucket.Find(ctx, bson.D{}, &options.GridFSFind{Sort: bson.Doc("filename", 1)})
		if err != nil {
			t.Fatal(err)
		}
		files, err := mongo.All[mongo.GridFSFile](ctx, cursor)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range files {
			list = append(list, f.Name)
		}
		return list
	}
	first := upload(t, bucket, "a", []byte("1"), &options.GridFSUpload{Metadata: bson.Doc("owner", "ada")})
	upload(t, bucket, "a", []byte("2"))
	upload(t, bucket, "b", []byte("3"))
	if err := bucket.Rename(ctx, first, "c"); err != nil {
		t.Error(err)
	}
	if err := bucket.RenameByName(ctx, "b", "a"); err != nil {
		t.Error(err)
	}
	if got := names(); !slices.Equal(got, []string{"a", "a", "c"}) {
		t.Errorf("files %q", got)
	}
	cursor, err := bucket.Find(ctx, bson.Doc("metadata.owner", "ada"), &options.GridFSFind{Limit: new(int32(2)), Skip: new(int32(0))})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := mongo.All[mongo.GridFSFile](ctx, cursor); err != nil || len(files) != 1 || files[0].Length != 1 || files[0].Name != "c" {
		t.Errorf("found %v, %v", files, err)
	}
	if err := bucket.DeleteByName(ctx, "a"); err != nil {
		t.Error(err)
	}
	if n, err := bucket.GetChunksCollection().CountDocuments(ctx, bson.D{}); n != 1 || err != nil {
		t.Errorf("%d chunks, %v", n, err)
	}
	insertInto(t, bucket.GetChunksCollection(), bson.Doc("files_id", "orphan", "n", 0))
	for what, err := range map[string]error{
		"Delete": bucket.Delete(ctx, "orphan"), "DeleteByName": bucket.DeleteByName(ctx, "none"),
		"Rename": bucket.Rename(ctx, "none", "x"), "RenameByName": bucket.RenameByName(ctx, "none", "x"),
		"OpenDownloadStream": failureOf(bucket.OpenDownloadStream(ctx, "none")),
	} {
		if !errors.Is(err, mongo.ErrFileNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n, err := bucket.GetChunksCollection().CountDocuments(ctx, bson.D{}); n != 1 || err != nil {
		t.Errorf("%d chunks after the orphan was deleted, %v", n, err)
	}
	if err := bucket.Drop(ctx); err != nil {
		t.Error(err)
	}
	if list, err := client.Database("shop").ListCollectionNames(ctx, bson.D{}); err != nil || len(list) != 0 {
		t.Errorf("collections %q after Drop, %v", list, err)
	}
	upload(t, bucket, "again", []byte("x"))
	if list, err := bucket.GetFilesCollection().ListIndexNames(ctx); err != nil || len(list) != 2 {
		t.Errorf("indexes %q after Drop and an upload, %v", list, err)
	}
}

func TestGridFSMisuse(t *testing.T) {
	ctx := t.Context()
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	for what, err := range map[string]error{
		"no ID to open":       failureOf(bucket.OpenDownloadStream(ctx, nil)),
		"no ID to store":      failureOf(bucket.OpenUploadStreamWithID(ctx, nil, "x")),
		"no ID to delete":     bucket.Delete(ctx, nil),
		"no ID to rename":     bucket.Rename(ctx, nil, "x"),
		"an array as ID":      failureOf(bucket.OpenUploadStreamWithID(ctx, bson.A{1}, "x")),
		"an ID that is none":  failureOf(bucket.OpenUploadStreamWithID(ctx, make(chan int), "x")),
		"no source":           failureOf(bucket.UploadFromStream(ctx, "x", nil)),
		"nowhere to write to": failureOf(bucket.DownloadToStream(ctx, 1, nil)),
		"the same by name":    failureOf(bucket.DownloadToStreamByName(ctx, "x", nil)),
		"a chunk size of 0":   failureOf(bucket.OpenUploadStream(ctx, "x", &options.GridFSUpload{ChunkSize: new(int32(0))})),
		"a huge chunk size":   failureOf(bucket.OpenUploadStream(ctx, "x", &options.GridFSUpload{ChunkSize: new(int32(16 << 20))})),
		"metadata is a list":  failureOf(bucket.OpenUploadStream(ctx, "x", &options.GridFSUpload{Metadata: []int{1}})),
	} {
		if err == nil {
			t.Errorf("%s is no error", what)
		}
	}
}

func TestGridFSTimeoutsBoundTheStream(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d, &options.Client{Timeout: new(time.Minute)}).Database("shop").GridFSBucket()
	id := upload(t, bucket, "x", []byte("x"))
	short, none := new(time.Nanosecond), new(time.Duration(0))
	op := &options.GridFSOperation{Timeout: short}
	ctx := t.Context()
	s, err := bucket.OpenUploadStream(ctx, "y", &options.GridFSUpload{Timeout: short})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"Close": s.Close(), "Delete": bucket.Delete(ctx, id, op), "DeleteByName": bucket.DeleteByName(ctx, "x", op),
		"Rename": bucket.Rename(ctx, id, "y", op), "RenameByName": bucket.RenameByName(ctx, "x", "y", op), "Drop": bucket.Drop(ctx, op),
		"OpenDownloadStream":       failureOf(bucket.OpenDownloadStream(ctx, id, &options.GridFSDownload{Timeout: short})),
		"OpenDownloadStreamByName": failureOf(bucket.OpenDownloadStreamByName(ctx, "x", &options.GridFSName{Timeout: short})),
		"Find":                     failureOf(bucket.Find(ctx, bson.D{}, &options.GridFSFind{Timeout: short})),
	} {
		if !mongo.IsTimeout(err) {
			t.Errorf("%s: %v, want a timeout", what, err)
		}
	}
	if n, err := bucket.DownloadToStream(ctx, id, io.Discard, &options.GridFSDownload{Timeout: none}); n != 1 || err != nil {
		t.Errorf("without a bound: %d bytes, %v", n, err)
	}
}

func TestGridFSFileSystem(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	for _, name := range []string{"readme", "a", "a-b", "a/hidden", "docs/guide/start.md", "docs/index.md", "docs/index.md", "/absolute", ""} {
		upload(t, bucket, name, []byte("text of "+name))
	}
	tree := bucket.FS(t.Context())
	if err := fstest.TestFS(tree, "readme", "a", "a-b", "docs/guide/start.md", "docs/index.md"); err != nil {
		t.Error(err)
	}
	text, err := fs.ReadFile(tree, "docs/guide/start.md")
	if string(text) != "text of docs/guide/start.md" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
	var names []string
	entries, err := fs.ReadDir(tree, ".")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"a", "a-b", "docs", "readme"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("entries %q, %v, want %q", names, err, want)
	}
	for name, want := range map[string]error{"none": fs.ErrNotExist, "/absolute": fs.ErrInvalid, "doc": fs.ErrNotExist} {
		if _, err := tree.Open(name); !errors.Is(err, want) {
			t.Errorf("Open(%q): %v, want %v", name, err, want)
		}
	}
}
