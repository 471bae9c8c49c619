package encode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/poison"
)

// Encoder encodes the documents of an operation into memory that they share. The zero value is ready.
type Encoder struct {
	buf     []byte // its free space takes the next document
	scratch []byte
	now     time.Time // ObjectIDs take their time from it; the zero time means the clock
}

// encoderChunk is the size of a new buffer. A larger document makes its buffer grow.
const encoderChunk = 16 << 10

// MakeRoom begins a new buffer when little space is left. Otherwise a growing buffer would copy a thousand documents
// again and again. It also reads the clock, which takes longer than making an ObjectID, so once per buffer is enough.
func (e *Encoder) MakeRoom() {
	if cap(e.buf)-len(e.buf) < encoderChunk/4 {
		e.buf, e.now = make([]byte, 0, encoderChunk), time.Now()
	}
}

// Reset makes the encoder ready for another operation. It keeps its memory unless that is larger than most.
func (e *Encoder) Reset(most int) {
	buf := e.buf
	poison.Bytes(buf)
	*e = Encoder{}
	if cap(buf) <= most {
		e.buf = buf[:0]
	}
}

func (e *Encoder) newID() bson.ObjectID {
	if e.now.IsZero() {
		return bson.NewObjectID()
	}
	return bson.NewObjectIDFromTimestamp(e.now)
}

// Document encodes what a program passes as a document. what names it in errors: the filter, the update.
func (e *Encoder) Document(m *bson.MarshalOptions, what string, v any) (bson.Raw, error) {
	if given, err := takeEncoded(what, v); given != nil || err != nil {
		return given, err
	}
	start := len(e.buf)
	buf, err := bson.MarshalAppend(e.buf, v, m)
	if err != nil {
		return nil, ExplainNotDocument(what, v, err)
	}
	e.buf = buf
	doc := bson.Raw(buf[start:len(buf):len(buf)])
	return doc, refuseUnexported(what, v, doc)
}

// Update encodes an update: a document of operators, or a pipeline.
func (e *Encoder) Update(m *bson.MarshalOptions, v any) (bson.RawValue, error) {
	if v == nil {
		return bson.RawValue{}, fault.Misuse(fault.ErrNilDocument,
			"the update is nil: pass a document of operators such as $set, or a pipeline")
	}
	start := len(e.buf)
	t, buf, err := bson.AppendValue(e.buf, bytesAsRaw(v), m)
	if err != nil {
		return bson.RawValue{}, At(err, "the update")
	}
	e.buf = buf
	value := bson.RawValue{Type: t, Value: buf[start:len(buf):len(buf)]}
	switch t {
	case bsontype.Array:
		return value, nil
	case bsontype.EmbeddedDocument:
		return value, checkUpdateKey(FirstKey(value.Value))
	}
	return value, fmt.Errorf("mongo: the update is of type %s: pass a document or a pipeline", t)
}

// FilterAndUpdate encodes both.
func (e *Encoder) FilterAndUpdate(m *bson.MarshalOptions, filter, update any) (rawFilter bson.Raw, rawUpdate bson.RawValue, err error) {
	if rawFilter, err = e.Document(m, "filter", filter); err == nil {
		rawUpdate, err = e.Update(m, update)
	}
	return rawFilter, rawUpdate, err
}

// FilterAndReplacement encodes a filter and the document that replaces what it matches.
func (e *Encoder) FilterAndReplacement(m *bson.MarshalOptions, filter, replacement any) (rawFilter, raw bson.Raw, err error) {
	if rawFilter, err = e.Document(m, "filter", filter); err != nil {
		return nil, nil, err
	}
	if raw, err = e.Document(m, "replacement", replacement); err == nil {
		err = checkReplacementKey(FirstKey(raw))
	}
	return rawFilter, raw, err
}

// idElementSize is the length of an _id element with an ObjectID: type, key, zero byte, value.
const idElementSize = 1 + 3 + 1 + 12

// idKey is the key _id as a document holds it.
var idKey = []byte("_id\x00")

// Insert encodes a document to insert and returns its _id. A document without one gets an ObjectID, as its first field.
func (e *Encoder) Insert(m *bson.MarshalOptions, u *bson.UnmarshalOptions, document any) (bson.Raw, any, error) {
	if document == nil {
		return nil, nil, fault.Misuse(fault.ErrNilDocument, "the document is nil: pass bson.D{} for an empty one")
	}
	if e, ok := document.(bson.E); ok {
		return nil, nil, refuseElement("document", e)
	}
	if raw, ok := asRaw(document); ok {
		document = raw
		if id := raw.Lookup("_id"); !id.IsZero() {
			return raw, existingID(document, id, u), raw.Validate()
		}
	}
	// The document is encoded after a gap that the _id element fits into.
	start := len(e.buf)
	var gap [idElementSize]byte
	buf, err := bson.MarshalAppend(append(e.buf, gap[:]...), document, m)
	if err != nil {
		return nil, nil, err
	}
	e.buf = buf
	doc := bson.Raw(buf[start+idElementSize : len(buf) : len(buf)])
	if bytes.Contains(doc, idKey) { // faster than walking through a document that has no _id
		if id := doc.Lookup("_id"); !id.IsZero() {
			return doc, existingID(document, id, u), nil
		}
	}
	id := e.newID()
	doc = bson.Raw(buf[start:len(buf):len(buf)])
	binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	bson.AppendObjectIDElement(doc[4:4], "_id", id)
	return doc, id, refuseUnexported("document", document, doc)
}

// asRaw returns a document that is already encoded, such as a chunk of a file.
func asRaw(document any) (bson.Raw, bool) {
	switch d := document.(type) {
	case bson.Raw:
		return d, true
	case *bson.Raw:
		return *d, true
	case []byte:
		return d, true
	case *[]byte: // an element of InsertMany's slice
		return *d, true
	}
	return nil, false
}

// existingID is the _id of a document that has one: the value in the document itself where it is what decoding it would
// yield, because decoding allocates.
func existingID(document any, id bson.RawValue, unmarshal *bson.UnmarshalOptions) any {
	if unmarshal != nil {
		return DecodeAny(id, unmarshal)
	}
	if d, ok := document.(*bson.D); ok {
		document = *d
	}
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
	if oid, ok := id.ObjectIDOK(); ok {
		return oid
	}
	return DecodeAny(id)
}
