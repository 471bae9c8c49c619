package mongo_test

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The file system describes folders and files, and says which paths do not exist.
func TestGridFSFileSystemDescribesItsFiles(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	for _, name := range []string{"b", "c/d", "a"} {
		upload(t, bucket, name, []byte(name))
	}
	tree := bucket.FS(t.Context())
	root, err := tree.Open(".")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := root.(fs.ReadDirFile).ReadDir(3) // as many as there are
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		file, isFile := info.Sys().(*mongo.GridFSFile)
		if isFile == e.IsDir() || isFile && file.Name != e.Name() || e.IsDir() && info.Sys() != nil {
			t.Errorf("%s: Sys() = %v", e.Name(), info.Sys())
		}
	}
	if !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("the entries are %q", names)
	}
	for n, want := range map[int]error{-1: nil, 0: nil, 1: io.EOF} {
		if rest, err := root.(fs.ReadDirFile).ReadDir(n); len(rest) != 0 || !errors.Is(err, want) {
			t.Errorf("%d entries behind the last one: %v, %v", n, rest, err)
		}
	}
	if n, err := root.Read(make([]byte, 1)); n != 0 || err == nil || err.Error() != "read .: is a directory" {
		t.Errorf("a folder was read: %d bytes, %v", n, err)
	}
	var failed *fs.PathError
	if _, err := tree.Open("none"); !errors.As(err, &failed) || failed.Op != "open" || failed.Path != "none" {
		t.Errorf("opening what is not there: %v", err)
	}
}

// Files of other programs may have aliases, which are deprecated. Aliases that are not a list of texts are ignored.
func TestGridFSFilesHaveTheirAliases(t *testing.T) {
	db := connect(t, mongotest.Start(t)).Database("shop")
	bucket := db.GridFSBucket()
	id := upload(t, bucket, "a", []byte("a"))
	for _, tt := range []struct {
		stored any
		want   []string
	}{{bson.A{"b", "c"}, []string{"b", "c"}}, {"b", nil}} {
		if _, err := db.Collection("fs.files").UpdateByID(t.Context(), id, bson.Doc("$set", bson.Doc("aliases", tt.stored))); err != nil {
			t.Fatal(err)
		}
		stream, err := bucket.OpenDownloadStream(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		//lint:ignore SA1019 programs still read it
		if got := stream.GetFile().Aliases; !slices.Equal(got, tt.want) {
			t.Errorf("%v is read as %q", tt.stored, got)
		}
		stream.Close()
	}
}

// A Seek to the current position reads nothing again.
func TestGridFSSeekToTheSamePlace(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	b := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(8))})
	s, err := b.OpenDownloadStream(t.Context(), upload(t, b, "hello", []byte("hello")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one := make([]byte, 1)
	asked := len(r.commands("find"))
	for _, want := range []byte("hel") {
		at, err := s.Seek(0, 1)
		if _, readErr := s.Read(one); err != nil || readErr != nil || one[0] != want {
			t.Fatalf("at %d: %q, %v, %v", at, one, err, readErr)
		}
	}
	if n := len(r.commands("find")) - asked; n != 1 {
		t.Errorf("%d finds of chunks", n)
	}
}

// Skip(0) does nothing.
func TestGridFSSkipsNothing(t *testing.T) {
	b := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	s, err := b.OpenDownloadStream(t.Context(), upload(t, b, "hello", []byte("hello")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n, err := s.Skip(0); n != 0 || err != nil {
		t.Errorf("skipped %d bytes, %v", n, err)
	}
	if rest, err := io.ReadAll(s); string(rest) != "hello" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

// A file whose description could not be deleted keeps its chunks.
func TestGridFSDeleteByNameStopsAtAFailure(t *testing.T) {
	d := mongotest.Start(t)
	b := connect(t, d).Database("shop").GridFSBucket()
	upload(t, b, "a", []byte("a"))
	fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", []string{"delete"}, "errorCode", 13))
	if err := b.DeleteByName(t.Context(), "a"); !mongo.HasErrorCode(err, 13) {
		t.Errorf("err = %v", err)
	}
	if n, err := b.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 1 || err != nil {
		t.Errorf("%d chunks, %v", n, err)
	}
}

// A folder lists all names below it, whatever their first character. No path opens a file with the name of the root.
func TestGridFSFoldersHaveEveryName(t *testing.T) {
	bucket := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket()
	for _, name := range []string{".", "a/1", "a/X", "a/~", "a0"} {
		upload(t, bucket, name, []byte(name))
	}
	tree := bucket.FS(t.Context())
	for folder, want := range map[string][]string{".": {"a", "a0"}, "a": {"1", "X", "~"}} {
		entries, err := fs.ReadDir(tree, folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", folder, names, want)
		}
	}
}
