package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// files are uploaded to GridFS and downloaded: whole, or with an error.
type files struct {
	*world
	mu       sync.Mutex
	uploaded map[string]certainty
	deleted  map[string]certainty
}

func newFiles(w *world) *files {
	return &files{world: w, uploaded: map[string]certainty{}, deleted: map[string]certainty{}}
}

func (f *files) prepare(context.Context, *cleanClient) error { return nil }

func (f *files) start(k *worker) actor { return &filer{files: f, k: k} }

type filer struct {
	*files
	k    *worker
	next int
	own  []string
}

func (a *filer) close(context.Context) {}

// content returns what a file with a name holds.
func content(name string) []byte {
	var seed uint64
	for _, b := range []byte(name) {
		seed = seed*131 + uint64(b)
	}
	r := rand.New(rand.NewPCG(seed, 5))
	data := make([]byte, r.IntN(30_000))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

func bucket(db *mongo.Database) *mongo.GridFSBucket {
	return db.GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4000)), WriteConcern: mongo.Majority(),
		ReadConcern: mongo.ReadMajority()})
}

func (a *filer) do(ctx context.Context, op scenario.Op) (string, error) {
	b := bucket(a.k.db())
	if op.Kind == "huge" {
		return a.describeHuge(ctx, op)
	}
	if op.Kind == "upload" || len(a.own) == 0 {
		a.next++
		name := fmt.Sprintf("file %d-%d", a.k.plan.Number, a.next)
		err := b.UploadFromStreamWithID(ctx, name, name, bytes.NewReader(content(name)))
		a.note(a.uploaded, name, err)
		if err == nil {
			a.own = append(a.own, name)
		}
		return "uploads " + name, err
	}
	at := op.Key % len(a.own)
	name := a.own[at]
	if op.Kind == "delete" {
		a.own = slices.Delete(a.own, at, at+1)
		err := b.Delete(ctx, name)
		a.note(a.deleted, name, err)
		return "deletes " + name, err
	}
	err := a.download(ctx, b, name)
	if errors.Is(err, mongo.ErrFileNotFound) {
		a.violate(scenario.GridFS, "worker %d: %s is not there", a.k.plan.Number, name)
		return "", nil
	}
	return "downloads " + name, err
}

func (f *files) download(ctx context.Context, b *mongo.GridFSBucket, name string) error {
	var got bytes.Buffer
	_, err := b.DownloadToStream(ctx, name, &got)
	if want := content(name); err == nil && !bytes.Equal(got.Bytes(), want) {
		f.violate(scenario.GridFS, "%s was downloaded as %d bytes, and has %d", name, got.Len(), len(want))
	}
	return err
}

func (f *files) note(to map[string]certainty, name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	to[name] = certaintyOf(err)
}

func (f *files) check(ctx context.Context, k *cleanClient) error {
	b := bucket(k.db)
	for name, known := range f.uploaded {
		gone, tried := f.deleted[name]
		err := f.download(ctx, b, name)
		switch {
		case known == done && !tried && err != nil:
			f.violate(scenario.GridFS, "%s was uploaded: %v", name, err)
		case gone == done && tried && !errors.Is(err, mongo.ErrFileNotFound):
			f.violate(scenario.GridFS, "%s was deleted: %v", name, err)
		}
	}
	return nil
}
