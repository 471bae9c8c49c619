//lint:file-ignore SA1019 files of other programs have these fields, and applications may still set them

package mongo

import (
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

// leastRead is how much room there is at least for one read from a source.
const leastRead = 32 << 10

// fill reads from r behind what is pending.
func (s *GridFSUploadStream) fill(r io.Reader) (int, error) {
	have := len(s.pending)
	s.pending = slices.Grow(s.pending, min(leastRead, s.batch-have))
	n, err := r.Read(s.pending[have:min(cap(s.pending), s.batch)])
	if n < 0 || n > cap(s.pending)-have {
		return 0, errors.New("mongo: the source returned an invalid count from Read")
	}
	s.pending = s.pending[:have+n]
	return n, err
}

// store inserts what is pending as chunks. Only the last one of a file may be short: nothing but Close stores less than
// a batch. An error ends the upload. GridFS, "Operation Failure": it does not delete what is stored.
func (s *GridFSUploadStream) store() error {
	if s.err = s.bucket.ensureIndexes(&s.life); s.err != nil || len(s.pending) == 0 {
		return s.err
	}
	chunks, err := s.chunks()
	if err == nil {
		_, err = s.life.in(s.bucket.chunks).InsertMany(s.life.ctx, chunks)
	}
	if s.err = err; err != nil {
		return err
	}
	s.stored += int64(len(s.pending))
	s.pending = s.pending[:0]
	if s.options.Progress != nil {
		s.options.Progress(s.stored)
	}
	return nil
}

// chunks encodes what is pending. The documents share a buffer that the next batch uses again.
func (s *GridFSUploadStream) chunks() ([]bson.Raw, error) {
	var ends []int
	s.documents = s.documents[:0]
	n := s.stored / int64(s.chunkSize)
	for data := range slices.Chunk(s.pending, s.chunkSize) {
		if n > math.MaxInt32 {
			return nil, errors.New("mongo: the file has more chunks than a 32-bit number counts: choose a larger ChunkSize")
		}
		dst, start := bson.AppendDocumentStart(s.documents)
		dst = bson.AppendObjectIDElement(dst, "_id", bson.NewObjectID())
		dst = bson.AppendRawValueElement(dst, "files_id", s.id)
		dst = bson.AppendInt32Element(dst, "n", int32(n))
		dst = bson.AppendBinaryElement(dst, "data", 0, data)
		s.documents = bson.AppendDocumentEnd(dst, start)
		ends = append(ends, len(s.documents))
		n++
	}
	list, start := make([]bson.Raw, len(ends)), 0
	for i, end := range ends {
		list[i], start = bson.Raw(s.documents[start:end:end]), end
	}
	return list, nil
}

// description is the document of the files collection.
func (s *GridFSUploadStream) description(now time.Time) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, "_id", s.id)
	dst = bson.AppendInt64Element(dst, "length", s.stored)
	dst = bson.AppendInt32Element(dst, "chunkSize", int32(s.chunkSize))
	dst = bson.AppendDateTimeElement(dst, "uploadDate", now.UnixMilli())
	dst = bson.AppendStringElement(dst, "filename", s.filename)
	if s.options.ContentType != nil {
		dst = bson.AppendStringElement(dst, "contentType", *s.options.ContentType)
	}
	if s.options.Aliases != nil {
		var err error
		if dst, err = bson.AppendValueElement(dst, "aliases", s.options.Aliases); err != nil {
			return nil, err
		}
	}
	if s.metadata != nil {
		dst = bson.AppendDocumentElement(dst, "metadata", s.metadata)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// GridFSUploadStream stores a file. The file exists once Close has returned without an error. It is used by one goroutine
// at a time.
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
	pending   []byte // what is not stored yet; a batch of whole chunks at most
	batch     int    // the length at which pending is stored
	documents []byte // the chunks of a batch, encoded
	stored    int64
	err       error // ended the upload
	closed    bool
}
