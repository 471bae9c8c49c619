package mongo

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/gridfs"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encode"
)

// forgetIndexes makes the next upload look for the indexes again, because a drop removes them.
func (b *GridFSBucket) forgetIndexes(l *gridFSLife) error {
	err := b.indexes.lock(l.ctx)
	if err == nil {
		b.indexes.done = false
		b.indexes.unlock()
	}
	return err
}

// ensureIndexes creates the indexes of a bucket without files, once, before the first chunk or file is inserted.
//
// GridFS, "Before write operations". Deleting and renaming need no indexes: in a bucket without files they find
// nothing.
func (b *GridFSBucket) ensureIndexes(l *gridFSLife) error {
	if err := b.indexes.lock(l.ctx); err != nil {
		return err
	}
	defer b.indexes.unlock()
	if b.indexes.done {
		return nil
	}
	if err := b.createIndexes(l); err != nil {
		return encode.At(err, "preparing the indexes of bucket %s", b.files.name)
	}
	b.indexes.done = true
	return nil
}

func (b *GridFSBucket) createIndexes(life *gridFSLife) error {
	l := *life
	if s := SessionFromContext(l.ctx); s != nil && s.TransactionRunning() {
		l.ctx = NewSessionContext(l.ctx, nil) // a transaction cannot list or create the indexes of existing collections
	}
	primary := &options.Collection{ReadPreference: &options.ReadPreference{Mode: options.Primary}}
	file := l.limit(b.files).Clone(primary).FindOne(l.ctx, bson.D{}, &options.FindOne{Projection: bson.Doc("_id", 1)})
	if err := file.Err(); !errors.Is(err, ErrNoDocuments) {
		return err
	}
	if err := createIndex(&l, b.files, gridfs.FilesIndex(), nil); err != nil {
		return err
	}
	return createIndex(&l, b.chunks, gridfs.ChunksIndex(), &options.Index{Unique: new(true)})
}

// createIndex creates an ascending index unless the collection has it.
func createIndex(l *gridFSLife, c *Collection, keys []string, o *options.Index) error {
	cursor, err := l.limit(c).ListIndexes(l.ctx)
	if err != nil {
		return err
	}
	for index, err := range Each[bson.Raw](l.ctx, cursor) {
		if err != nil {
			return err
		}
		if existing, ok := index.Lookup("key").DocumentOK(); ok && isAscending(existing, keys) {
			return nil
		}
	}
	var model bson.D
	for _, key := range keys {
		model = append(model, bson.E{Key: key, Value: int32(1)})
	}
	_, err = l.limit(c).CreateIndex(l.ctx, IndexModel{Keys: model, Options: o})
	return err
}

// isAscending reports whether an index has exactly these keys, in this order and ascending. Numbers of any type are
// compared by value, because a shell stores 1 as a double.
func isAscending(index bson.Raw, keys []string) bool {
	i := 0
	for key, direction := range index.All() {
		if n, ok := direction.AsFloat64OK(); !ok || n != 1 || i >= len(keys) || key != keys[i] {
			return false
		}
		i++
	}
	return i == len(keys)
}
