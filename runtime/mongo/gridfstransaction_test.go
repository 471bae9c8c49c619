package mongo_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// Until the commit, only the transaction sees a file that was uploaded in it. The bucket's first upload creates the
// indexes outside of the transaction, because no server runs those commands in one.
//
// Transactions, "Transactions in GridFS".
func TestGridFSInATransaction(t *testing.T) {
	onStreamingShapes(t, func(t *testing.T, _ *mongotest.Deployment, client *mongo.Client, r *recorder) {
		bucket := client.Database("shop").GridFSBucket()
		content := bytes.Repeat([]byte("onion"), 200_000) // several chunks
		err := client.UseSession(t.Context(), func(ctx context.Context, s *mongo.Session) error {
			if err := s.StartTransaction(); err != nil {
				return err
			}
			id, err := bucket.UploadFromStream(ctx, "layers", bytes.NewReader(content))
			if err != nil {
				return err
			}
			var got bytes.Buffer
			if _, err := bucket.DownloadToStreamByName(ctx, "layers", &got); err != nil || !bytes.Equal(got.Bytes(), content) {
				t.Errorf("inside: %d bytes, %v", got.Len(), err)
			}
			outside := mongo.NewSessionContext(ctx, nil)
			if _, err := bucket.DownloadToStreamByName(outside, "layers", &got); !errors.Is(err, mongo.ErrFileNotFound) {
				t.Errorf("outside: %v", err)
			}
			if err := bucket.Delete(ctx, id); err != nil {
				return err
			}
			if _, err := bucket.UploadFromStream(ctx, "layers", bytes.NewReader(content)); err != nil {
				return err
			}
			return s.AbortTransaction(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bucket.DownloadToStreamByName(t.Context(), "layers", &bytes.Buffer{}); !errors.Is(err, mongo.ErrFileNotFound) {
			t.Errorf("after the abort: %v", err)
		}
		for name, want := range map[string]int{"insert": 2, "delete": 1, "find": 1} { // for each of the collections, at least
			inside := map[string]int{}
			for _, e := range r.commands(name) {
				collection, _ := e.Command.Lookup(name).StringOK()
				if committed, ok := e.Command.Lookup("autocommit").BooleanOK(); ok && !committed {
					inside[collection]++
				} else if name != "find" || collection != "fs.files" {
					t.Errorf("outside of the transaction: %v", e.Command)
				}
			}
			if inside["fs.files"] < want || inside["fs.chunks"] < want {
				t.Errorf("%s in the transaction: %v", name, inside)
			}
		}
		for _, e := range append(r.commands("listIndexes"), r.commands("createIndexes")...) {
			if !e.Command.Lookup("autocommit").IsZero() {
				t.Errorf("in the transaction: %v", e.Command)
			}
		}
		if len(r.commands("createIndexes")) != 2 {
			t.Errorf("%d indexes were created", len(r.commands("createIndexes")))
		}
	})
}
