package bsonimpl

import (
	"encoding/binary"
	"reflect"
	"strconv"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Reader walks a document and the documents and arrays inside it. All positions count from the start of the outermost
// one.
type Reader struct {
	doc   []byte
	pos   int // of the next element
	body  int // of the current value
	field int // that the current key belongs to, -1 if there is none
	depth int // levels of nesting that are left
	kind  bson.Type
	level
	err   error
	texts arena.Texts // copies of the strings
}

// level is what a Reader remembers of a document or array while it walks a value inside it. It has four words at most,
// so the compiler can keep them in registers.
type level struct {
	start int // of the current element
	end   int // of all elements
	guess int // the field that is likely to come next
	index int // of the current element in an array; -1 in a document
}

var readers = sync.Pool{New: func() any { return new(Reader) }}

// Decode calls decode with a reader of doc. It is the method DecodeBSON.
func Decode[T any](p *T, doc bson.Raw, decode func(*T, *Reader) error) error {
	end, err := wire.Body(doc)
	if err != nil {
		return &bson.DecodeError{Err: err}
	}
	r := readers.Get().(*Reader)
	r.doc, r.err, r.depth = doc, nil, bson.DefaultMaxDepth-1
	r.pos, r.level = 4, level{end: end, index: -1}
	err = decode(p, r)
	r.doc = nil
	r.texts.Release()
	readers.Put(r)
	return err
}

// Next moves to the next element of a document whose fields are f. It returns false at the end and at a malformed
// element.
func (r *Reader) Next(f *Fields) bool {
	i := r.pos
	if i >= r.end {
		return false
	}
	r.start = i
	rest := r.doc[i+1 : r.end]
	k := 0
	// Most documents have their elements in the order of the fields, so the next field is tried before the table of
	// names.
	if f.isAt(r.guess, rest) {
		k = len(f.Names[r.guess])
		r.field = r.guess
		r.guess++
	} else {
		if k = wire.KeyEnd(rest, 0); k < 0 {
			return r.stop(wire.ErrKeyEnd)
		}
		if r.field = f.lookup(rest[:k]); r.field >= 0 {
			r.guess = r.field + 1
		}
	}
	return r.findEnd(i + k + 2)
}

// Remaining returns the current document from the next element on. Generated code looks there for the key that it
// expects.
func (r *Reader) Remaining() []byte { return r.doc[r.pos:r.end:r.end] }

// Take moves to the element at the start of b, which is the rest of the current document. Its type byte and key take up
// n bytes. Take returns false if the value is malformed, which [Reader.Next] reports.
func (r *Reader) Take(b []byte, n int) bool {
	size := wire.ValueSize(bson.Type(b[0]), b[n:])
	if size < 0 {
		return false
	}
	start := r.end - len(b)
	r.start, r.body, r.pos, r.kind = start, start+n, start+n+size, bson.Type(b[0])
	return true
}

// Text returns the text of the element at the start of b, whose type byte and key take up n bytes, and what follows the
// element. It returns false if the element is not a string, or not a valid one.
func (r *Reader) Text(b []byte, n int) (s string, rest []byte, ok bool) {
	v := b[n:]
	if len(v) < 5 || bson.Type(b[0]) != bsontype.String {
		return "", nil, false
	}
	size := int(int32(binary.LittleEndian.Uint32(v)))
	if size < 1 || size > len(v)-4 || v[size+3] != 0 {
		return "", nil, false
	}
	s, ok = r.texts.String(v[4:size+3], arena.Chunk)
	return s, v[size+4:], ok
}

// Continue makes the element at the start of b, which is the rest of the current document, the next one.
func (r *Reader) Continue(b []byte) { r.pos = r.end - len(b) }

// nextItem moves to the next element of an array, or of a document whose keys are not names of fields.
func (r *Reader) nextItem() bool {
	i := r.pos
	if i >= r.end {
		return false
	}
	if i > r.start && r.index >= 0 {
		r.index++
	}
	r.start = i
	k := wire.KeyEnd(r.doc[:r.end], i+1)
	if k < 0 {
		return r.stop(wire.ErrKeyEnd)
	}
	return r.findEnd(k + 1)
}

// findEnd makes the value at body the current one, and finds its end.
func (r *Reader) findEnd(body int) bool {
	t := bson.Type(r.doc[r.start])
	rest := r.doc[body:r.end]
	n := wire.ValueSize(t, rest)
	r.body, r.kind = body, t
	if n < 0 {
		return r.stop(r.Fail(wire.ValueError(t, rest)))
	}
	r.pos = body + n
	return true
}

func (r *Reader) stop(err error) bool {
	e, ok := err.(*bson.DecodeError)
	if !ok {
		e = &bson.DecodeError{Offset: r.start, Err: err}
	}
	r.err, r.end = e, 0
	return false
}

// Field returns the position of the field that the current element belongs to, -1 if there is none.
func (r *Reader) Field() int { return r.field }

// key returns the key of the current element, which is valid as long as the document is.
func (r *Reader) key() string { return wire.AliasString(r.doc[r.start+1 : r.body-1]) }

// bytes returns the current value, which aliases the document.
func (r *Reader) bytes() []byte { return r.doc[r.body:r.pos:r.pos] }

// Err returns what ended the walk, nil if it was the end of the document.
func (r *Reader) Err() error { return r.err }

// Fail returns err, which is about the current value, with its key in front of the path.
func (r *Reader) Fail(err error) error {
	body := wire.KeyEnd(r.doc, r.start+1) + 1 // the Reader's body may belong to a nested value
	e, ok := err.(*bson.DecodeError)
	if !ok {
		e = &bson.DecodeError{Offset: body, Err: err}
	} else if e.Offset < 0 {
		e.Offset = body
	}
	key := ""
	if r.index >= 0 {
		key = strconv.Itoa(r.index)
	} else {
		key = wire.AliasString(r.doc[r.start+1 : body-1])
	}
	e.Path = wire.JoinPath(key, e.Path)
	return e
}

// enter makes the current value, a document or array, the one that is walked. leave goes back.
func (r *Reader) enter(index int) (outer level, err error) {
	outer = r.level
	if r.depth <= 0 {
		return outer, &bson.DecodeError{Offset: r.body, Err: bson.ErrMaxDepth}
	}
	end, err := wire.Body(r.doc[r.body:r.pos])
	if err != nil {
		return outer, &bson.DecodeError{Offset: r.body, Err: err}
	}
	r.depth--
	r.pos = r.body + 4
	r.level = level{start: r.pos, end: r.body + end, index: index}
	return outer, nil
}

// leave returns to the outer level, after the document or array that has been walked.
func (r *Reader) leave(outer level) {
	r.depth++
	r.pos = r.end + 1
	r.level = outer
}

// Unmarshal stores the current value as package bson does, which converts it or reports why not.
func (r *Reader) Unmarshal(p any, opts ...*bson.UnmarshalOptions) error {
	err := bson.RawValue{Type: r.kind, Value: r.bytes()}.Unmarshal(p, opts...)
	if e, ok := err.(*bson.DecodeError); ok && e.Offset >= 0 {
		e.Offset += r.body
	}
	return err
}

func (r *Reader) isNull() bool { return wire.IsNull(r.kind) }

// mismatchError returns the error that the current value cannot become a t.
func (r *Reader) mismatchError(t reflect.Type) error { return &bson.TypeError{From: r.kind, To: t} }

// decodeNonDocument handles a value where a document was expected: null sets the zero value, any other is an error.
func decodeNonDocument[T any](r *Reader, p *T) error {
	if r.isNull() {
		var zero T
		*p = zero
		return nil
	}
	return r.mismatchError(reflect.TypeFor[T]())
}
