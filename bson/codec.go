package bson

import (
	"reflect"
	"sync"

	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/bson/internal/names"
	"github.com/specdrivers/onion/bson/internal/static"
)

// codec is the compiled plan for one Go type: the functions that encode and decode a value at an address, with their
// data. A codec does not change once it is published.
type codec struct {
	typ    reflect.Type
	encode encodeFunc
	decode decodeFunc
	empty  emptyFunc // for omitempty

	elem *codec  // of pointers, slices, arrays and maps
	op   fieldOp // of elem: it decodes a value of BSON type want
	want Type
	via  *codec // of the type that the user's codec converts to
	size uintptr
	keys *mapKeys
	plan *structPlan
	err  error // why values of this type cannot be encoded or decoded

	// How the type is encoded or decoded follows from the type itself or from a method of it, not from its kind.
	customEncode, customDecode bool

	zeroer      bool       // the type, or its pointer, has a method IsZero
	pointerType typeWord   // the type word of an any that holds a pointer to typ
	plain       decodeFunc // decode without the interfaces of the standard library
	binary      bool       // binary data goes to encoding.BinaryUnmarshaler
	user        bool       // the user's codec encodes and decodes it

	static        *static.Info // of generated methods, nil if there are none
	dynamicEncode encodeFunc   // encode without them
	dynamicDecode decodeFunc   // decode without them
}

// encodeFunc appends the value at p and returns its BSON type.
type encodeFunc func(c *codec, f encState, dst []byte, p address) ([]byte, Type, error)

// decodeFunc stores the value b of type t, which has passed wire.ValueSize, at p.
type decodeFunc func(c *codec, d *decoder, t Type, b []byte, p address) error

// emptyFunc reports whether omitempty leaves out the value at p.
type emptyFunc func(c *codec, f encState, p address) bool

// codecCache holds the codecs of all types that were encoded or decoded under the options that change what a codec
// looks like. Types are few and never go away.
type codecCache struct {
	jsonTags          bool // as UseJSONStructTags
	errorOnDuplicates bool // as ErrorOnInlineDuplicates
	userCodecs        map[reflect.Type]*userCodec
	byType            sync.Map // reflect.Type to *codec
	compile           func(*codecCache, reflect.Type) *codec
}

// userCodec says how the user wants a type to be encoded and decoded.
type userCodec struct {
	via    reflect.Type // the type that it converts to and from
	encode encodeFunc   // nil: as without the user codec
	decode decodeFunc   // nil: as without the user codec
}

// hasUserCodec reports whether there is a user codec for the type of v.
func (s *codecCache) hasUserCodec(v any) bool {
	return v != nil && s.userCodecs[reflect.TypeOf(v)] != nil
}

// userCodecFor returns the user codec for the type of v without its pointers, nil if there is none.
func (s *codecCache) userCodecFor(v any) *userCodec {
	t := reflect.TypeOf(v)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return s.userCodecs[t]
}

// codecOf returns the codec of t.
func (s *codecCache) codecOf(t reflect.Type) *codec {
	if c, ok := s.byType.Load(t); ok {
		return c.(*codec)
	}
	return s.compile(s, t)
}

// cacheSet is a cache for each combination of encJSONTags and encInlineDuplicates.
type cacheSet [4]*codecCache

// structPlan is what encoding and decoding a struct type needs to know.
type structPlan struct {
	fields    []field     // in the order of declaration, inlined ones in their place
	encFields []encField  // the same, for encoding
	decFields []decField  // the same, for decoding
	byName    names.Table // of fields
	rest      *field      // the inlined map, which takes every other element
	exported  []member    // the struct's own exported fields
}

// field is an element of the document that a struct is encoded as.
type field struct {
	name   string
	codec  *codec
	hops   []hop   // the pointers to inlined structs on the way
	offset uintptr // from the last hop, or from the struct
	index  []int   // position of the field, as in reflect.Type.FieldByIndex
	fieldTag
}

// hop is a pointer to an inlined struct.
type hop struct {
	offset uintptr
	target reflect.Type
}

type member struct {
	codec  *codec
	offset uintptr
	index  int
}

// encField is a field as encoding sees it, compact because a struct's fields are read one after the other.
type encField struct {
	start  [16]byte // the header again if it is short: copying 16 bytes at once is faster than copying a few
	header string   // the type byte if it is always the same, else 0; the name; a zero byte
	offset uintptr
	codec  *codec
	field  *field
	op     fieldOp
	short  uint8 // length of the header if start has it, else 0
	extra  bool  // the field has hops, or a tag that prepare looks at
}

// decField is a field as decoding sees it.
type decField struct {
	name   string
	head   uint64 // the first eight bytes of the name and a zero byte, or all of them
	mask   uint64 // the bits of head that count
	offset uintptr
	codec  *codec
	field  *field
	op     fieldOp
	want   Type // what the field is read from without a codec
	extra  bool // the field has hops or the tag truncate
}

// mapKeys converts the keys of a map type. Keys of a string kind are used as they are; others by KeyMarshaler and
// KeyUnmarshaler, or encoding.TextMarshaler and encoding.TextUnmarshaler, or as decimal numbers.
type mapKeys struct {
	encode func(key reflect.Value) (string, error)
	decode func(text string, key reflect.Value) error // key is addressable
}

// encState says how a value is encoded. It travels by value from a document to its parts.
type encState struct {
	bits   encBits
	codecs *codecCache
}

// decoder is the state of one Unmarshal.
type decoder struct {
	opts     decOptions
	plain    bool // no option is set
	codecs   *codecCache
	anyTypes *[256]reflect.Type // that an any receives, by BSON type; nil for the usual ones
	depth    int                // levels of nesting that are left

	// root is what is being decoded, and base where it starts in the document. Every value that is being decoded was
	// cut from root without limiting its capacity; offset relies on that.
	root []byte
	base int
	// owned says that root belongs to the decoded values: their strings and binary data may point into it.
	owned bool

	lastCache *codecCache // where last comes from
	last      *codec      // of the type decoded last

	texts arena.Texts // copies of text, when root is not owned
	boxes boxes
	spans []span // elements of the documents that are being decoded into D or M
}

// decOptions are the options of Unmarshal that decoding looks at.
type decOptions struct {
	document         DocumentType
	likeParent       bool // document is the type of the document around the values
	truncate         bool
	binaryAsSlice    bool
	objectIDAsHex    bool
	localTime        bool
	zeroMaps         bool
	zeroStructs      bool
	rejectDuplicates bool
	invalidText      bool
}

// span is where an element is in its document.
type span struct{ start, body, end uint32 }

type rootState struct {
	root  []byte
	base  int
	owned bool
}

// mayCycle reports whether a pointer to the type may lead back to itself without a document or array on the way, where
// levels are counted.
func (c *codec) mayCycle() bool {
	k := c.typ.Kind()
	return k == reflect.Pointer || k == reflect.Interface
}

// mismatchError is the error for a BSON type that the Go type cannot hold.
func (c *codec) mismatchError(t Type) error { return &TypeError{From: t, To: c.typ} }

// isStringMap reports whether the type has the memory layout of a map[string]any.
func (c *codec) isStringMap() bool {
	return c.typ.Key() == reflect.TypeFor[string]() && c.typ.Elem() == typeAny
}

var (
	typeE      = reflect.TypeFor[E]()
	typeByte   = reflect.TypeFor[byte]()
	typeString = reflect.TypeFor[string]()
	typeAny    = reflect.TypeFor[any]()
)

// compiler makes the codecs that one type needs.
type compiler struct {
	cache *codecCache
	made  map[reflect.Type]*codec
	codec func(reflect.Type) *codec // returns the codec of a type
}

// encBits are marshal options as bits, and above them how many levels of nesting are left.
type encBits uint64

const (
	encJSONTags encBits = 1 << iota
	encInlineDuplicates
	encNilSliceAsEmpty
	encNilMapAsEmpty
	encNilBytesAsEmpty
	encOmitEmpty
	encOmitZeroStruct
	encMinSize
	encStringifyKeys
	encInvalidText
	encUserCodecs

	encLevel encBits = 1 << 32
)

// fail makes every use of the codec an error.
func (c *codec) fail(err error) {
	c.err = err
	c.empty = isNeverEmpty
	c.encode = func(_ *codec, _ encState, dst []byte, _ address) ([]byte, Type, error) { return dst, 0, err }
	c.decode = func(*codec, *decoder, Type, []byte, address) error { return err }
}

func isNeverEmpty(*codec, encState, address) bool { return false }
