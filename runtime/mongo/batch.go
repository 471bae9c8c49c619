package mongo

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

var errBatch = errors.New("mongo: the server's batch is not an array of documents")

// batch walks over the documents of a batch without allocating. rest is the array at first, then what is left of its
// elements.
type batch struct {
	rest []byte
}

// open skips the length in front of the elements and reports whether there is one.
func (b *batch) open() bool {
	if len(b.rest) >= 5 {
		b.rest = b.rest[4:]
	}
	return b.hasMore()
}

// hasMore reports whether a document is left: the last byte is the array's own end.
func (b *batch) hasMore() bool { return len(b.rest) > 1 }

// next returns the next document; more must have said that there is one.
func (b *batch) next() (bson.Raw, error) {
	if bsontype.Type(b.rest[0]) != bsontype.EmbeddedDocument {
		return nil, errBatch
	}
	end := bytes.IndexByte(b.rest[1:], 0)
	if end < 0 {
		return nil, errBatch
	}
	value := b.rest[1+end+1:]
	if len(value) < 5 {
		return nil, errBatch
	}
	size := int(binary.LittleEndian.Uint32(value))
	if size < 5 || size >= len(value) {
		return nil, errBatch
	}
	b.rest = value[size:]
	return bson.Raw(value[:size:size]), nil
}
