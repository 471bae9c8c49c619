package mongo

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
)

// GridFS errors. They arrive wrapped in an error that names the file: use errors.Is.
var (
	// ErrFileNotFound is returned when a bucket has no file with the given ID or name.
	ErrFileNotFound = errors.New("mongo: no such file in the bucket")
	// ErrRevisionNotFound is returned when a file does not have the requested revision.
	ErrRevisionNotFound = errors.New("mongo: no such revision of the file")
	// ErrMissingChunk is returned when a stored file lacks a chunk.
	ErrMissingChunk = errors.New("mongo: a chunk of the file is missing")
	// ErrExtraChunk is returned when a stored file has more chunks than its length requires.
	ErrExtraChunk = errors.New("mongo: the file has an extra chunk")
	// ErrWrongSize is returned when a chunk of a stored file does not have the size that it must have.
	ErrWrongSize = errors.New("mongo: a chunk of the file has the wrong size")
	// ErrMissingGridFSChunkSize is returned when the files document of a stored file has no usable chunkSize.
	ErrMissingGridFSChunkSize = errors.New("mongo: the description of the file has no chunkSize")
	// ErrUploadUnknown is returned when the last reply to an upload was lost: the file may have been stored.
	ErrUploadUnknown = errors.New("mongo: it is not known whether the file was stored")
	// ErrStreamClosed is returned by every method of a stream that was closed or aborted.
	ErrStreamClosed = errors.New("mongo: the stream is closed")
)

// noFileError says that no file has the ID. If the ID is a text, it also says what the text may have been meant to be.
func noFileError(id any) error {
	if text, ok := id.(string); ok {
		if _, err := bson.ObjectIDFromHex(text); err == nil {
			return fmt.Errorf("%w: ID %q, which is a string: bson.ObjectIDFromHex converts it to an ObjectID", ErrFileNotFound, text)
		}
	}
	return fmt.Errorf("%w: ID %v", ErrFileNotFound, id)
}
