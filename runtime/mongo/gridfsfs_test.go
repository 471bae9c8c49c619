package mongo_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// What the file system says of a folder, a file and a path that is not there.
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
	var failed *fs.PathError
	if _, err := tree.Open("none"); !errors.As(err, &failed) || failed.Op != "open" || failed.Path != "none" {
		t.Errorf("opening what is not there: %v", err)
	}
}

// Files of other programs have aliases, which the specification has deprecated. What is no list of texts is left out.
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
		if got := stream.GetFile().Aliases; !slices.Equal(got, tt.want) {
			t.Errorf("%v is read as %q", tt.stored, got)
		}
		stream.Close()
	}
}

// A move to where the stream is reads nothing again.
func TestGridFSSeekToTheSamePlace(t *testing.T) {
	client, r := recorded(t, mongotest.Start(t))
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
