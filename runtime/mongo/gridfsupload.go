package mongo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/chunk"
	"github.com/specdrivers/onion/runtime/internal/encode"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// uploadBatch is about how many bytes an upload collects before it inserts their chunks with one command.
const uploadBatch = 8 << 20

// maxChunkSize leaves room for the other fields of a chunk.
const maxChunkSize = wire.DefaultMaxBSONObjectSize - 16<<10

// OpenUploadStream begins to store a file under a new ObjectID. The context and the Timeout in the options bound the
// whole life of the stream.
func (b *GridFSBucket) OpenUploadStream(
	ctx context.Context, filename string, opts ...*options.GridFSUpload,
) (*GridFSUploadStream, error) {
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	return b.OpenUploadStreamWithID(ctx, bson.NewObjectID(), filename, opts...)
}

// OpenUploadStreamWithID is OpenUploadStream with an ID of the caller's choice: any BSON value except an array.
func (b *GridFSBucket) OpenUploadStreamWithID(
	ctx context.Context, fileID any, filename string, opts ...*options.GridFSUpload,
) (*GridFSUploadStream, error) {
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	s := &GridFSUploadStream{FileID: fileID, bucket: b, filename: filename}
	if given := mergeOptions(opts); given != nil {
		s.options = option.Copy(*given) // Close describes the file, and the program's own values may change before that
	}
	var err error
	if s.id, err = b.idValue(fileID); err != nil {
		return nil, err
	}
	if s.id.Type == bsontype.Array {
		return nil, errors.New("mongo: the file ID is an array, which the server does not accept as an _id")
	}
	if s.options.Metadata != nil {
		if s.metadata, err = encode.Document(b.files.scope.marshal, gridfs.FieldMetadata, s.options.Metadata); err != nil {
			return nil, err
		}
		s.metadata = bytes.Clone(s.metadata)
	}
	size := int(option.Or(s.options.ChunkSize, b.chunkSize))
	if size <= 0 || size > maxChunkSize {
		return nil, fmt.Errorf("mongo: ChunkSize is %d: pass a number of bytes between 1 and %d", size, maxChunkSize)
	}
	s.chunks, s.batch = chunk.Writer{FileID: s.id, Size: size}, max(1, uploadBatch/size)*size
	s.life = b.begin(ctx, s.options.Timeout)
	return s, nil
}

// UploadFromStream reads source to its end, stores the bytes as a file and returns the ID of the file. If source fails,
// it aborts the upload and returns the error of source. The timeout is not enforced while source is being read.
func (b *GridFSBucket) UploadFromStream(
	ctx context.Context, filename string, source io.Reader, opts ...*options.GridFSUpload,
) (bson.ObjectID, error) {
	if err := b.check(ctx); err != nil {
		return bson.ObjectID{}, err
	}
	id := bson.NewObjectID()
	return id, b.UploadFromStreamWithID(ctx, id, filename, source, opts...)
}

// UploadFromStreamWithID is UploadFromStream with an ID of the caller's choice.
func (b *GridFSBucket) UploadFromStreamWithID(
	ctx context.Context, fileID any, filename string, source io.Reader, opts ...*options.GridFSUpload,
) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	if source == nil {
		return fault.Misuse(fault.ErrNilValue, "the source is nil: pass an io.Reader")
	}
	s, err := b.OpenUploadStreamWithID(ctx, fileID, filename, opts...)
	if err != nil {
		return err
	}
	if _, err := s.ReadFrom(source); err != nil {
		if s.err == nil {
			s.discard()
		}
		s.life.end()
		return err
	}
	return s.Close()
}

// Write stores p. The driver sends a batch of chunks while the program writes the next one, so the error of a batch
// comes from a later Write or from Close. In a session, Write waits for the batch.
func (s *GridFSUploadStream) Write(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	written := 0
	for len(p) > 0 {
		n := s.chunks.Write(p)
		written, p = written+n, p[n:]
		if s.chunks.Pending() == s.batch {
			if err := s.store(); err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// ReadFrom reads r to its end and stores the bytes. It returns the first error of r or of the upload.
func (s *GridFSUploadStream) ReadFrom(r io.Reader) (int64, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	var read int64
	for {
		n, err := s.chunks.Fill(r)
		read += int64(n)
		if s.chunks.Pending() == s.batch {
			if err := s.store(); err != nil {
				return read, err
			}
		}
		if err == io.EOF { // not errors.Is: the error of a broken source may wrap io.EOF
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
}

func (s *GridFSUploadStream) check() error {
	if err := s.checkNotNil(); err != nil {
		return err
	}
	if s.closed {
		return ErrStreamClosed
	}
	return s.err
}

// Close stores the remaining bytes and then the files document, with the current time as its upload date. If Close
// returns an error, the file does not exist, unless the error is ErrUploadUnknown: then the server may have stored the
// files document, and the whole file exists or no file does. Find tells which; Delete with the FileID removes what is
// there.
func (s *GridFSUploadStream) Close() error {
	if err := s.checkNotNil(); err != nil {
		return err
	}
	if s.closed {
		return ErrStreamClosed
	}
	s.closed = true
	defer s.life.end()
	if s.err != nil {
		return s.err
	}
	if err := s.store(); err != nil {
		return err
	}
	if err := s.finishInsert(); err != nil {
		return err
	}
	file, err := s.describeFile(time.Now())
	if err != nil {
		return err
	}
	if _, err = s.life.limit(s.bucket.files).InsertOne(s.life.ctx, file); mayHaveWritten(err) {
		return fmt.Errorf("%w: ID %v: %w", ErrUploadUnknown, s.id, err)
	}
	return err
}

// mayHaveWritten reports whether the server may have carried out a write that failed: its reply was lost, or it says
// that the write may be undone.
func mayHaveWritten(err error) bool {
	if err == nil || HasErrorLabel(err, fault.LabelNoWritesPerformed) {
		return false
	}
	if _, nothingSent := errors.AsType[fault.ServerSelectionError](err); nothingSent {
		return false // nothing was sent: after a try that was sent, its error would come first
	}
	if e, ok := errors.AsType[fault.WriteException](err); ok {
		return len(e.WriteErrors) == 0
	}
	return IsNetworkError(err) || IsTimeout(err) || fault.IsCanceled(err) || HasErrorLabel(err, fault.LabelRetryableWriteError)
}

// Abort ends the upload and deletes the chunks that it has stored. It can follow a failed Write, but not Close. When
// the context of the upload has ended, Abort still has a moment of its own for this; a Timeout that has passed leaves
// none.
func (s *GridFSUploadStream) Abort() error {
	if err := s.checkNotNil(); err != nil {
		return err
	}
	if s.closed {
		return ErrStreamClosed
	}
	s.closed, s.chunks = true, chunk.Writer{}
	defer s.life.end()
	s.awaitInsert()
	filter := bson.Doc(gridfs.FieldFilesID, idCondition(s.id))
	ctx := s.life.ctx
	if ctx.Err() != nil && (s.life.until.IsZero() || time.Now().Before(s.life.until)) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
		defer cancel()
	}
	_, err := s.life.limit(s.bucket.chunks).DeleteMany(ctx, filter)
	return err
}

// discard aborts the upload whose source has failed. The error of the source counts, even if the abort fails too. When
// the caller's context ends, the chunks are deleted in the background.
//
// GridFS, "Aborting an upload".
func (s *GridFSUploadStream) discard() {
	s.closed, s.chunks = true, chunk.Writer{}
	s.awaitInsert()
	filter := bson.Doc(gridfs.FieldFilesID, idCondition(s.id))
	if !s.life.until.IsZero() && !time.Now().Before(s.life.until) {
		return
	}
	chunks := s.life.limit(s.bucket.chunks)
	_ = s.bucket.chunks.db.client.cleanUp(s.life.ctx, &cleanup{
		run: func(ctx context.Context, _ bool) (bool, error) {
			_, err := chunks.DeleteMany(NewSessionContext(ctx, nil), filter) // the program may use its session meanwhile
			return true, err
		},
		release: func() {},
	})
}

func (s *GridFSUploadStream) checkNotNil() error {
	if s == nil || s.bucket == nil {
		return nilHandleError("stream", "OpenUploadStream returns")
	}
	return nil
}
