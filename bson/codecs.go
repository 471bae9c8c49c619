package bson

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Codecs is a set of codecs for types that a program cannot add methods to, or that one client or
// collection treats differently. Pass it in the options of Marshal and Unmarshal, or of a client, database or
// collection. A Codecs is immutable and safe for concurrent use.
type Codecs struct {
	types    map[reflect.Type]*userCodec
	anyTypes [256]reflect.Type // by BSON type
	jsonTags bool
	caches   cacheSet
}

// Codec says how one type is encoded and decoded. NewCodec, AnyAs and JSONTags make one, for a [Codecs].
type Codec struct {
	typ reflect.Type
	userCodec

	anyType  bsontype.Type // set by AnyAs
	jsonTags bool          // set by JSONTags
}

// NewCodec returns a codec that writes values of type T as the S that encode returns, and reads them from an S by
// decode. S is any type that has a BSON form: string, int64, [Binary], [Decimal128], a struct, or [RawValue], which
// takes every BSON type.
//
// Either function may be nil: that direction then stays as it is without the codec. The functions are called
// concurrently. Null sets the zero value of T without calling decode, unless S is RawValue. omitempty leaves out the
// zero value of T, or what its method IsZero says.
func NewCodec[T, S any](encode func(T) (S, error), decode func(S) (T, error)) Codec {
	c := Codec{typ: reflect.TypeFor[T](), userCodec: userCodec{via: reflect.TypeFor[S]()}}
	if encode != nil {
		c.encode = func(c *codec, f encState, dst []byte, p address) ([]byte, Type, error) {
			s, err := encode(*toPointer[T](p))
			if err != nil {
				return dst, 0, err
			}
			return c.via.encode(c.via, f, dst, addressTo(&s))
		}
	}
	if decode != nil {
		seesNull := c.via == reflect.TypeFor[RawValue]()
		c.decode = func(c *codec, d *decoder, t Type, b []byte, p address) error {
			var v T
			if !wire.IsNull(t) || seesNull {
				var s S
				err := c.via.decode(c.via, d, t, b, addressTo(&s))
				if err == nil {
					v, err = decode(s)
				}
				if err != nil {
					return err
				}
			}
			*toPointer[T](p) = v
			return nil
		}
	}
	return c
}

// AnyAs returns a codec that makes values of the BSON type t a T when they are decoded into an any: in a [D], [M] or
// [A], or in a field whose type is an interface without methods.
func AnyAs[T any](t bsontype.Type) Codec { return Codec{typ: reflect.TypeFor[T](), anyType: t} }

// JSONTags returns a codec that makes fields without a bson tag take name and omitempty from their json tag, as with the
// option UseJSONStructTags.
func JSONTags() Codec { return Codec{jsonTags: true} }

// NewCodecs checks the codecs and combines them. It returns an error for two codecs for one type, for a T that is an
// interface or a pointer, for an S without a BSON form, and for codecs that form a cycle. A codec for a type also applies
// to pointers to it.
func NewCodecs(codecs ...Codec) (*Codecs, error) {
	cs := &Codecs{types: map[reflect.Type]*userCodec{}}
	for _, r := range codecs {
		if err := cs.add(r); err != nil {
			return nil, fmt.Errorf("bson: codecs: %w", err)
		}
	}
	cs.caches = newCacheSet(cs.types)
	for _, r := range codecs {
		if err := cs.check(r); err != nil {
			return nil, fmt.Errorf("bson: codecs: %w", err)
		}
	}
	return cs, nil
}

func (cs *Codecs) add(r Codec) error {
	switch {
	case r.jsonTags:
		cs.jsonTags = true
	case r.typ == nil:
		return errors.New("a codec is empty: make it with NewCodec, AnyAs or JSONTags")
	case r.via == nil:
		if !r.anyType.IsValid() {
			return fmt.Errorf("AnyAs[%v]: there is no BSON type 0x%02x", r.typ, byte(r.anyType))
		}
		if cs.anyTypes[r.anyType] != nil {
			return fmt.Errorf("two codecs decode %v into an any: leave one out", r.anyType)
		}
		cs.anyTypes[r.anyType] = r.typ
	case r.encode == nil && r.decode == nil:
		return fmt.Errorf("the codec for %v has no function: pass encode, decode or both", r.typ)
	case r.typ.Kind() == reflect.Interface || r.typ.Kind() == reflect.Pointer:
		return fmt.Errorf("%v is an interface or pointer: a codec needs the type of the values themselves", r.typ)
	case cs.types[r.typ] != nil:
		return fmt.Errorf("there are two codecs for %v: leave one out", r.typ)
	default:
		cs.types[r.typ] = &r.userCodec
	}
	return nil
}

// check looks at a codec after all codecs are known, because the type that one converts to may have a codec of its
// own.
func (cs *Codecs) check(r Codec) error {
	if r.typ == nil {
		return nil
	}
	if r.via == nil {
		return cs.checkForm(r.typ)
	}
	for t, n := r.via, 0; cs.types[t] != nil; t, n = cs.types[t].via, n+1 {
		if t == r.typ || n > len(cs.types) {
			return fmt.Errorf("the codecs lead from %v back to %v", r.typ, t)
		}
	}
	return cs.checkForm(r.via)
}

// checkForm returns an error if the codecs and the package together give t no BSON form.
func (cs *Codecs) checkForm(t reflect.Type) error {
	if err := cs.caches[0].codecOf(t).err; err != nil {
		return fmt.Errorf("%v: %w", t, err)
	}
	return nil
}
