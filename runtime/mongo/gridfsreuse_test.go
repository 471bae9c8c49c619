package mongo_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/event"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// The batches of a file share memory. A stream still returns the right bytes, in any order of reading and beside
// another stream.
func TestGridFSBatchesShareMemory(t *testing.T) {
	d := mongotest.Start(t)
	bucket := connect(t, d).Database("shop").GridFSBucket()
	const size = 40 << 20 // three batches
	content := make([]byte, size)
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(content) // never fails
	id := upload(t, bucket, "big", content)
	other := upload(t, bucket, "other", content[1:])

	first, second := openFile(t, bucket, id), openFile(t, bucket, other)
	var got, gotOther []byte
	buffer := make([]byte, 3<<20)
	for len(got) < size {
		n, err := io.ReadFull(first, buffer)
		if err != nil && err != io.ErrUnexpectedEOF {
			t.Fatal(err)
		}
		got = append(got, buffer[:n]...)
		n, _ = io.ReadFull(second, buffer)
		gotOther = append(gotOther, buffer[:n]...)
	}
	if !bytes.Equal(got, content) || !bytes.Equal(gotOther, content[1:]) {
		t.Error("two streams side by side gave other bytes than were stored")
	}
	for _, at := range []int64{30 << 20, 100, 17 << 20, size - 10} {
		if _, err := first.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		n, err := io.ReadFull(first, buffer[:10])
		if err != nil || !bytes.Equal(buffer[:n], content[at:at+10]) {
			t.Errorf("at %d: %x, %v, want %x", at, buffer[:n], err, content[at:at+10])
		}
	}
}

// A monitor may keep the replies in its events, because they have memory of their own.
func TestGridFSMonitorKeepsReplies(t *testing.T) {
	d := mongotest.Start(t)
	var shown, copies []bson.Raw
	client := connect(t, d, &options.Client{CommandMonitor: &event.CommandMonitor{
		Succeeded: func(_ context.Context, e *event.CommandSucceeded) {
			if e.CommandName == "find" || e.CommandName == "getMore" {
				shown, copies = append(shown, e.Reply), append(copies, bytes.Clone(e.Reply))
			}
		},
	}})
	bucket := client.Database("shop").GridFSBucket()
	id := upload(t, bucket, "big", bytes.Repeat([]byte("abc"), 12<<20))
	if _, err := bucket.DownloadToStream(t.Context(), id, io.Discard); err != nil {
		t.Fatal(err)
	}
	if len(shown) < 3 {
		t.Fatalf("%d replies, want several batches", len(shown))
	}
	for i, reply := range shown {
		if !bytes.Equal(reply, copies[i]) {
			t.Errorf("reply %d changed after the monitor had seen it", i)
		}
	}
}

func openFile(t *testing.T, bucket *mongo.GridFSBucket, id any) *mongo.GridFSDownloadStream {
	t.Helper()
	stream, err := bucket.OpenDownloadStream(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Close() })
	return stream
}
