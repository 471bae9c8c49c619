package bson

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// SharedValue is a value of a document whose texts are copied into memory that they share.
type SharedValue struct {
	RawValue
	texts *texts // nil: every text is copied by itself
}

var sharedTexts = sync.Pool{New: func() any { return new(texts) }}

// DecodeShared calls decode with a reader of doc whose values share the memory for their texts.
func DecodeShared[T any](p *T, doc Raw, decode func(*T, Reader) error) error {
	r := NewReader(doc)
	shared := sharedTexts.Get().(*texts)
	r.texts = shared
	err := decode(p, r)
	shared.release()
	sharedTexts.Put(shared)
	return err
}

// Each function below stores one value and has the form func(*T, SharedValue) error, so that those for lists and maps take
// those for their elements. A value that is not of the type's own kind goes to [RawValue.Unmarshal], which converts it or
// reports why not.

// DecodeValue stores a value of any type.
func DecodeValue[T any](p *T, v SharedValue) error { return v.Unmarshal(p) }

// DecodeBool stores a boolean.
func DecodeBool[T ~bool](p *T, v SharedValue) error {
	b, ok := v.BooleanOK()
	if !ok {
		return v.Unmarshal(p)
	}
	*p = T(b)
	return nil
}

// DecodeInt stores an integer.
func DecodeInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](p *T, v SharedValue) error {
	n, ok := v.integer()
	if !ok || int64(T(n)) != n {
		return v.Unmarshal(p)
	}
	*p = T(n)
	return nil
}

// DecodeUint stores an integer without a sign.
func DecodeUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](p *T, v SharedValue) error {
	n, ok := v.integer()
	if !ok || n < 0 || uint64(T(n)) != uint64(n) {
		return v.Unmarshal(p)
	}
	*p = T(n)
	return nil
}

func (v SharedValue) integer() (int64, bool) {
	switch {
	case v.Type == bsontype.Int32 && len(v.Value) == 4:
		return int64(wire.Int32(v.Value)), true
	case v.Type == bsontype.Int64 && len(v.Value) == 8:
		return wire.Int64(v.Value), true
	}
	return 0, false
}

// DecodeFloat stores a double.
func DecodeFloat[T ~float32 | ~float64](p *T, v SharedValue) error {
	if v.Type != bsontype.Double || len(v.Value) != 8 {
		return v.Unmarshal(p)
	}
	f := wire.Double(v.Value)
	if float64(T(f)) != f && !math.IsNaN(f) {
		return v.Unmarshal(p)
	}
	*p = T(f)
	return nil
}

// DecodeString stores a string.
func DecodeString[T ~string](p *T, v SharedValue) error {
	if v.Type != bsontype.String || len(v.Value) < 5 {
		return v.Unmarshal(p)
	}
	text := wire.Text(v.Value)
	if v.texts == nil {
		if !wire.ValidText(text) {
			return wire.ErrText
		}
		*p = T(text)
		return nil
	}
	s, valid := v.texts.string(text, textChunk)
	if !valid {
		return wire.ErrText
	}
	*p = T(s)
	return nil
}

// DecodeObjectID stores an ObjectID.
func DecodeObjectID(p *ObjectID, v SharedValue) error {
	if v.Type != bsontype.ObjectID || len(v.Value) != len(p) {
		return v.Unmarshal(p)
	}
	copy(p[:], v.Value)
	return nil
}

// DecodeTime stores a date in UTC.
func DecodeTime(p *time.Time, v SharedValue) error {
	t, ok := v.TimeOK()
	if !ok {
		return v.Unmarshal(p)
	}
	*p = t
	return nil
}

// DecodeNested stores a document with a function that reads it.
func DecodeNested[T any](p *T, v SharedValue, decode func(*T, Reader) error) error {
	if v.Type != bsontype.EmbeddedDocument {
		return v.documentMismatch(p)
	}
	r := NewReader(v.Value)
	r.texts = v.texts
	return decode(p, r)
}

// documentMismatch sets the zero value for null, and otherwise reports that p, a pointer to a struct, takes documents.
func (v SharedValue) documentMismatch(p any) error {
	target := reflect.ValueOf(p).Elem()
	if !wire.IsNull(v.Type) {
		return &TypeError{From: v.Type, To: target.Type()}
	}
	target.SetZero()
	return nil
}

// DecodePointer stores what the pointer points to, and nil for null.
func DecodePointer[T any](p **T, v SharedValue, decode func(*T, SharedValue) error) error {
	if wire.IsNull(v.Type) {
		*p = nil
		return nil
	}
	if *p != nil {
		return decode(*p, v)
	}
	target := new(T)
	if err := decode(target, v); err != nil {
		return err
	}
	*p = target
	return nil
}

// DecodeSlice stores the elements of an array, in the memory of the slice if that is long enough, and nil for null.
func DecodeSlice[S ~[]T, T any](p *S, v SharedValue, decode func(*T, SharedValue) error) error {
	if wire.IsNull(v.Type) {
		*p = nil
		return nil
	}
	if v.Type != bsontype.Array {
		return &TypeError{From: v.Type, To: reflect.TypeFor[S]()}
	}
	n := wire.CountElements(v.Value)
	s := *p
	if s == nil || cap(s) < n {
		s = make(S, n)
	} else {
		s = s[:n]
		clear(s)
	}
	*p = s
	r := newArrayReader(v.Value)
	r.texts = v.texts
	for r.Next() {
		if err := decode(&s[r.index], r.Shared()); err != nil {
			return r.Fail(err)
		}
	}
	return r.Err()
}

// DecodeMap adds the elements of a document to the map, and stores nil for null.
func DecodeMap[M ~map[K]T, K ~string, T any](p *M, v SharedValue, decode func(*T, SharedValue) error) error {
	if wire.IsNull(v.Type) {
		*p = nil
		return nil
	}
	if v.Type != bsontype.EmbeddedDocument {
		return &TypeError{From: v.Type, To: reflect.TypeFor[M]()}
	}
	if *p == nil {
		*p = make(M, wire.CountElements(v.Value))
	}
	r := NewReader(v.Value)
	r.texts = v.texts
	for r.Next() {
		if err := DecodeMapElement(p, r.Key(), r.Shared(), decode); err != nil {
			return r.Fail(err)
		}
	}
	return r.Err()
}

// DecodeMapElement stores one element in the map, which it makes if there is none.
func DecodeMapElement[M ~map[K]T, K ~string, T any](p *M, key string, v SharedValue, decode func(*T, SharedValue) error) error {
	if !wire.ValidString(key) {
		return wire.ErrKeyText
	}
	var elem T
	if err := decode(&elem, v); err != nil {
		return err
	}
	if *p == nil {
		*p = M{}
	}
	(*p)[K(strings.Clone(key))] = elem
	return nil
}

// LowerKey returns the key with ASCII letters in lower case, and whether that makes a difference: elements whose key is not
// the name of a field may still be meant for it.
func LowerKey(key string) (lower string, changed bool) {
	for i := range len(key) {
		if key[i]-'A' < 26 {
			return strings.Map(lowerASCII, key), true
		}
	}
	return key, false
}

func lowerASCII(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}
