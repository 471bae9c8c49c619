//lint:file-ignore SA1019 files of other programs have these fields, and applications may still set them

package mongo

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// OpenDownloadStream opens a file for reading. It returns ErrFileNotFound when no file has the ID. The context and the
// Timeout in the options bound the whole life of the stream.
func (b *GridFSBucket) OpenDownloadStream(
	ctx context.Context, fileID any, opts ...*options.GridFSDownload,
) (*GridFSDownloadStream, error) {
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	var o options.GridFSDownload
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	id, err := b.idValue(fileID)
	if err != nil {
		return nil, err
	}
	s := &GridFSDownloadStream{bucket: b, life: b.begin(ctx, o.Timeout), progress: o.Progress}
	err = s.open(bson.Doc("_id", idCondition(id)), &options.FindOne{})
	if errors.Is(err, ErrNoDocuments) {
		err = noFileError(fileID)
	}
	return s.finishOpening(err)
}

// OpenDownloadStreamByName opens a revision of a file for reading, the newest unless the options name another. It
// returns ErrFileNotFound when no file has the name, and ErrRevisionNotFound when it has fewer revisions.
func (b *GridFSBucket) OpenDownloadStreamByName(
	ctx context.Context, filename string, opts ...*options.GridFSName,
) (*GridFSDownloadStream, error) {
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	var o options.GridFSName
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	revision, order := int64(-1), int32(1)
	if o.Revision != nil {
		revision = int64(*o.Revision)
	}
	skip := revision
	if revision < 0 {
		skip, order = -revision-1, -1
	}
	filter, err := encode.Document(b.files.scope.marshal, "filter", bson.Doc(gridfs.FieldFilename, filename))
	if err != nil {
		return nil, err
	}
	s := &GridFSDownloadStream{bucket: b, life: b.begin(ctx, o.Timeout), progress: o.Progress}
	err = s.open(filter, &options.FindOne{Sort: bson.Doc(gridfs.FieldUploadDate, order), Skip: &skip})
	if errors.Is(err, ErrNoDocuments) {
		err = s.revisionError(filter, filename, revision)
	}
	return s.finishOpening(err)
}

// revisionError returns ErrFileNotFound when no file has the name, and ErrRevisionNotFound when it has fewer revisions.
func (s *GridFSDownloadStream) revisionError(filter bson.Raw, filename string, revision int64) error {
	switch err := s.open(filter, &options.FindOne{}); {
	case errors.Is(err, ErrNoDocuments):
		return fmt.Errorf("%w: name %q", ErrFileNotFound, filename)
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: revision %d of %q", ErrRevisionNotFound, revision, filename)
}

// open finds the description of the file.
func (s *GridFSDownloadStream) open(filter any, o *options.FindOne) error {
	raw, err := s.life.limit(s.bucket.files).FindOne(s.life.ctx, filter, o).Raw()
	if err == nil {
		s.file, err = parseGridFSFile(raw)
	}
	return err
}

// finishOpening ends the life of a stream that could not be opened: the program will not close it.
func (s *GridFSDownloadStream) finishOpening(err error) (*GridFSDownloadStream, error) {
	if err != nil {
		s.life.end()
		return nil, err
	}
	return s, nil
}

// parseGridFSFile reads a description. Other drivers store numbers in other types, and may leave out the name.
//
// GridFS, "Files collection document": drivers must be able to handle a different numeric data type.
func parseGridFSFile(doc bson.Raw) (GridFSFile, error) {
	f := GridFSFile{ID: doc.Lookup("_id")}
	length, ok := doc.Lookup(gridfs.FieldLength).AsInt64OK()
	if !ok || length < 0 {
		return f, fmt.Errorf("mongo: the description of file %v has no valid length", f.ID)
	}
	size, ok := doc.Lookup(gridfs.FieldChunkSize).AsInt64OK()
	if length > 0 && (!ok || size <= 0 || size != int64(int32(size))) {
		return f, fmt.Errorf("%w: file %v", ErrMissingGridFSChunkSize, f.ID)
	}
	f.Length, f.ChunkSize = length, int32(size)
	f.UploadDate, _ = doc.Lookup(gridfs.FieldUploadDate).TimeOK()
	f.Name, _ = doc.Lookup(gridfs.FieldFilename).StringOK()
	f.Metadata, _ = doc.Lookup(gridfs.FieldMetadata).DocumentOK()
	f.ContentType, _ = doc.Lookup(gridfs.FieldContentType).StringOK()
	if aliases := doc.Lookup(gridfs.FieldAliases); aliases.Type == bsontype.Array {
		_ = aliases.Unmarshal(&f.Aliases) // an error does not matter: nothing uses this deprecated field
	}
	return f, nil
}

// DownloadToStream writes a file to w and returns the number of bytes. It does not close w. The timeout is not enforced
// while w is being written to.
func (b *GridFSBucket) DownloadToStream(
	ctx context.Context, fileID any, w io.Writer, opts ...*options.GridFSDownload,
) (int64, error) {
	if err := b.check(ctx); err != nil {
		return 0, err
	}
	if w == nil {
		return 0, fault.Misuse(fault.ErrNilValue, "the stream is nil: pass an io.Writer")
	}
	s, err := b.OpenDownloadStream(ctx, fileID, opts...)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return s.WriteTo(w)
}

// DownloadToStreamByName writes a revision of a file to w, as DownloadToStream does.
func (b *GridFSBucket) DownloadToStreamByName(
	ctx context.Context, filename string, w io.Writer, opts ...*options.GridFSName,
) (int64, error) {
	if err := b.check(ctx); err != nil {
		return 0, err
	}
	if w == nil {
		return 0, fault.Misuse(fault.ErrNilValue, "the stream is nil: pass an io.Writer")
	}
	s, err := b.OpenDownloadStreamByName(ctx, filename, opts...)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return s.WriteTo(w)
}
