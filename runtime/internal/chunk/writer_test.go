package chunk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"testing/iotest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// fileID is the ID of a file that the tests store.
var fileID = bson.RawValue{Type: bsontype.Int32, Value: []byte{7, 0, 0, 0}}

// check compares the chunks of a batch with the bytes that the file has from chunk first on.
func check(t *testing.T, name string, list []bson.Raw, first int32, size int, want []byte) {
	t.Helper()
	ids := map[bson.ObjectID]bool{}
	for i, doc := range list {
		length := min(size, len(want))
		id, _ := doc.Lookup("_id").ObjectIDOK()
		ids[id] = true
		_, data, _ := doc.Lookup("data").BinaryOK()
		expected := bson.Doc("_id", id, "files_id", int32(7), "n", first+int32(i), "data", bson.Binary{Data: want[:length]})
		if encoded, err := bson.Marshal(expected); err != nil || !bytes.Equal(doc, encoded) || cap(doc) != len(doc) {
			t.Errorf("%s: chunk %d is %v with room for %d, holds %q, want %v, %v", name, i, doc, cap(doc), data, expected, err)
		}
		want = want[length:]
	}
	if len(want) > 0 || len(ids) != len(list) {
		t.Errorf("%s: %d bytes are in no chunk, %d chunks have %d IDs", name, len(want), len(list), len(ids))
	}
}

// write adds all bytes of p.
func write(w *Writer, p []byte) {
	for len(p) > 0 {
		p = p[w.Write(p):]
	}
}

func TestChunks(t *testing.T) {
	file := []byte("hello, world")
	for _, size := range []int{1, 3, 4, 5, 11, 12, 13} {
		for batch := 1; batch <= len(file); batch++ {
			name := fmt.Sprintf("chunks of %d, batches of %d", size, batch)
			w := Writer{FileID: fileID, Size: size}
			var memory []byte
			piece := 1 + (size+batch)%4 // how many bytes arrive at once
			for from := 0; from < len(file); {
				n := min((batch+size-1)/size*size, len(file)-from) // whole chunks, except at the end
				for at := from; at < from+n; at += piece {
					write(&w, file[at:min(at+piece, from+n)])
				}
				if w.Pending() != n {
					t.Errorf("%s: %d bytes are pending, want %d", name, w.Pending(), n)
				}
				list, err := w.Documents()
				if err != nil {
					t.Fatal(err)
				}
				check(t, name, list, int32(from/size), size, file[from:from+n])
				memory = w.Next(memory)
				from += n
				if w.Before != int64(from) || w.Pending() != 0 {
					t.Errorf("%s: %d bytes before, %d pending, want %d and 0", name, w.Before, w.Pending(), from)
				}
			}
		}
	}
}

// However a source hands out its bytes, they end up in the same chunks.
func TestFill(t *testing.T) {
	file := bytes.Repeat([]byte("0123456789"), 10_000)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"at once":               func(r io.Reader) io.Reader { return r },
		"half of what is asked": iotest.HalfReader,
		"the end with the rest": iotest.DataErrReader,
	} {
		w := Writer{FileID: fileID, Size: 40_001}
		r := wrap(bytes.NewReader(file))
		read := 0
		var err error
		for err == nil {
			var n int
			n, err = w.Fill(r)
			read += n
		}
		if err != io.EOF || read != len(file) || w.Pending() != len(file) {
			t.Errorf("%s: %d bytes, %d pending, %v", name, read, w.Pending(), err)
		}
		list, err := w.Documents()
		if err != nil || len(list) != 3 {
			t.Fatalf("%s: %d chunks, %v", name, len(list), err)
		}
		check(t, name, list, 0, w.Size, file)
	}
}

// A source gets a buffer of a useful size, but no byte beyond the chunk.
func TestFillOffersRoom(t *testing.T) {
	for _, size := range []int{1, minRead - 1, minRead, minRead + 1, 3 * minRead} {
		w := Writer{FileID: fileID, Size: size}
		for w.Pending() < size {
			left := size - w.Pending()
			_, err := w.Fill(readerFunc(func(p []byte) (int, error) {
				if len(p) < min(left, minRead) || len(p) > left {
					t.Errorf("a buffer of %d bytes, of %d left in the chunk", len(p), left)
				}
				return min(len(p), minRead), nil
			}))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A source that counts wrong adds nothing. Its own error is returned as it is, with the bytes before it.
func TestFillOfABrokenSource(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		read    readerFunc
		n       int
		wantErr string
	}{
		"fewer than none":  {func([]byte) (int, error) { return -1, nil }, 0, "mongo: the source returned an invalid count from Read"},
		"more than asked":  {func(p []byte) (int, error) { return len(p) + 1, nil }, 0, "mongo: the source returned an invalid count from Read"},
		"bytes and broken": {func(p []byte) (int, error) { return copy(p, "ab"), broken }, 2, "broken"},
	} {
		w := Writer{FileID: fileID, Size: 10}
		if n, err := w.Fill(tt.read); n != tt.n || err == nil || err.Error() != tt.wantErr || w.Pending() != tt.n {
			t.Errorf("%s: %d, %v, %d pending", name, n, err, w.Pending())
		}
	}
}

// A chunk that was begun and got no byte is not stored.
func TestNoEmptyChunk(t *testing.T) {
	w := Writer{FileID: fileID, Size: 4}
	if list, err := w.Documents(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	write(&w, []byte("0123"))
	if _, err := w.Fill(bytes.NewReader(nil)); err != io.EOF {
		t.Error(err)
	}
	list, err := w.Documents()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	check(t, "one chunk", list, 0, 4, []byte("0123"))
}

// The memory of a batch serves the one after the next.
func TestMemoryIsUsedAgain(t *testing.T) {
	w := Writer{FileID: fileID, Size: 4}
	write(&w, []byte("0123"))
	first := w.Next(nil)
	write(&w, []byte("4567"))
	w.Next(first)
	write(&w, []byte("89ab"))
	list, err := w.Documents()
	if err != nil || len(list) != 1 || &list[0][0] != &first[0] {
		t.Errorf("%v, %v", list, err)
	}
}

// Chunks are numbered with 32 bits.
func TestTooManyChunks(t *testing.T) {
	w := Writer{FileID: fileID, Size: 4, Before: 4 * math.MaxInt32}
	write(&w, []byte("0123"))
	list, err := w.Documents()
	if err != nil || len(list) != 1 {
		t.Fatal(err)
	}
	check(t, "the last chunk", list, math.MaxInt32, 4, []byte("0123"))
	write(&w, []byte("4"))
	const want = "mongo: the file has more chunks than a 32-bit number can count: choose a larger ChunkSize"
	if _, err := w.Documents(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
