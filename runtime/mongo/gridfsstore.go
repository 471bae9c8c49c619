//lint:file-ignore SA1019 files of other programs have these fields, and applications may still set them

package mongo

import (
	"errors"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/chunk"
)

// store begins to insert the pending chunks and returns while they are on their way, so that the program fills the next
// batch meanwhile. The next call of store or finishInsert returns the error of the insert. Only the last chunk of a
// file may be short, so only Close stores less than a batch. An error ends the upload; it does not delete what is
// stored: GridFS, "Operation Failure".
func (s *GridFSUploadStream) store() error {
	if s.finishInsert() != nil {
		return s.err
	}
	if s.err = s.bucket.ensureIndexes(&s.life); s.err != nil || s.chunks.Pending() == 0 {
		return s.err
	}
	chunks, err := s.chunks.Documents()
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
	s.insert = &gridFSInsert{done: make(chan struct{}), err: errInsertEnded, size: s.chunks.Pending(), documents: s.chunks.Next(s.spare)}
	return s.insert
}

// errInsertEnded is the error if the goroutine of an insert ends early: a monitor of the program called runtime.Goexit.
var errInsertEnded = errors.New("mongo: the insert of chunks ended before it was done")

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
	dst = bson.AppendInt32Element(dst, gridfs.FieldChunkSize, int32(s.chunks.Size))
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

	chunks chunk.Writer // the chunks that are not stored yet
	batch  int          // how many bytes are stored at once, in whole chunks

	insert *gridFSInsert // the batch that is being inserted; nil without one, as after an error
	spare  []byte        // the memory of the batch before it, for the next one
	stored int64

	err    error // ended the upload
	closed bool
}
