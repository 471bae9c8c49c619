package mongo

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// GetFile returns the description of the file.
func (s *GridFSDownloadStream) GetFile() *GridFSFile {
	if s == nil {
		return nil
	}
	return &s.file
}

// Read fills p from the current position, across chunks: it returns less only at the end of the file. It fails when a
// chunk is missing or has the wrong size, and at the end of the file when there are more chunks than expected.
func (s *GridFSDownloadStream) Read(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	read := 0
	for read < len(p) {
		if err := s.fetch(); err == io.EOF && read > 0 {
			break
		} else if err != nil {
			return read, err
		}
		n := copy(p[read:], s.rest)
		s.advance(n)
		read += n
	}
	return read, nil
}

// WriteTo writes the file, from the current position to its end, chunk by chunk.
func (s *GridFSDownloadStream) WriteTo(w io.Writer) (int64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	var written int64
	for {
		if err := s.fetch(); err == io.EOF { // not errors.Is: the error of a lost connection may wrap io.EOF
			return written, nil
		} else if err != nil {
			return written, err
		}
		n, err := w.Write(s.rest)
		if n < 0 || n > len(s.rest) {
			return written, errors.New("mongo: the destination returned an invalid count from Write")
		}
		if err == nil && n < len(s.rest) {
			err = io.ErrShortWrite
		}
		written += int64(n)
		s.advance(n)
		if err != nil {
			return written, err
		}
	}
}

// Seek sets the position of the next Read. A position past the end is allowed: Read returns io.EOF there.
func (s *GridFSDownloadStream) Seek(offset int64, whence int) (int64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += s.position
	case io.SeekEnd:
		offset += s.file.Length
	default:
		return 0, fmt.Errorf("mongo: whence is %d: pass io.SeekStart, io.SeekCurrent or io.SeekEnd", whence)
	}
	if offset < 0 {
		return 0, errors.New("mongo: the position is before the beginning of the file")
	}
	if ahead := offset - s.position; ahead >= 0 && ahead <= int64(len(s.rest)) {
		s.rest = s.rest[ahead:]
	} else {
		s.rest = nil
	}
	s.position = offset
	return offset, nil
}

// Skip moves forward by n bytes, to the end of the file at most, and returns how far it went.
func (s *GridFSDownloadStream) Skip(n int64) (int64, error) {
	if err := s.checkNotNil(); err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, errors.New("mongo: cannot skip backwards: use Seek")
	}
	n = min(n, max(0, s.file.Length-s.position))
	_, err := s.Seek(n, io.SeekCurrent)
	return n, err
}

// Close closes the stream and its cursor over the chunks.
func (s *GridFSDownloadStream) Close() error {
	if err := s.checkNotNil(); err != nil {
		return err
	}
	if s.closed {
		return ErrStreamClosed
	}
	s.closed = true
	s.dropCursor()
	s.life.end()
	if s.memory != nil {
		s.rest = nil
		poison.Bytes(*s.memory)
		gridFSMemory.Put(s.memory)
		s.memory = nil
	}
	return nil
}

// gridFSMemory holds buffers for batches of chunks, of up to 16 MB each. Streams use them one after another.
var gridFSMemory = sync.Pool{New: func() any { return new([]byte) }}

func (s *GridFSDownloadStream) check() error {
	if err := s.checkNotNil(); err != nil {
		return err
	}
	if s.closed {
		return ErrStreamClosed
	}
	return s.err
}

func (s *GridFSDownloadStream) advance(n int) {
	s.rest, s.position = s.rest[n:], s.position+int64(n)
	if s.progress != nil && len(s.rest) == 0 {
		s.progress(s.position)
	}
}

// fetch makes sure that rest holds the bytes at the position. It returns io.EOF at the end of the file. Another error
// ends the stream.
func (s *GridFSDownloadStream) fetch() error {
	if len(s.rest) > 0 {
		return nil
	}
	if s.position >= s.file.Length {
		if s.err = s.checkEnd(); s.err != nil {
			return s.err
		}
		return io.EOF
	}
	if s.err = s.readChunk(); s.err != nil {
		s.dropCursor()
	}
	return s.err
}

// readChunk reads the chunk at the position. GridFS, "File Download": each chunk must be the next expected one, and of
// the expected length.
func (s *GridFSDownloadStream) readChunk() error {
	size := int64(s.file.ChunkSize)
	n := s.position / size
	if s.cursor == nil || s.next != n {
		if err := s.findChunks(n); err != nil {
			return err
		}
	}
	if !s.cursor.Next(s.life.ctx) {
		if err := s.cursor.Err(); err != nil {
			return err
		}
		return fmt.Errorf("%w: chunk %d of file %v", ErrMissingChunk, n, s.file.ID)
	}
	chunk := s.cursor.Current()
	switch got, ok := chunk.Lookup("n").AsInt64OK(); {
	case !ok || got > n:
		return fmt.Errorf("%w: chunk %d of file %v", ErrMissingChunk, n, s.file.ID)
	case got < n:
		return fmt.Errorf("%w: a second chunk %d of file %v", ErrExtraChunk, got, s.file.ID)
	}
	_, data, ok := chunk.Lookup(gridfs.FieldData).BinaryOK()
	if want := min(size, s.file.Length-n*size); !ok || int64(len(data)) != want {
		return fmt.Errorf("%w: chunk %d of file %v has %d bytes, not %d", ErrWrongSize, n, s.file.ID, len(data), want)
	}
	s.next = n + 1
	s.rest = data[s.position-n*size:]
	return nil
}

// findChunks opens a cursor over the chunks from n on.
func (s *GridFSDownloadStream) findChunks(n int64) error {
	s.dropCursor()
	filter := bson.Doc(gridfs.FieldFilesID, idCondition(s.file.ID))
	if n > 0 {
		filter = append(filter, bson.E{Key: "n", Value: bson.Doc("$gte", n)})
	}
	chunks := s.life.limit(s.bucket.chunks)
	if s.memory == nil {
		s.memory = gridFSMemory.Get().(*[]byte)
	}
	chunks.memory = s.memory
	cursor, err := chunks.Find(s.life.ctx, filter, &options.Find{Sort: bson.Doc("n", int32(1))})
	s.cursor, s.next = cursor, n
	return err
}

// checkEnd looks for a surplus chunk at the end of the file. It asks the server only if the cursor is still open;
// closing the cursor instead would take a round trip, too. It ignores an empty chunk, because some drivers have written
// one.
func (s *GridFSDownloadStream) checkEnd() error {
	if s.cursor == nil || s.next*int64(s.file.ChunkSize) < s.file.Length {
		return nil
	}
	cursor := s.cursor
	s.cursor = nil
	defer cursor.Close(s.life.ctx)
	for cursor.Next(s.life.ctx) {
		if _, data, _ := cursor.Current().Lookup(gridfs.FieldData).BinaryOK(); len(data) > 0 {
			return fmt.Errorf("%w: file %v", ErrExtraChunk, s.file.ID)
		}
	}
	return cursor.Err()
}

func (s *GridFSDownloadStream) dropCursor() {
	if s.cursor != nil {
		_ = s.cursor.Close(s.life.ctx) // an error does not matter: the server drops idle cursors
		s.cursor = nil
	}
}

// GridFSDownloadStream reads a stored file. It fetches chunks when they are read, a batch at a time, so Seek alone
// costs nothing. It is used by one goroutine at a time, and must be closed.
type GridFSDownloadStream struct {
	bucket   *GridFSBucket
	life     gridFSLife
	file     GridFSFile
	progress func(bytes int64)

	position int64   // the offset of the next byte to read
	cursor   *Cursor // over the chunks from next on; nil until one is read
	next     int64   // the chunk that the cursor has to give next
	rest     []byte  // of the current chunk: the bytes not read yet
	memory   *[]byte // holds the current batch; from gridFSMemory
	err      error
	closed   bool
}

func (s *GridFSDownloadStream) checkNotNil() error {
	if s == nil || s.bucket == nil {
		return nilHandleError("stream", "OpenDownloadStream returns")
	}
	return nil
}
