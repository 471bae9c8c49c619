package mongo_test

import (
	"io"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestGridFSReadFillsItsBuffer reads as programs do that know how long a file is: with one call, whatever the chunks.
func TestGridFSReadFillsItsBuffer(t *testing.T) {
	b := connect(t, mongotest.Start(t)).Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(4))})
	id := upload(t, b, "hello", []byte("hello world"))
	s, err := b.OpenDownloadStream(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	buffer := make([]byte, 9)
	if n, err := s.Read(buffer); n != 9 || err != nil || string(buffer) != "hello wor" {
		t.Errorf("%q: %d, %v", buffer, n, err)
	}
	if n, err := s.Skip(1); n != 1 || err != nil {
		t.Errorf("skipped %d, %v", n, err)
	}
	if n, err := s.Read(buffer); n != 1 || err != nil || buffer[0] != 'd' {
		t.Errorf("the rest is %q: %d, %v", buffer[:n], n, err)
	}
	if n, err := s.Read(buffer); n != 0 || err != io.EOF {
		t.Errorf("behind the end: %d, %v", n, err)
	}
}
