package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// aheadBatch is what an upload inserts at once with chunks of 4 MB.
const aheadBatch = 8 << 20

// beginHeldUpload begins an upload whose first insert waits until the returned function is called.
func beginHeldUpload(t *testing.T, ctx context.Context) (*mongo.GridFSBucket, *mongo.GridFSUploadStream, func()) {
	d := mongotest.Start(t)
	client := connect(t, d)
	asked, held := make(chan bool), make(chan bool)
	d.Control("insert", func(mongotest.Command) mongotest.Answer {
		close(asked)
		<-held
		return mongotest.Answer{}
	})
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
	s, err := bucket.OpenUploadStream(ctx, "log")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(pattern(aheadBatch + 1)); err != nil { // returns before the insert is answered
		t.Fatal(err)
	}
	<-asked
	return bucket, s, func() { close(held) }
}

// The program fills the next batch while the chunks of one are on their way, and the file is complete in the end.
func TestGridFSUploadsGoOnDuringAnInsert(t *testing.T) {
	bucket, s, letGo := beginHeldUpload(t, t.Context())
	if _, err := s.Write(pattern(10)); err != nil {
		t.Fatal(err)
	}
	letGo()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	want := append(pattern(aheadBatch+1), pattern(10)...)
	if _, err := bucket.DownloadToStream(t.Context(), s.FileID, &got); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes, %v", got.Len(), err)
	}
}

// Close reports a failed insert and stores no file, whether the last full batch failed or the one that Close sends.
func TestCloseReportsTheInsertUnderWay(t *testing.T) {
	for _, size := range []int{aheadBatch, 10} {
		d := mongotest.Start(t)
		bucket := connect(t, d).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
		s, err := bucket.OpenUploadStream(t.Context(), "log")
		if err != nil {
			t.Fatal(err)
		}
		fail(t, d, bson.Doc("times", 1),
			bson.Doc("failCommands", []string{"insert"}, "namespace", "shop.fs.chunks", "errorCode", 13))
		if _, err := s.Write(pattern(size)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); !mongo.HasErrorCode(err, 13) {
			t.Errorf("%d bytes: Close() = %v", size, err)
		}
		if n, err := bucket.GetFilesCollection().CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
			t.Errorf("%d bytes: %d files, %v", size, n, err)
		}
	}
}

// The context of the stream bounds the current insert and the methods that wait for it.
func TestACancelledUploadWaitsForNoAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, s, letGo := beginHeldUpload(t, ctx)
	defer letGo()
	cancel()
	if err := s.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close() = %v", err)
	}
}

// failingSource ends with an error after one batch.
type failingSource struct{ left int }

var errSource = errors.New("the disk is gone")

func (f *failingSource) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errSource
	}
	n := min(len(p), f.left)
	f.left -= n
	return n, nil
}

// A failed upload waits for the current insert before it deletes chunks, so that none stays behind.
func TestAFailedSourceLeavesNoChunks(t *testing.T) {
	for name, upload := range map[string]func(t *testing.T, bucket *mongo.GridFSBucket) error{
		"its source fails": func(t *testing.T, bucket *mongo.GridFSBucket) error {
			_, err := bucket.UploadFromStream(t.Context(), "log", &failingSource{aheadBatch + 1})
			return err
		},
		"it is aborted": func(t *testing.T, bucket *mongo.GridFSBucket) error {
			s, err := bucket.OpenUploadStream(t.Context(), "log")
			if err != nil {
				return err
			}
			if _, err := s.Write(pattern(aheadBatch + 1)); err != nil {
				return err
			}
			return errors.Join(s.Abort(), errSource)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := mongotest.Start(t, mongotest.InMemory())
				client := connect(t, d, &options.Client{Dialer: d.Dialer()})
				held := make(chan bool)
				d.Control("insert", func(mongotest.Command) mongotest.Answer {
					<-held
					return mongotest.Answer{}
				})
				bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
				failed := make(chan error)
				go func() { failed <- upload(t, bucket) }()
				synctest.Wait()
				if slices.ContainsFunc(d.Commands(), func(c mongotest.Command) bool { return c.Name == "delete" }) {
					t.Error("chunks are deleted while others are on their way")
				}
				close(held)
				if err := <-failed; !errors.Is(err, errSource) {
					t.Errorf("the upload returned %v", err)
				}
				if n, err := bucket.GetChunksCollection().CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
					t.Errorf("%d chunks are left, %v", n, err)
				}
			})
		})
	}
}

// In a session inserts do not overlap: when Write returns, its insert has ended.
func TestUploadsInASessionWait(t *testing.T) {
	d := mongotest.Start(t)
	client := connect(t, d)
	bucket := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4 << 20))})
	err := client.UseSession(t.Context(), func(ctx context.Context, _ *mongo.Session) error {
		s, err := bucket.OpenUploadStream(ctx, "log")
		if err != nil {
			return err
		}
		fail(t, d, bson.Doc("times", 1), bson.Doc("failCommands", []string{"insert"}, "errorCode", 13))
		if _, err := io.Copy(s, bytes.NewReader(pattern(aheadBatch))); !mongo.HasErrorCode(err, 13) {
			t.Errorf("writing returned %v", err)
		}
		return s.Abort()
	})
	if err != nil {
		t.Error(err)
	}
}
