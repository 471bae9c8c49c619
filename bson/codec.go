package bson

import (
	"reflect"
	"sync"
	"unsafe"
)

// codec is the compiled plan for one Go type: functions that encode and decode the value at an address, and what they need
// to know. Codecs are immutable once published.
type codec struct {
	typ    reflect.Type
	encode encodeFunc
	decode decodeFunc
	empty  emptyFunc // for omitempty

	elem *codec // of pointers, slices, arrays and maps
	size uintptr
	keys *mapKeys
	plan *structPlan
	err  error // why values of this type cannot be encoded or decoded

	// The type itself, or a method of it, and not its kind, decides how it is encoded or decoded.
	customEncode, customDecode bool

	zeroer      bool           // the type, or its pointer, has a method IsZero
	pointerType unsafe.Pointer // the type word of an any that holds a pointer to typ
	plain       decodeFunc     // decode without the interfaces of the standard library
	binary      bool           // binary data goes to encoding.BinaryUnmarshaler
}

// encodeFunc appends the value at p and returns its BSON type.
type encodeFunc func(c *codec, f encFlags, dst []byte, p unsafe.Pointer) ([]byte, Type, error)

// decodeFunc stores the value b of type t, which has passed valueSize, at p.
type decodeFunc func(c *codec, d *decoder, t Type, b []byte, p unsafe.Pointer) error

// emptyFunc reports whether omitempty leaves out the value at p.
type emptyFunc func(c *codec, f encFlags, p unsafe.Pointer) bool

// planVariant selects one of the caches of codecs, by the options that change what a plan looks like.
type planVariant uint8

func (v planVariant) jsonTags() bool { return encFlags(v)&encJSONTags != 0 }

func (v planVariant) errorOnDuplicates() bool { return encFlags(v)&encInlineDuplicates != 0 }

// codecs caches every codec ever compiled, by reflect.Type. Types are few and never go away.
var codecs [4]sync.Map

// codecOf returns the codec of t.
func codecOf(t reflect.Type, v planVariant) *codec {
	if c, ok := codecs[v].Load(t); ok {
		return c.(*codec)
	}
	b := compiler{variant: v, made: map[reflect.Type]*codec{}}
	c := b.codec(t)
	for _, c := range b.made {
		c.finish()
	}
	// Codecs that refer to each other are published together, after all are complete. Another goroutine may publish its own
	// first; both work.
	for t, c := range b.made {
		codecs[v].LoadOrStore(t, c)
	}
	return c
}

// compiler makes the codecs that one type needs.
type compiler struct {
	variant planVariant
	made    map[reflect.Type]*codec
}

// codec returns the codec of t, which may still be incomplete when t contains itself.
func (b *compiler) codec(t reflect.Type) *codec {
	if c, ok := codecs[b.variant].Load(t); ok {
		return c.(*codec)
	}
	if c, ok := b.made[t]; ok {
		return c
	}
	pointer := reflect.PointerTo(t)
	c := &codec{typ: t, size: t.Size(), pointerType: typeWord(reflect.Zero(pointer).Interface())}
	c.zeroer = t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && pointer.Implements(typeZeroer)
	b.made[t] = c
	if !c.useExact() {
		b.byKind(c)
	}
	c.useEncoders()
	c.useDecoders()
	return c
}

// finish does what needs the codecs of the fields to be complete.
func (c *codec) finish() {
	if c.plan == nil {
		return
	}
	for i := range c.plan.fields {
		c.plan.encFields = append(c.plan.encFields, newEncField(&c.plan.fields[i]))
		c.plan.decFields = append(c.plan.decFields, newDecField(&c.plan.fields[i]))
	}
}

// byKind fills in c by the kind of its type.
func (b *compiler) byKind(c *codec) {
	c.empty = emptyNever
	switch c.typ.Kind() {
	case reflect.Bool:
		c.encode, c.decode, c.empty = encodeBool, decodeBool, emptyZero[bool]
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.useInt()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.useUint()
	case reflect.Float32:
		c.encode, c.decode, c.empty = encodeFloat[float32], decodeFloat32, emptyZero[float32]
	case reflect.Float64:
		c.encode, c.decode, c.empty = encodeFloat[float64], decodeFloat64, emptyZero[float64]
	case reflect.String:
		c.encode, c.decode, c.empty = encodeString, decodeString, emptyZero[string]
		if c.typ.PkgPath() == "encoding/json" && c.typ.Name() == "Number" {
			c.encode, c.decode = encodeJSONNumber, decodeJSONNumber
			c.customEncode, c.customDecode = true, true
		}
	case reflect.Interface:
		b.useInterface(c)
	case reflect.Pointer:
		c.elem = b.codec(c.typ.Elem())
		c.encode, c.decode, c.empty = encodePointer, decodePointer, emptyPointer
	case reflect.Slice:
		b.useSlice(c)
	case reflect.Array:
		b.useArray(c)
	case reflect.Map:
		b.useMap(c)
	case reflect.Struct:
		b.useStruct(c)
	default:
		c.fail(errNoEncoding)
	}
}

// fail makes every use of the codec an error.
func (c *codec) fail(err error) {
	c.err = err
	c.empty = emptyNever
	c.encode = func(c *codec, _ encFlags, dst []byte, _ unsafe.Pointer) ([]byte, Type, error) {
		return dst, 0, c.err
	}
	c.decode = func(c *codec, _ *decoder, _ Type, _ []byte, _ unsafe.Pointer) error { return c.err }
}
