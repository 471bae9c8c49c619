package bson

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// defaultCaches serve calls without codecs of the user.
var defaultCaches = newCacheSet(nil)

func newCacheSet(userCodecs map[reflect.Type]*userCodec) (set cacheSet) {
	for i := range set {
		set[i] = &codecCache{
			jsonTags: encBits(i)&encJSONTags != 0, errorOnDuplicates: encBits(i)&encInlineDuplicates != 0,
			userCodecs: userCodecs, compile: compile,
		}
	}
	return set
}

// compile makes the codec of t and of the types that t needs.
func compile(s *codecCache, t reflect.Type) *codec {
	b := &compiler{cache: s, made: map[reflect.Type]*codec{}}
	b.codec = b.compileType
	c := b.codec(t)
	for _, c := range b.made {
		c.finish()
	}
	// Codecs that refer to each other are published together, after all are complete. If another goroutine has compiled
	// the same type meanwhile, its codecs stay: both work.
	for t, c := range b.made {
		s.byType.LoadOrStore(t, c)
	}
	return c
}

// compileType returns the codec of t, which may still be incomplete when t contains itself.
func (b *compiler) compileType(t reflect.Type) *codec {
	if c, ok := b.cache.byType.Load(t); ok {
		return c.(*codec)
	}
	if c, ok := b.made[t]; ok {
		return c
	}
	pointer := reflect.PointerTo(t)
	c := &codec{typ: t, size: t.Size(), pointerType: typeWordOf(reflect.Zero(pointer).Interface())}
	c.zeroer = t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer && pointer.Implements(typeZeroer)
	c.static = staticInfo(t)
	b.made[t] = c
	if !c.useExact() {
		b.useKind(c)
	}
	if c.static != nil {
		c.useStatic()
	} else {
		c.useEncoders()
		c.useDecoders()
	}
	b.applyUserCodec(c)
	return c
}

// finish does what has to wait until the codecs of the fields and elements are complete.
func (c *codec) finish() {
	if c.elem != nil {
		c.op = opOf(c.elem, c.elem.customDecode)
		c.want = typeOfOp[c.op]
	}
	if c.plan == nil {
		return
	}
	for i := range c.plan.fields {
		c.plan.encFields = append(c.plan.encFields, newEncField(&c.plan.fields[i]))
		c.plan.decFields = append(c.plan.decFields, newDecField(&c.plan.fields[i]))
	}
}

// useKind fills in c by the kind of its type. Methods of the type and the user's codecs come after it and replace what
// it set.
func (b *compiler) useKind(c *codec) {
	c.empty = isNeverEmpty
	switch c.typ.Kind() {
	case reflect.Bool:
		c.encode, c.decode, c.empty = encodeBool, decodeBool, isZeroValue[bool]
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.useInt()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.useUint()
	case reflect.Float32:
		c.encode, c.decode, c.empty = encodeFloat[float32], decodeFloat32, isZeroValue[float32]
	case reflect.Float64:
		c.encode, c.decode, c.empty = encodeFloat[float64], decodeFloat64, isZeroValue[float64]
	case reflect.String:
		c.encode, c.decode, c.empty = encodeString, decodeString, isZeroValue[string]
		if c.typ == reflect.TypeFor[json.Number]() {
			c.encode, c.decode = encodeJSONNumber, decodeJSONNumber
			c.customEncode, c.customDecode = true, true
		}
	case reflect.Interface:
		b.useInterface(c)
	case reflect.Pointer:
		c.elem = b.codec(c.typ.Elem())
		c.encode, c.decode, c.empty = encodePointer, decodePointer, isEmptyPointer
	case reflect.Slice:
		b.useSlice(c)
	case reflect.Array:
		b.useArray(c)
	case reflect.Map:
		b.useMap(c)
	case reflect.Struct:
		b.useStruct(c)
	default:
		c.fail(fmt.Errorf("there is no BSON type for %v: leave the field out, with the tag `bson:\"-\"`", c.typ))
	}
}
