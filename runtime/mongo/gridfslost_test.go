package mongo_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// TestGridFSLostConnectionIsNotTheEnd breaks the connection in the middle. The error wraps io.EOF, but it is not the
// end of the file.
func TestGridFSLostConnectionIsNotTheEnd(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		bucket := s.connectForTest().Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(97))})
		download, err := bucket.OpenDownloadStream(t.Context(), upload(t, bucket, "log", pattern(1000)))
		if err != nil {
			t.Fatal(err)
		}
		defer download.Close()
		s.fail("alwaysOn", bson.Doc("failCommands", bson.A{"find"}, "closeConnection", true))
		if n, err := download.WriteTo(io.Discard); !mongo.IsNetworkError(err) {
			t.Errorf("downloaded %d bytes of 1000, %v", n, err)
		}
		broken := iotest.ErrReader(fmt.Errorf("the source is gone: %w", io.EOF))
		if _, err := bucket.UploadFromStream(t.Context(), "half", io.MultiReader(bytes.NewReader(pattern(500)), broken)); err == nil {
			t.Error("half a file was stored as a whole one")
		}
	})
}
