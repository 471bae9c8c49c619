package bson

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/specdrivers/onion/bson/internal/static"
)

// codec is the compiled plan for one Go type: functions that encode and decode the value at an address, and what they need
// to know. Codecs are immutable once published.
type codec struct {
	typ    reflect.Type
	encode encodeFunc
	decode decodeFunc
	empty  emptyFunc // for omitempty

	elem *codec // of pointers, slices, arrays and maps
	via  *codec // of what the user's codec converts to
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
	user        bool           // a codec of the user decides

	static        *static.Info // of generated methods, nil if there are none
	dynamicEncode encodeFunc   // encode without them
	dynamicDecode decodeFunc   // decode without them
}

// encodeFunc appends the value at p and returns its BSON type.
type encodeFunc func(c *codec, f encState, dst []byte, p unsafe.Pointer) ([]byte, Type, error)

// decodeFunc stores the value b of type t, which has passed valueSize, at p.
type decodeFunc func(c *codec, d *decoder, t Type, b []byte, p unsafe.Pointer) error

// emptyFunc reports whether omitempty leaves out the value at p.
type emptyFunc func(c *codec, f encState, p unsafe.Pointer) bool

// codecCache holds the codecs of all types that were encoded or decoded under the options that change what a codec looks
// like. Types are few and never go away.
type codecCache struct {
	jsonTags          bool // as UseJSONTags
	errorOnDuplicates bool // as ErrorOnInlineDuplicates
	user              *Codecs
	byType            sync.Map // reflect.Type to *codec
	compile           func(*codecCache, reflect.Type) *codec
}

// of returns the codec of t.
func (s *codecCache) of(t reflect.Type) *codec {
	if c, ok := s.byType.Load(t); ok {
		return c.(*codec)
	}
	return s.compile(s, t)
}

// cacheSet is a cache for each combination of encJSONTags and encInlineDuplicates.
type cacheSet [4]*codecCache

func newCacheSet(user *Codecs) (set cacheSet) {
	for i := range set {
		set[i] = &codecCache{
			jsonTags: encBits(i)&encJSONTags != 0, errorOnDuplicates: encBits(i)&encInlineDuplicates != 0,
			user: user, compile: compile,
		}
	}
	return set
}

// defaultCaches are those without codecs of the user.
var defaultCaches = newCacheSet(nil)

// compile makes the codec of t and of the types that t needs.
func compile(s *codecCache, t reflect.Type) *codec {
	b := compiler{cache: s, made: map[reflect.Type]*codec{}}
	c := b.codec(t)
	for _, c := range b.made {
		c.finish()
	}
	// Codecs that refer to each other are published together, after all are complete. Another goroutine may publish its own
	// first; both work.
	for t, c := range b.made {
		s.byType.LoadOrStore(t, c)
	}
	return c
}

// compiler makes the codecs that one type needs.
type compiler struct {
	cache *codecCache
	made  map[reflect.Type]*codec
}

// codec returns the codec of t, which may still be incomplete when t contains itself.
func (b *compiler) codec(t reflect.Type) *codec {
	if c, ok := b.cache.byType.Load(t); ok {
		return c.(*codec)
	}
	if c, ok := b.made[t]; ok {
		return c
	}
	pointer := reflect.PointerTo(t)
	c := &codec{typ: t, size: t.Size(), pointerType: typeWord(reflect.Zero(pointer).Interface())}
	c.zeroer = t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && pointer.Implements(typeZeroer)
	c.static = staticInfo(t)
	b.made[t] = c
	if !c.useExact() {
		b.byKind(c)
	}
	if c.static != nil {
		c.useStatic()
	} else {
		c.useEncoders()
		c.useDecoders()
	}
	b.useUser(c)
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
	c.encode = func(_ *codec, _ encState, dst []byte, _ unsafe.Pointer) ([]byte, Type, error) { return dst, 0, err }
	c.decode = func(*codec, *decoder, Type, []byte, unsafe.Pointer) error { return err }
}
