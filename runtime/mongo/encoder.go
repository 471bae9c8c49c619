package mongo

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/fault"
)

// encoder encodes the documents of many inserts into few large buffers, so that a thousand small documents do not need a
// thousand allocations.
type encoder struct {
	buf     []byte // its free space takes the next document
	scratch []byte
}

// encoderChunk is the size of a new buffer. A larger document makes its buffer grow.
const encoderChunk = 16 << 10

// insert encodes a document to insert and returns its _id. A document without one gets an ObjectID, as its first field.
func (e *encoder) insert(s scope, document any) (bson.Raw, any, error) {
	if document == nil {
		return nil, nil, nilArgument(fault.ErrNilDocument, "the document is nil: pass bson.D{} for an empty one")
	}
	if cap(e.buf)-len(e.buf) < encoderChunk/4 {
		e.buf = make([]byte, 0, encoderChunk)
	}
	// The document is encoded behind a gap into which the _id element fits.
	start := len(e.buf)
	buf, err := bson.MarshalAppend(e.buf[:start+idElement], document, s.marshal)
	if err != nil {
		return nil, nil, err
	}
	e.buf = buf
	doc := bson.Raw(buf[start+idElement : len(buf) : len(buf)])
	if id := doc.Lookup("_id"); !id.IsZero() {
		return doc, givenID(document, id), nil
	}
	id := bson.NewObjectID()
	doc = bson.Raw(buf[start:len(buf):len(buf)])
	binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	bson.AppendObjectIDElement(doc[4:4], "_id", id)
	return doc, id, nil
}

// givenID is the _id of a document that has one: the value in the document itself where it is what decoding it would
// yield, because decoding allocates.
func givenID(document any, id bson.RawValue) any {
	if d, ok := document.(bson.D); ok {
		for i := range d {
			if d[i].Key != "_id" {
				continue
			}
			switch d[i].Value.(type) {
			case bson.ObjectID, string, int32, int64, float64:
				return d[i].Value
			}
			break
		}
	}
	return anyOf(id)
}
