package mongo_test

import (
	"io"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestGridFSReadFillsItsBuffer reads several chunks with one call, as programs do that know how long a file is.
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

// A Seek within a chunk sends no command.
func TestGridFSSeekWithinAChunk(t *testing.T) {
	client, r := connectRecorded(t, mongotest.Start(t))
	b := client.Database("shop").GridFSBucket(&options.GridFSBucket{ChunkSize: new(int32(8))})
	s, err := b.OpenDownloadStream(t.Context(), upload(t, b, "hello", []byte("hello world")))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	asked := len(r.commands("find"))
	for at, want := range []byte("h-l-o-w-r-d") {
		if at%2 == 1 {
			if _, err := s.Skip(1); err != nil {
				t.Fatal(err)
			}
			continue
		}
		one := make([]byte, 1)
		if _, err := s.Read(one); err != nil || one[0] != want {
			t.Fatalf("at %d: %q, %v", at, one, err)
		}
	}
	if n := len(r.commands("find")) - asked; n != 1 {
		t.Errorf("%d finds of chunks", n)
	}
}
