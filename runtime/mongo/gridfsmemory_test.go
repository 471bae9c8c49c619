package mongo_test

import (
	"flag"
	"io"
	"runtime"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

var gigabyte = flag.Bool("gigabyte", false, "TestGridFSConstantMemory moves a gigabyte instead of a part of it")

// bigFile is the length of the file that the test uploads and downloads in constant memory.
func bigFile() int64 {
	if *gigabyte {
		return 1 << 30
	}
	return 1 << 28
}

// fewMegabytes limits the growth of the heap for a file of any length: a few batches of chunks, the driver's and the
// server's.
const fewMegabytes = 48 << 20

// zeros gives n bytes.
type zeros struct{ n int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.n)
	z.n -= n
	return int(n), nil
}

// heap keeps the largest heap size that a check has seen.
type heap struct {
	before, most uint64
	calls        int
}

func (h *heap) look(int64) {
	if h.calls++; h.calls%100 != 1 {
		return
	}
	runtime.GC() // garbage does not count: its amount depends on what else the machine does
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if h.before == 0 {
		h.before = m.HeapAlloc
	}
	h.most = max(h.most, m.HeapAlloc)
}

// check fails when the heap grew with the file. The server is in the same process and counts too.
func (h *heap) check(t *testing.T, what string) {
	t.Helper()
	grown := h.most - h.before
	t.Logf("%s of %d MiB: the heap grew from %d MiB by %d MiB", what, bigFile()>>20, h.before>>20, grown>>20)
	if grown > fewMegabytes {
		t.Errorf("%s took %d MiB of memory", what, grown>>20)
	}
}

// TestGridFSConstantMemory uploads and downloads a file with a server that stores nothing.
func TestGridFSConstantMemory(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("moves hundreds of megabytes")
	}
	d := mongotest.Start(t)
	client := connect(t, d)
	bucket := client.Database("shop").GridFSBucket()
	id := upload(t, bucket, "small", []byte("x"))
	answerInserts(d)
	var up heap
	up.look(0)
	source := &zeros{n: bigFile()}
	if _, err := bucket.UploadFromStream(t.Context(), "big", source, &options.GridFSUpload{Progress: up.look}); err != nil {
		t.Fatal(err)
	}
	up.check(t, "the upload")

	set(t, bucket.GetFilesCollection(), bson.Doc("_id", id), "length", bigFile())
	answerFinds(d)
	var down heap
	down.look(0)
	n, err := bucket.DownloadToStream(t.Context(), id, io.Discard, &options.GridFSDownload{Progress: down.look})
	if err != nil || n != bigFile() {
		t.Fatalf("downloaded %d bytes, %v", n, err)
	}
	down.check(t, "the download")
}

// answerInserts accepts chunks and files and forgets them.
func answerInserts(d *mongotest.Deployment) {
	d.Control("insert", func(c mongotest.Command) mongotest.Answer {
		d.ForgetCommands()
		answerInserts(d)
		reply, _ := bson.Marshal(bson.Doc("ok", 1, "n", len(c.Sequences["documents"])))
		return mongotest.Answer{Reply: reply}
	})
}

// answerFinds lets the server find the file, then serves as many chunks as the file has, sixteen in a batch.
func answerFinds(d *mongotest.Deployment) {
	const batch = 16
	data := make([]byte, gridfs.DefaultChunkSize)
	next, length := int64(0), bigFile()
	serve := func(name string) bson.Raw {
		var chunks []bson.D
		for ; len(chunks) < batch && next*gridfs.DefaultChunkSize < length; next++ {
			rest := min(length-next*gridfs.DefaultChunkSize, gridfs.DefaultChunkSize)
			chunks = append(chunks, bson.Doc("_id", next, "n", next, "data", data[:rest]))
		}
		open := int64(1)
		if next*gridfs.DefaultChunkSize >= length {
			open = 0
		}
		reply, _ := bson.Marshal(bson.Doc("ok", 1, "cursor", bson.Doc("id", open, "ns", "shop.fs.chunks", name, chunks)))
		return reply
	}
	var more func(mongotest.Command) mongotest.Answer
	more = func(mongotest.Command) mongotest.Answer {
		d.ForgetCommands()
		d.Control("getMore", more)
		return mongotest.Answer{Reply: serve("nextBatch")}
	}
	d.Control("find", func(mongotest.Command) mongotest.Answer { return mongotest.Answer{} })
	d.Control("find", func(mongotest.Command) mongotest.Answer {
		d.Control("getMore", more)
		return mongotest.Answer{Reply: serve("firstBatch")}
	})
}

var _ io.WriterTo = (*mongo.GridFSDownloadStream)(nil)
