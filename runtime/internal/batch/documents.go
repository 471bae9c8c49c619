package batch

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

var errNotDocuments = errors.New("mongo: the server's batch is not an array of documents")

// Documents walks over the documents of a batch without allocating. The zero value has none.
type Documents struct {
	rest []byte // what is left of the array's elements, and the array's own end
}

// Of returns the documents of an array.
func Of(array bson.RawArray) Documents {
	if len(array) < 5 {
		return Documents{}
	}
	return Documents{rest: array[4:]}
}

// HasMore reports whether a document is left: the last byte is the array's own end.
func (d *Documents) HasMore() bool { return len(d.rest) > 1 }

// Next returns the next document; HasMore must have said that there is one.
func (d *Documents) Next() (bson.Raw, error) {
	if bsontype.Type(d.rest[0]) != bsontype.EmbeddedDocument {
		return nil, errNotDocuments
	}
	end := bytes.IndexByte(d.rest[1:], 0)
	if end < 0 {
		return nil, errNotDocuments
	}
	value := d.rest[1+end+1:]
	if len(value) < 5 {
		return nil, errNotDocuments
	}
	size := int(binary.LittleEndian.Uint32(value))
	if size < 5 || size >= len(value) {
		return nil, errNotDocuments
	}
	d.rest = value[size:]
	return bson.Raw(value[:size:size]), nil
}
