package bson

import (
	"github.com/specdrivers/onion/bson/internal/wire"
)

// Reader iterates over the elements of a document and reports malformed ones, without allocating:
//
//	r := bson.NewReader(doc)
//	for r.Next() {
//		use(r.Key(), r.Value())
//	}
//	return r.Err()
//
// It is useful for writing a DecodeBSON method.
type Reader struct {
	doc   []byte
	pos   int // of the next element
	end   int // of the elements
	start int // of the current one
	body  int // of its value, 0 if there is no current element
	err   error
}

// NewReader returns a Reader of doc, which must not change while it is read.
func NewReader(doc Raw) Reader {
	end, err := wire.Body(doc)
	if err != nil {
		return Reader{err: decodeErrorAt(err, 0)}
	}
	return Reader{doc: doc, pos: 4, end: end}
}

// Next moves to the next element. It returns false at the end and at a malformed element.
func (r *Reader) Next() bool {
	i := r.pos
	if i >= r.end {
		return false
	}
	// Only numbers change here: pointers would pass through the garbage collector's write barrier.
	r.start = i
	k := wire.KeyEnd(r.doc[:r.end], i+1)
	if k < 0 {
		return r.stop(wire.ErrKeyEnd)
	}
	r.body = k + 1
	t, rest := Type(r.doc[i]), r.doc[k+1:r.end]
	n := wire.ValueSize(t, rest)
	if n < 0 {
		return r.stop(wire.ValueError(t, rest))
	}
	r.pos = k + 1 + n
	return true
}

func (r *Reader) stop(err error) bool {
	if err == wire.ErrKeyEnd {
		r.err = decodeErrorAt(err, r.start)
	} else {
		r.err = decodeErrorAt(err, r.body).prefixPath(r.Key())
	}
	r.end, r.body = 0, 0
	return false
}

// Key returns the key of the current element, or "" if there is none. It is valid as long as the document is.
func (r *Reader) Key() string {
	if r.body == 0 {
		return ""
	}
	return wire.AliasString(r.doc[r.start+1 : r.body-1])
}

// Value returns the value of the current element, or the zero RawValue if there is none. It aliases the document.
func (r *Reader) Value() RawValue {
	if r.body == 0 {
		return RawValue{}
	}
	return RawValue{Type: Type(r.doc[r.start]), Value: r.doc[r.body:r.pos:r.pos]}
}

// Err returns the error that ended the iteration, and nil at the end of the document. The offset in it says where the
// malformed value begins, or where the element does if its key has no end.
func (r *Reader) Err() error { return r.err }

// Fail turns err, an error about the current value, into an error about the document. It adds the key to the front of
// the path, and counts the offset from the start of the document. If err has no offset, the
// start of the value takes its place.
func (r *Reader) Fail(err error) error {
	if e, ok := err.(*DecodeError); ok {
		moved := *e
		if moved.Offset < 0 {
			moved.Offset = r.body
		} else {
			moved.Offset += r.body
		}
		return moved.prefixPath(r.Key())
	}
	return decodeErrorAt(err, r.body).prefixPath(r.Key())
}
