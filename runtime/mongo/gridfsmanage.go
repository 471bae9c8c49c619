package mongo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
)

// Find queries the files collection. The fields are _id, length, chunkSize, uploadDate, filename and metadata. Query
// the application's own metadata by its path, as in bson.Doc("metadata.owner", "ada"). The documents decode into a
// GridFSFile.
func (b *GridFSBucket) Find(ctx context.Context, filter any, opts ...*options.GridFSFind) (*Cursor, error) {
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	var o options.GridFSFind
	if given := mergeOptions(opts); given != nil {
		o = *given
	}
	find := &options.Find{
		AllowDiskUse: o.AllowDiskUse, BatchSize: o.BatchSize, MaxTime: o.MaxTime, NoCursorTimeout: o.NoCursorTimeout,
		Limit: int64Of(o.Limit), Skip: int64Of(o.Skip), Sort: o.Sort, Timeout: o.Timeout,
	}
	if o.Timeout != nil || b.files.scope.timeout != nil {
		find.TimeoutMode = new(options.CursorLifetime) // CSOT, "GridFS API"
	}
	return b.files.Find(ctx, filter, find)
}

func int64Of(n *int32) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// Delete deletes a file. It returns ErrFileNotFound when no file has the ID. Even then it deletes chunks that a failed
// upload or delete left behind under the ID.
func (b *GridFSBucket) Delete(ctx context.Context, fileID any, opts ...*options.GridFSOperation) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	id, err := b.idValue(fileID)
	if err != nil {
		return err
	}
	l := b.begin(ctx, operationTimeout(opts))
	defer l.end()
	deleted, err := l.limit(b.files).DeleteOne(l.ctx, bson.Doc("_id", idCondition(id)))
	if err != nil {
		return err
	}
	if _, err := l.limit(b.chunks).DeleteMany(l.ctx, bson.Doc(gridfs.FieldFilesID, idCondition(id))); err != nil {
		return err
	}
	if deleted.Acknowledged && deleted.DeletedCount == 0 {
		return noFileError(fileID)
	}
	return nil
}

func operationTimeout(opts []*options.GridFSOperation) *time.Duration {
	if o := mergeOptions(opts); o != nil {
		return o.Timeout
	}
	return nil
}

// deleteGroup is how many files one delete names, so a command stays far below the largest message.
const deleteGroup = 1000

// DeleteByName deletes every revision of a file. It returns ErrFileNotFound when no file has the name.
func (b *GridFSBucket) DeleteByName(ctx context.Context, filename string, opts ...*options.GridFSOperation) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	l := b.begin(ctx, operationTimeout(opts))
	defer l.end()
	cursor, err := l.limit(b.files).Find(l.ctx, bson.Doc(gridfs.FieldFilename, filename), &options.Find{Projection: bson.Doc("_id", 1)})
	if err != nil {
		return err
	}
	var ids []bson.RawValue
	for file, err := range Each[bson.Raw](l.ctx, cursor) {
		if err != nil {
			return err
		}
		ids = append(ids, file.Lookup("_id"))
	}
	if len(ids) == 0 {
		return fmt.Errorf("%w: name %q", ErrFileNotFound, filename)
	}
	// All descriptions go first, so no reader opens a file whose chunks are about to go.
	if err := deleteIDs(&l, b.files, "_id", ids); err != nil {
		return err
	}
	return deleteIDs(&l, b.chunks, gridfs.FieldFilesID, ids)
}

func deleteIDs(l *gridFSLife, c *Collection, field string, ids []bson.RawValue) error {
	for group := range slices.Chunk(ids, deleteGroup) {
		if _, err := l.limit(c).DeleteMany(l.ctx, bson.Doc(field, bson.Doc("$in", group))); err != nil {
			return err
		}
	}
	return nil
}

// Rename gives a file another name. It returns ErrFileNotFound when no file has the ID.
func (b *GridFSBucket) Rename(ctx context.Context, fileID any, newFilename string, opts ...*options.GridFSOperation) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	id, err := b.idValue(fileID)
	if err != nil {
		return err
	}
	l := b.begin(ctx, operationTimeout(opts))
	defer l.end()
	renamed, err := l.limit(b.files).UpdateOne(l.ctx, bson.Doc("_id", idCondition(id)), renameUpdate(newFilename))
	if err == nil && renamed.Acknowledged && renamed.MatchedCount == 0 {
		return noFileError(fileID)
	}
	return err
}

// RenameByName gives every revision of a file another name. It returns ErrFileNotFound when no file has the name.
func (b *GridFSBucket) RenameByName(ctx context.Context, filename, newFilename string, opts ...*options.GridFSOperation) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	l := b.begin(ctx, operationTimeout(opts))
	defer l.end()
	renamed, err := l.limit(b.files).UpdateMany(l.ctx, bson.Doc(gridfs.FieldFilename, filename), renameUpdate(newFilename))
	if err == nil && renamed.Acknowledged && renamed.MatchedCount == 0 {
		return fmt.Errorf("%w: name %q", ErrFileNotFound, filename)
	}
	return err
}

func renameUpdate(filename string) bson.D {
	return bson.Doc("$set", bson.Doc(gridfs.FieldFilename, filename))
}

// Drop drops both collections of the bucket, the files collection first. The next upload creates them and their indexes
// again.
func (b *GridFSBucket) Drop(ctx context.Context, opts ...*options.GridFSOperation) error {
	if err := b.check(ctx); err != nil {
		return err
	}
	l := b.begin(ctx, operationTimeout(opts))
	defer l.end()
	if err := l.limit(b.files).Drop(l.ctx); err != nil {
		return err
	}
	if err := l.limit(b.chunks).Drop(l.ctx); err != nil {
		return err
	}
	return b.forgetIndexes(&l)
}
