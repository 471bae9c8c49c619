package bsonimpl

import (
	"math"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Each Decode function stores the current value. All have the form func(*Reader, *T) error: those for lists and maps
// take the one for their elements as an argument. A value that is not of the type's own kind goes to
// [Reader.Unmarshal].

// DecodeValue stores a value of any type.
func DecodeValue[T any](r *Reader, p *T) error { return r.Unmarshal(p) }

// DecodeTruncated stores a value whose field has the tag truncate.
func DecodeTruncated[T any](r *Reader, p *T) error {
	return r.Unmarshal(p, &bson.UnmarshalOptions{AllowTruncatingDoubles: true})
}

// DecodeBool stores a boolean.
func DecodeBool[T ~bool](r *Reader, p *T) error {
	if r.kind != bsontype.Boolean {
		return r.Unmarshal(p)
	}
	v, err := wire.Bool(r.doc[r.body:])
	if err == nil {
		*p = T(v)
	}
	return err
}

// DecodeInt stores an integer.
func DecodeInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](r *Reader, p *T) error {
	n, ok := r.readInteger()
	if !ok || int64(T(n)) != n {
		return r.Unmarshal(p)
	}
	*p = T(n)
	return nil
}

// DecodeUint stores an integer without a sign.
func DecodeUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *Reader, p *T) error {
	n, ok := r.readInteger()
	if !ok || n < 0 || uint64(T(n)) != uint64(n) {
		return r.Unmarshal(p)
	}
	*p = T(n)
	return nil
}

func (r *Reader) readInteger() (int64, bool) {
	switch r.kind {
	case bsontype.Int32:
		return int64(wire.Int32(r.doc[r.body:])), true
	case bsontype.Int64:
		return wire.Int64(r.doc[r.body:]), true
	}
	return 0, false
}

// DecodeFloat stores a double.
func DecodeFloat[T ~float32 | ~float64](r *Reader, p *T) error {
	if r.kind != bsontype.Double {
		return r.Unmarshal(p)
	}
	f := wire.Double(r.doc[r.body:])
	if float64(T(f)) != f && !math.IsNaN(f) {
		return r.Unmarshal(p)
	}
	*p = T(f)
	return nil
}

// DecodeString stores a string.
func DecodeString[T ~string](r *Reader, p *T) error {
	if r.kind != bsontype.String {
		return r.Unmarshal(p)
	}
	s, valid := r.texts.String(r.doc[r.body+4:r.pos-1], arena.Chunk)
	if !valid {
		return wire.ErrText
	}
	*p = T(s)
	return nil
}

// DecodeObjectID stores an ObjectID.
func DecodeObjectID(r *Reader, p *bson.ObjectID) error {
	if r.kind != bsontype.ObjectID {
		return r.Unmarshal(p)
	}
	*p = bson.ObjectID(r.doc[r.body:r.pos])
	return nil
}

// DecodeTime stores a date in UTC.
func DecodeTime(r *Reader, p *time.Time) error {
	if r.kind != bsontype.DateTime {
		return r.Unmarshal(p)
	}
	*p = Time(uint64(wire.Int64(r.doc[r.body:])))
	return nil
}

// Time returns a date in UTC. Its milliseconds have a sign.
func Time(milliseconds uint64) time.Time { return time.UnixMilli(int64(milliseconds)).UTC() }
