package mongo

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
	"github.com/specdrivers/onion/runtime/internal/option"
)

// GridFSFile describes a stored file. Its ID has the type that the file was stored with. It has the fields ID, Length,
// ChunkSize, UploadDate, Name, ContentType, Aliases and Metadata.
type GridFSFile = options.GridFSFile

// GridFSBucket stores files of any size as chunks in two collections. It is safe for concurrent use; its streams are
// not.
//
// A file is identified by its ID. Its name need not be unique: files of the same name are revisions, ordered by their
// upload date.
type GridFSBucket struct {
	files, chunks *Collection
	chunkSize     int32
	indexes       gridFSIndexes
}

// GridFSBucket returns a GridFS bucket of the database, "fs" unless the options name another. Nothing is sent: the
// first upload creates the collections and their indexes.
func (d *Database) GridFSBucket(opts ...*options.GridFSBucket) *GridFSBucket {
	var o options.GridFSBucket
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	name := cmp.Or(option.Or(o.Name, ""), gridfs.DefaultBucketName)
	settings := &options.Collection{
		ReadConcern: o.ReadConcern, ReadPreference: o.ReadPreference, WriteConcern: o.WriteConcern, Timeout: o.Timeout,
	}
	return &GridFSBucket{
		files:     d.Collection(name+gridfs.FilesSuffix, settings),
		chunks:    d.Collection(name+gridfs.ChunksSuffix, settings),
		chunkSize: option.Or(o.ChunkSize, gridfs.DefaultChunkSize),
		indexes:   gridFSIndexes{turn: make(chan struct{}, 1)},
	}
}

// GetFilesCollection returns the collection with a document for each file.
func (b *GridFSBucket) GetFilesCollection() *Collection {
	if b == nil {
		return nil
	}
	return b.files
}

// GetChunksCollection returns the collection with the contents of the files.
func (b *GridFSBucket) GetChunksCollection() *Collection {
	if b == nil {
		return nil
	}
	return b.chunks
}

// idValue encodes the ID of a file.
func (b *GridFSBucket) idValue(id any) (bson.RawValue, error) {
	if id == nil {
		return bson.RawValue{}, fault.Misuse(fault.ErrNilValue, "the file ID is nil: pass the ID of a file, such as a bson.ObjectID")
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst, err := bson.AppendValueElement(dst, "_id", id, b.files.scope.marshal)
	if err != nil {
		return bson.RawValue{}, fmt.Errorf("mongo: the file ID: %w", err)
	}
	return bson.Raw(bson.AppendDocumentEnd(dst, start)).Lookup("_id"), nil
}

// idCondition returns the condition that a field equals the ID of a file. Without $eq, an ID that is a regular
// expression, or a document whose keys are operators, would match other files too.
func idCondition(id bson.RawValue) any {
	if id.Type == bsontype.EmbeddedDocument || id.Type == bsontype.Regex {
		return bson.Doc("$eq", id)
	}
	return id
}

// gridFSLife is how long an operation of a bucket, or a stream, may take. A stream keeps the context that opened it,
// because the methods of io.Reader and io.Writer take none.
//
// CSOT, "GridFS API": timeoutMS caps the lifetime of the entire stream.
type gridFSLife struct {
	ctx     context.Context
	end     context.CancelFunc
	state   timeout.State
	timeout *time.Duration // nil if unset; 0 means no bound
	until   time.Time
}

// begin starts the time of an operation: its own timeout, or else the timeout of the bucket.
func (b *GridFSBucket) begin(ctx context.Context, own *time.Duration) gridFSLife {
	state, v := timeout.Step(timeout.State{}, timeout.Event{
		Part: timeout.File, Own: decide.OwnTimeout(own), Inherited: decide.InheritedTimeout(b.files.scope.timeout),
	})
	l := gridFSLife{ctx: ctx, end: func() {}, state: state, timeout: cmp.Or(own, b.files.scope.timeout)}
	if v.Bound == timeout.WholeTimeout {
		l.until = time.Now().Add(*l.timeout)
		l.ctx, l.end = context.WithDeadline(ctx, l.until) // it bounds cursors too
	}
	return l
}

// limit returns a copy of c whose next operation may take the time that is left.
func (l *gridFSLife) limit(c *Collection) *Collection {
	clone := *c
	clone.scope.timeout = l.timeout
	if _, v := timeout.Step(l.state, timeout.Event{Part: timeout.FilePart}); v.Bound == timeout.RestOfLife {
		clone.scope.timeout = new(max(time.Until(l.until), 1)) // 0 would mean no bound
	}
	return &clone
}

// gridFSIndexes remembers whether the indexes of a bucket exist. The channel turn is its lock.
type gridFSIndexes struct {
	turn chan struct{}
	done bool
}

// lock waits for its turn until ctx ends. A mutex could not give up waiting.
func (x *gridFSIndexes) lock(ctx context.Context) error {
	select {
	case x.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (x *gridFSIndexes) unlock() { <-x.turn }

func (b *GridFSBucket) check(ctx context.Context) error {
	if b == nil {
		return fault.Misuse(fault.ErrNilValue, "the bucket is nil: use what the method GridFSBucket of a database returns")
	}
	return b.files.check(ctx)
}
