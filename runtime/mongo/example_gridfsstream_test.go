package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/specdrivers/onion/runtime/mongo"
)

func ExampleGridFSUploadStream_Write() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStream(ctx, "sum.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Write([]byte("1 + 1")))
	fmt.Println(stream.Close())
	_, err = stream.Write([]byte(" = 2"))
	fmt.Println(errors.Is(err, mongo.ErrStreamClosed))
	// Output:
	// 5 <nil>
	// <nil>
	// true
}

func ExampleGridFSUploadStream_ReadFrom() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStream(ctx, "sum.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(io.Copy(stream, strings.NewReader("1 + 1 = 2"))) // calls ReadFrom
	fmt.Println(stream.Close())
	// Output:
	// 9 <nil>
	// <nil>
}

func ExampleGridFSUploadStream_Close() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStream(ctx, "empty.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Close())
	fmt.Println(bucket.DownloadToStream(ctx, stream.FileID, os.Stdout))
	// Output:
	// <nil>
	// 0 <nil>
}

func ExampleGridFSUploadStream_Abort() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenUploadStream(ctx, "draft.txt")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(stream, "never mind")
	fmt.Println(stream.Abort())
	_, err = bucket.OpenDownloadStream(ctx, stream.FileID)
	fmt.Println(errors.Is(err, mongo.ErrFileNotFound))
	// Output:
	// <nil>
	// true
}

func ExampleGridFSDownloadStream_GetFile() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	file := stream.GetFile()
	fmt.Println(file.Name, file.Length, file.Metadata)
	// Output: docs/guide.md 8 {"take":3}
}

func ExampleGridFSDownloadStream_Read() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	buffer := make([]byte, 5)
	n, err := stream.Read(buffer)
	fmt.Printf("%s %v\n", buffer[:n], err)
	// Output: la la <nil>
}

func ExampleGridFSDownloadStream_Seek() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	if _, err := stream.Seek(-2, io.SeekEnd); err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(stream)
	fmt.Printf("%s %v\n", text, err)
	// Output: la <nil>
}

func ExampleGridFSDownloadStream_Skip() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	fmt.Println(stream.Skip(6))
	text, err := io.ReadAll(stream)
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// 6 <nil>
	// la <nil>
}

func ExampleGridFSDownloadStream_WriteTo() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	n, err := io.Copy(os.Stdout, stream) // calls WriteTo
	fmt.Println("", n, err)
	// Output: la la la 8 <nil>
}

func ExampleGridFSDownloadStream_Close() {
	ctx := context.Background()
	bucket, done := exampleBucket(ctx)
	defer done()
	stream, err := bucket.OpenDownloadStream(ctx, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Close())
	_, err = stream.Read(make([]byte, 1))
	fmt.Println(errors.Is(err, mongo.ErrStreamClosed))
	// Output:
	// <nil>
	// true
}
