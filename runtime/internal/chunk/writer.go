package chunk

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
)

// Writer makes chunks of a file's bytes. Its caller sets FileID and Size.
type Writer struct {
	FileID bson.RawValue
	Size   int   // of every chunk but the last one
	Before int64 // how many bytes the earlier batches hold

	pending   int    // how many bytes this batch holds
	documents []byte // its chunks, encoded
	starts    []int  // where each chunk begins in documents
	data      int    // where the bytes of the open chunk begin, 0 if no chunk is open
}

// Pending is the number of bytes in this batch.
func (w *Writer) Pending() int { return w.pending }

// Write copies bytes of p into the chunk that is being filled, and returns how many fit there.
func (w *Writer) Write(p []byte) int {
	w.open()
	n := min(len(p), w.Size-w.length())
	w.documents = append(w.documents, p[:n]...)
	w.count(n)
	return n
}

// minRead is the smallest buffer that a read from a source gets, except at the end of a chunk.
const minRead = 32 << 10

// Fill reads from r into the chunk that is being filled, once.
func (w *Writer) Fill(r io.Reader) (int, error) {
	w.open()
	have, left := len(w.documents), w.Size-w.length()
	w.documents = slices.Grow(w.documents, min(minRead, left)+1) // one more byte, for the end of the document
	room := w.documents[have:min(cap(w.documents)-1, have+left)]
	n, err := r.Read(room)
	if n < 0 || n > len(room) {
		return 0, errors.New("mongo: the source returned an invalid count from Read")
	}
	w.documents = w.documents[:have+n]
	w.count(n)
	return n, err
}

// count adds n bytes to the open chunk, and ends the chunk if it is full.
func (w *Writer) count(n int) {
	w.pending += n
	if w.length() == w.Size {
		w.end()
	}
}

// length is the number of bytes in the open chunk.
func (w *Writer) length() int { return len(w.documents) - w.data }

// open begins a chunk unless one is open. The bytes of a chunk are read straight into its document, without a copy.
func (w *Writer) open() {
	if w.data > 0 {
		return
	}
	n := (w.Before + int64(w.pending)) / int64(w.Size) // Documents checks that the number is not too large
	w.starts = append(w.starts, len(w.documents))
	dst, _ := bson.AppendDocumentStart(w.documents)
	dst = bson.AppendObjectIDElement(dst, "_id", bson.NewObjectID())
	dst = bson.AppendRawValueElement(dst, gridfs.FieldFilesID, w.FileID)
	dst = bson.AppendInt32Element(dst, "n", int32(n))
	w.documents = bson.AppendBinaryElement(dst, gridfs.FieldData, 0, nil)
	w.data = len(w.documents)
}

// end ends the open chunk, if there is one. It drops a chunk without bytes.
func (w *Writer) end() {
	if w.data == 0 {
		return
	}
	last := len(w.starts) - 1
	if n := w.length(); n > 0 {
		const subtype = 1 // between the length and the bytes
		binary.LittleEndian.PutUint32(w.documents[w.data-subtype-4:], uint32(n))
		w.documents = bson.AppendDocumentEnd(w.documents, w.starts[last])
	} else {
		w.documents, w.starts = w.documents[:w.starts[last]], w.starts[:last]
	}
	w.data = 0
}

// Documents ends the open chunk and returns the documents of all chunks of the batch.
func (w *Writer) Documents() ([]bson.Raw, error) {
	w.end()
	if last := (w.Before + int64(w.pending) - 1) / int64(w.Size); last > math.MaxInt32 {
		return nil, errors.New("mongo: the file has more chunks than a 32-bit number can count: choose a larger ChunkSize")
	}
	list := make([]bson.Raw, len(w.starts))
	for i, start := range w.starts {
		end := len(w.documents)
		if i+1 < len(w.starts) {
			end = w.starts[i+1]
		}
		list[i] = bson.Raw(w.documents[start:end:end])
	}
	return list, nil
}

// Next begins the next batch, in memory that nothing needs any more. It returns the memory of this one.
func (w *Writer) Next(memory []byte) []byte {
	used := w.documents
	w.Before += int64(w.pending)
	w.pending, w.documents, w.starts = 0, memory[:0], w.starts[:0]
	return used
}
