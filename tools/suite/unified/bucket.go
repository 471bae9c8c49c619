package unified

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
)

// Bucket is a GridFS bucket entity.
type Bucket struct {
	run     *Run
	bucket  *mongo.GridFSBucket
	session *Session
}

// Bucket makes a bucket entity.
func (d *Database) Bucket(opts ...*options.GridFSBucket) *Bucket {
	return &Bucket{run: d.run, bucket: d.db.GridFSBucket(opts...)}
}

// With returns the bucket in a session.
func (b *Bucket) With(s *Session) *Bucket {
	other := *b
	other.session = s
	return &other
}

func (b *Bucket) do(name string, fn func(ctx context.Context) (actual, error)) *Result {
	return b.run.do(name, b.session, 0, fn)
}

// Delete deletes a file.
func (b *Bucket) Delete(id any, opts ...*options.GridFSOperation) *Result {
	return b.do("delete", func(ctx context.Context) (actual, error) { return actual{}, b.bucket.Delete(ctx, id, opts...) })
}

// DeleteByName deletes all revisions of a file.
func (b *Bucket) DeleteByName(name string, opts ...*options.GridFSOperation) *Result {
	return b.do("deleteByName", func(ctx context.Context) (actual, error) {
		return actual{}, b.bucket.DeleteByName(ctx, name, opts...)
	})
}

// Download reads a file.
func (b *Bucket) Download(id any, opts ...*options.GridFSDownload) *Result {
	return b.do("download", func(ctx context.Context) (actual, error) {
		var data bytes.Buffer
		_, err := b.bucket.DownloadToStream(ctx, id, &data, opts...)
		return content(&data), err
	})
}

// DownloadByName reads a revision of a file.
func (b *Bucket) DownloadByName(name string, opts ...*options.GridFSName) *Result {
	return b.do("downloadByName", func(ctx context.Context) (actual, error) {
		var data bytes.Buffer
		_, err := b.bucket.DownloadToStreamByName(ctx, name, &data, opts...)
		return content(&data), err
	})
}

// content returns a result of bytes, as a string that need not be UTF-8.
func content(data *bytes.Buffer) actual {
	text := binary.LittleEndian.AppendUint32(nil, uint32(data.Len()+1))
	text = append(append(text, data.Bytes()...), 0)
	return actual{text: new(data.String()), value: bson.RawValue{Type: bsontype.String, Value: text}}
}

// Drop drops the bucket.
func (b *Bucket) Drop(opts ...*options.GridFSOperation) *Result {
	return b.do("drop", func(ctx context.Context) (actual, error) { return actual{}, b.bucket.Drop(ctx, opts...) })
}

// Find finds files.
func (b *Bucket) Find(filter any, opts ...*options.GridFSFind) *Result {
	return b.do("find", func(ctx context.Context) (actual, error) {
		cursor, err := b.bucket.Find(ctx, documentOrEmpty(filter), opts...)
		return readAll(ctx, cursor, err)
	})
}

// Rename renames a file.
func (b *Bucket) Rename(id any, name string, opts ...*options.GridFSOperation) *Result {
	return b.do("rename", func(ctx context.Context) (actual, error) {
		return actual{}, b.bucket.Rename(ctx, id, name, opts...)
	})
}

// RenameByName renames all revisions of a file.
func (b *Bucket) RenameByName(name, other string, opts ...*options.GridFSOperation) *Result {
	return b.do("renameByName", func(ctx context.Context) (actual, error) {
		return actual{}, b.bucket.RenameByName(ctx, name, other, opts...)
	})
}

// Upload writes a file.
func (b *Bucket) Upload(name string, data []byte, opts ...*options.GridFSUpload) *Result {
	return b.do("upload", func(ctx context.Context) (actual, error) {
		id, err := b.bucket.UploadFromStream(ctx, name, bytes.NewReader(data), opts...)
		return value(id), err
	})
}

// UploadWithId writes a file whose id the caller chooses.
func (b *Bucket) UploadWithId(id any, name string, data []byte, opts ...*options.GridFSUpload) *Result {
	return b.do("uploadWithId", func(ctx context.Context) (actual, error) {
		return actual{}, b.bucket.UploadFromStreamWithID(ctx, id, name, bytes.NewReader(data), opts...)
	})
}
