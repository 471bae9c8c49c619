//lint:file-ignore SA1019 files of other programs have these fields, and applications may still set them

package mongo

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
)

// minRead is the smallest buffer that a read from a source gets, except at the end of a chunk.
const minRead = 32 << 10

// write copies bytes of p into the chunk that is being filled, and returns how many fit there.
func (s *GridFSUploadStream) write(p []byte) int {
	s.openChunk()
	n := min(len(p), s.chunkSize-s.chunkLength())
	s.documents = append(s.documents, p[:n]...)
	s.countBytes(n)
	return n
}

// fill reads from r into the chunk that is being filled.
func (s *GridFSUploadStream) fill(r io.Reader) (int, error) {
	s.openChunk()
	have, left := len(s.documents), s.chunkSize-s.chunkLength()
	s.documents = slices.Grow(s.documents, min(minRead, left)+1) // one more byte, for the end of the document
	room := s.documents[have:min(cap(s.documents)-1, have+left)]
	n, err := r.Read(room)
	if n < 0 || n > len(room) {
		return 0, errors.New("mongo: the source returned an invalid count from Read")
	}
	s.documents = s.documents[:have+n]
	s.countBytes(n)
	return n, err
}

// countBytes adds n bytes to the open chunk, and ends the chunk if it is full.
func (s *GridFSUploadStream) countBytes(n int) {
	s.pending += n
	if s.chunkLength() == s.chunkSize {
		s.endChunk()
	}
}

// chunkLength is the number of bytes in the open chunk.
func (s *GridFSUploadStream) chunkLength() int { return len(s.documents) - s.data }

// openChunk begins a chunk unless one is open. The bytes of a chunk are read straight into its document, without a
// copy.
func (s *GridFSUploadStream) openChunk() {
	if s.data > 0 {
		return
	}
	n := (s.sent + int64(s.pending)) / int64(s.chunkSize) // store checks that the number is not too large
	s.starts = append(s.starts, len(s.documents))
	dst, _ := bson.AppendDocumentStart(s.documents)
	dst = bson.AppendObjectIDElement(dst, "_id", bson.NewObjectID())
	dst = bson.AppendRawValueElement(dst, gridfs.FieldFilesID, s.id)
	dst = bson.AppendInt32Element(dst, "n", int32(n))
	s.documents = bson.AppendBinaryElement(dst, gridfs.FieldData, 0, nil)
	s.data = len(s.documents)
}

// endChunk ends the open chunk, if there is one. It drops a chunk without bytes.
func (s *GridFSUploadStream) endChunk() {
	if s.data == 0 {
		return
	}
	last := len(s.starts) - 1
	if n := s.chunkLength(); n > 0 {
		const subtype = 1 // between the length and the bytes
		binary.LittleEndian.PutUint32(s.documents[s.data-subtype-4:], uint32(n))
		s.documents = bson.AppendDocumentEnd(s.documents, s.starts[last])
	} else {
		s.documents, s.starts = s.documents[:s.starts[last]], s.starts[:last]
	}
	s.data = 0
}

// store begins to insert the pending chunks and returns while they are on their way, so that the program fills the next
// batch meanwhile. The next call of store or finishInsert returns the error of the insert. Only the last chunk of a
// file may be short, so only Close stores less than a batch. An error ends the upload; it does not delete what is
// stored: GridFS, "Operation Failure".
func (s *GridFSUploadStream) store() error {
	if s.finishInsert() != nil {
		return s.err
	}
	if s.err = s.bucket.ensureIndexes(&s.life); s.err != nil || s.pending == 0 {
		return s.err
	}
	chunks, err := s.pendingChunks()
	if s.err = err; err != nil {
		return err
	}
	f, collection := s.startInsert(), s.life.limit(s.bucket.chunks)
	insert := func() {
		defer close(f.done)
		_, f.err = collection.InsertMany(s.life.ctx, chunks)
	}
	if SessionFromContext(s.life.ctx) != nil { // a session allows one operation at a time
		insert()
		return s.finishInsert()
	}
	go insert() // ends at the latest when the context of the stream does
	return nil
}

// gridFSInsert is a batch of chunks on its way to the server. done is closed when err is set.
type gridFSInsert struct {
	done      chan struct{}
	err       error
	size      int
	documents []byte
}

// startInsert makes the pending batch the current insert, and begins the next batch.
func (s *GridFSUploadStream) startInsert() *gridFSInsert {
	s.insert = &gridFSInsert{done: make(chan struct{}), err: errInsertEnded, size: s.pending, documents: s.documents}
	s.sent += int64(s.pending)
	s.pending, s.documents, s.starts = 0, s.spare[:0], s.starts[:0]
	return s.insert
}

// errInsertEnded is the error if the goroutine of an insert ends early: a monitor of the program called runtime.Goexit.
var errInsertEnded = errors.New("mongo: the insert of chunks was ended before it was done")

// finishInsert waits for the current insert, if there is one, and takes over its result.
func (s *GridFSUploadStream) finishInsert() error {
	f := s.insert
	if f == nil {
		return s.err
	}
	<-f.done
	s.insert, s.spare = nil, f.documents
	if s.err = f.err; s.err != nil {
		return s.err
	}
	s.stored += int64(f.size)
	if s.options.Progress != nil {
		s.options.Progress(s.stored)
	}
	return nil
}

// pendingChunks ends the open chunk and returns the documents of all pending chunks.
func (s *GridFSUploadStream) pendingChunks() ([]bson.Raw, error) {
	s.endChunk()
	if last := (s.sent + int64(s.pending) - 1) / int64(s.chunkSize); last > math.MaxInt32 {
		return nil, errors.New("mongo: the file has more chunks than a 32-bit number counts: choose a larger ChunkSize")
	}
	list := make([]bson.Raw, len(s.starts))
	for i, start := range s.starts {
		end := len(s.documents)
		if i+1 < len(s.starts) {
			end = s.starts[i+1]
		}
		list[i] = bson.Raw(s.documents[start:end:end])
	}
	return list, nil
}

// awaitInsert waits for the current insert and drops its result. An abort must not delete chunks before they have
// arrived.
func (s *GridFSUploadStream) awaitInsert() {
	if s.insert != nil {
		<-s.insert.done
		s.insert = nil
	}
}

// describeFile returns the document that describes the file in the files collection.
func (s *GridFSUploadStream) describeFile(now time.Time) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, "_id", s.id)
	dst = bson.AppendInt64Element(dst, gridfs.FieldLength, s.stored)
	dst = bson.AppendInt32Element(dst, gridfs.FieldChunkSize, int32(s.chunkSize))
	dst = bson.AppendDateTimeElement(dst, gridfs.FieldUploadDate, now.UnixMilli())
	dst = bson.AppendStringElement(dst, gridfs.FieldFilename, s.filename)
	if s.options.ContentType != nil {
		dst = bson.AppendStringElement(dst, gridfs.FieldContentType, *s.options.ContentType)
	}
	if s.options.Aliases != nil {
		var err error
		if dst, err = bson.AppendValueElement(dst, gridfs.FieldAliases, s.options.Aliases); err != nil {
			return nil, err
		}
	}
	if s.metadata != nil {
		dst = bson.AppendDocumentElement(dst, gridfs.FieldMetadata, s.metadata)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// GridFSUploadStream stores a file. The file exists once Close has returned without an error. It is used by one
// goroutine at a time.
//
// A failed insert ends the upload: the chunks that are stored stay behind, and Abort deletes them.
type GridFSUploadStream struct {
	// FileID is the ID of the file.
	FileID any

	bucket   *GridFSBucket
	life     gridFSLife
	filename string
	options  options.GridFSUpload
	metadata bson.Raw
	id       bson.RawValue

	chunkSize int
	batch     int    // how many bytes are stored at once, in whole chunks
	pending   int    // how many bytes are not stored yet, a batch at most
	documents []byte // the chunks with those bytes, encoded
	starts    []int  // where each chunk begins in documents
	data      int    // where the bytes of the open chunk begin, 0 if no chunk is open

	insert *gridFSInsert // the batch that is being inserted; nil without one, as after an error
	spare  []byte        // the memory of the batch before it, for the next one
	sent   int64         // how many bytes are in flight or stored
	stored int64

	err    error // ended the upload
	closed bool
}
