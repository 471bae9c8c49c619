package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// exampleBucket is a bucket with two revisions of the file song.txt and one of the file docs/guide.md.
func exampleBucket(ctx context.Context) (bucket *mongo.GridFSBucket, done func()) {
	users, done := exampleUsers(ctx)
	bucket = users.Database().GridFSBucket()
	for i, name := range []string{"song.txt", "song.txt", "docs/guide.md"} {
		text := strings.NewReader(fmt.Sprint("la", strings.Repeat(" la", i)))
		err := bucket.UploadFromStreamWithID(ctx, i+1, name, text, &options.GridFSUpload{Metadata: bson.Doc("take", i+1)})
		if err != nil {
			log.Fatal(err)
		}
	}
	return bucket, done
}

func ExampleDatabase_GridFSBucket() {
	ctx := context.Background()
	users, done := exampleUsers(ctx)
	defer done()
	photos := users.Database().GridFSBucket(&options.GridFSBucket{Name: new("photos"), ChunkSize: new(int32(1 << 20))})
	id, err := photos.UploadFromStream(ctx, "ada.jpg", strings.NewReader("a photo"))
	if err != nil {
		log.Fatal(err)
	}
	n, err := photos.DownloadToStream(ctx, id, os.Stdout)
	fmt.Println("", n, err)
	// Output: a photo 7 <nil>
}

func ExampleGridFSBucket_GetFilesCollection() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.GetFilesCollection().Name())
	// Output: fs.files
}

func ExampleGridFSBucket_GetChunksCollection() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.GetChunksCollection().CountDocuments(ctx, bson.D{}))
	// Output: 3 <nil>
}

func ExampleGridFSBucket_UploadFromStream() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	id, err := bucket.UploadFromStream(ctx, "letter.txt", strings.NewReader("Dear Ada"))
	if err != nil {
		log.Fatal(err)
	}
	n, err := bucket.DownloadToStream(ctx, id, os.Stdout)
	fmt.Println("", n, err)
	// Output: Dear Ada 8 <nil>
}

func ExampleGridFSBucket_UploadFromStreamWithID() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	err := bucket.UploadFromStreamWithID(ctx, "letter-7", "letter.txt", strings.NewReader("Dear Ada"),
		&options.GridFSUpload{Metadata: bson.Doc("to", "Ada")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = bucket.DownloadToStream(ctx, "letter-7", os.Stdout)
	fmt.Println("", err)
	// Output: Dear Ada <nil>
}

func ExampleGridFSBucket_OpenUploadStream() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStream(ctx, "log.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(stream, "one line")
	fmt.Fprintln(stream, "another")
	if err := stream.Close(); err != nil { // without it there is no file
		log.Fatal(err)
	}
	_, err = bucket.DownloadToStream(ctx, stream.FileID, os.Stdout)
	fmt.Println(err)
	// Output:
	// one line
	// another
	// <nil>
}

func ExampleGridFSBucket_OpenUploadStreamWithID() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStreamWithID(ctx, "log-1", "log.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(stream, "one line")
	fmt.Println(stream.Close(), stream.FileID)
	// Output: <nil> log-1
}

func ExampleGridFSBucket_DownloadToStream() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	n, err := bucket.DownloadToStream(ctx, 1, os.Stdout)
	fmt.Println("", n, err)
	// Output: la 2 <nil>
}

func ExampleGridFSBucket_DownloadToStreamByName() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	n, err := bucket.DownloadToStreamByName(ctx, "song.txt", os.Stdout, &options.GridFSName{Revision: new(int32(0))})
	fmt.Println("", n, err)
	// Output: la 2 <nil>
}

func ExampleGridFSBucket_OpenDownloadStream() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	text, err := io.ReadAll(stream)
	fmt.Printf("%s %v\n", text, err)
	// Output: la la la <nil>
}

func ExampleGridFSBucket_OpenDownloadStreamByName() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStreamByName(ctx, "docs/guide.md")
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	fmt.Println(stream.GetFile().ID, stream.GetFile().Length)
	_, err = bucket.OpenDownloadStreamByName(ctx, "docs/guide.md", &options.GridFSName{Revision: new(int32(5))})
	fmt.Println(errors.Is(err, mongo.ErrRevisionNotFound))
	// Output:
	// 3 8
	// true
}

func ExampleGridFSBucket_Find() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	cursor, err := bucket.Find(ctx, bson.Doc("metadata.take", bson.Doc("$gt", 1)), &options.GridFSFind{Sort: bson.Doc("_id", 1)})
	if err != nil {
		log.Fatal(err)
	}
	for file, err := range mongo.Each[mongo.GridFSFile](ctx, cursor) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(file.Name, file.Length)
	}
	// Output:
	// song.txt 5
	// docs/guide.md 8
}

func ExampleGridFSBucket_Delete() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.Delete(ctx, 1))
	fmt.Println(errors.Is(bucket.Delete(ctx, 1), mongo.ErrFileNotFound))
	// Output:
	// <nil>
	// true
}

func ExampleGridFSBucket_DeleteByName() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.DeleteByName(ctx, "song.txt"))
	fmt.Println(bucket.GetFilesCollection().CountDocuments(ctx, bson.D{}))
	// Output:
	// <nil>
	// 1 <nil>
}

func ExampleGridFSBucket_Rename() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.Rename(ctx, 2, "hit.txt"))
	n, err := bucket.DownloadToStreamByName(ctx, "hit.txt", os.Stdout)
	fmt.Println("", n, err)
	// Output:
	// <nil>
	// la la 5 <nil>
}

func ExampleGridFSBucket_RenameByName() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.RenameByName(ctx, "song.txt", "hit.txt"))
	fmt.Println(bucket.GetFilesCollection().CountDocuments(ctx, bson.Doc("filename", "hit.txt")))
	// Output:
	// <nil>
	// 2 <nil>
}

func ExampleGridFSBucket_Drop() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	fmt.Println(bucket.Drop(ctx))
	fmt.Println(bucket.GetChunksCollection().CountDocuments(ctx, bson.D{}))
	// Output:
	// <nil>
	// 0 <nil>
}

func ExampleGridFSBucket_FS() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	err := fs.WalkDir(bucket.FS(ctx), ".", func(path string, entry fs.DirEntry, err error) error {
		fmt.Println(path, entry.IsDir())
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	text, err := fs.ReadFile(bucket.FS(ctx), "docs/guide.md")
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// . true
	// docs true
	// docs/guide.md false
	// song.txt false
	// la la la <nil>
}
