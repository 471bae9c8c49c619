package bson

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Unmarshal decodes a document into v, a map or a pointer, which must not be nil. It is the reverse of [Marshal]. A
// struct field takes the element whose key, or its lower-case form, is the name of the field; other fields stay as they
// are. A map keeps its other elements, a slice is filled from the start, and null sets the zero value. A number decodes
// into any Go number type that can hold it without loss. An any receives a float64, string, D, A, Binary, ObjectID,
// bool, DateTime, nil, Regex, int32, int64, Timestamp, Decimal128 or one of the rarer types of this package.
//
// The data must be exactly one document. Decoded values do not alias it, but values decoded into D, M or any share
// memory: keeping one of them may keep all in memory. The error is a [*DecodeError].
func Unmarshal(data []byte, v any, opts ...*UnmarshalOptions) error {
	// What the codecs get has this length and this end; wire.ValueSize finds the same of the documents inside.
	if _, err := wire.Body(data); err != nil {
		return decodeErrorAt(err, 0)
	}
	custom := decodesByUserCodec(v, opts) // user codecs come before methods
	if u := documentDecoderOf(v); u != nil && !custom && (len(opts) == 0 || !isStatic(v)) {
		// The codec of the type does the same, but more slowly.
		if err := u.DecodeBSON(Raw(data)); err != nil {
			return decodeErrorAt(err, 0)
		}
		return nil
	}
	if u := documentUnmarshalerOf(v); u != nil && !custom {
		if err := u.UnmarshalBSON(data[:len(data):len(data)]); err != nil {
			return decodeErrorAt(err, 0)
		}
		return nil
	}
	return decodeInto(RawValue{Type: bsontype.EmbeddedDocument, Value: data}, v, opts)
}

// decodesByUserCodec reports whether a user codec says how v is decoded. Of several Codecs, the last one applies.
func decodesByUserCodec(v any, opts []*UnmarshalOptions) bool {
	for _, o := range slices.Backward(opts) {
		if o != nil && o.Codecs != nil {
			c := o.Codecs.caches[0].userCodecFor(v)
			return c != nil && c.decode != nil
		}
	}
	return false
}

// documentUnmarshalerOf returns v if it decodes itself in two ways, from a document and from a value. Unmarshal has a
// document and takes the first way, as the official driver does.
func documentUnmarshalerOf(v any) Unmarshaler {
	u, ok := v.(Unmarshaler)
	if !ok || holdsNil(v) {
		return nil
	}
	if _, ok := v.(ValueUnmarshaler); !ok {
		return nil // the codec of its type does the same
	}
	return u
}

// documentDecoderOf returns v if it decodes itself from a document.
func documentDecoderOf(v any) DocumentDecoder {
	u, ok := v.(DocumentDecoder)
	if !ok || holdsNil(v) {
		return nil
	}
	if _, ok := v.(ValueDecoder); ok {
		return nil
	}
	return u
}

// unmarshalValue is Unmarshal for a value of any type.
func unmarshalValue(value RawValue, v any, opts []*UnmarshalOptions) error {
	switch n := wire.ValueSize(value.Type, value.Value); {
	case n < 0:
		return decodeErrorAt(wire.ValueError(value.Type, value.Value), 0)
	case n != len(value.Value):
		return decodeErrorAt(wire.Malformedf("%d bytes follow the %v", len(value.Value)-n, value.Type), n)
	}
	return decodeInto(value, v, opts)
}

func decodeInto(value RawValue, v any, opts []*UnmarshalOptions) error {
	t := reflect.TypeOf(v)
	if holdsNil(v) || t.Kind() != reflect.Pointer && t.Kind() != reflect.Map {
		return &DecodeError{Offset: -1, Err: newTargetError(t)}
	}
	d := newDecoder(value.Value, opts)
	defer d.release()
	var p address
	if t.Kind() == reflect.Map {
		p = addressFor(v, t) // of another variable that holds the map
	} else {
		t, p = t.Elem(), addressIn(v)
	}
	c := d.codecOf(t)
	if err := c.decode(c, d, value.Type, value.Value, p); err != nil {
		return d.fail(value.Value, err)
	}
	return nil
}

func newTargetError(t reflect.Type) error {
	switch {
	case t == nil:
		return errors.New("cannot decode into nil: pass a pointer to a variable")
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Map:
		return fmt.Errorf("cannot decode into a nil %v: pass a pointer to a variable", t)
	}
	return fmt.Errorf("cannot decode into a %v, which is neither pointer nor map: pass a pointer to it", t)
}

// newDecoder returns a decoder for root; release gives it back.
func newDecoder(root []byte, opts []*UnmarshalOptions) *decoder {
	d := decoders.Get().(*decoder)
	if slices.ContainsFunc(opts, func(o *UnmarshalOptions) bool { return o != nil }) {
		d.setOptions(mergeUnmarshalOptions(opts))
	} else {
		d.setNoOptions()
	}
	d.root = root
	d.boxes.limit.Values = len(root)/4 + 1
	return d
}

func (d *decoder) setOptions(o UnmarshalOptions) {
	d.opts = decOptions{
		document: o.DefaultDocument, truncate: o.AllowTruncatingDoubles, binaryAsSlice: o.BinaryAsSlice,
		objectIDAsHex: o.ObjectIDAsHexString, localTime: o.UseLocalTimeZone, zeroMaps: o.ZeroMaps, zeroStructs: o.ZeroStructs,
		rejectDuplicates: o.RejectDuplicateKeys, invalidText: o.AllowInvalidUTF8,
	}
	if o.DefaultDocument == DocumentLikeParent {
		d.opts.document, d.opts.likeParent = DocumentD, true
	}
	d.plain = o == UnmarshalOptions{MaxDepth: DefaultMaxDepth}
	caches := &defaultCaches
	d.anyTypes = nil
	if o.Codecs != nil {
		caches = &o.Codecs.caches
		d.anyTypes = &o.Codecs.anyTypes
	}
	d.codecs = caches[encBit(o.UseJSONStructTags, encJSONTags)]
	d.depth = o.MaxDepth
}

// Unmarshal decodes the value into dst, a non-nil pointer, by the rules of [Unmarshal].
func (v RawValue) Unmarshal(dst any, opts ...*UnmarshalOptions) error {
	return unmarshalValue(v, dst, opts)
}

// mergeUnmarshalOptions folds the options into one value; nil options are skipped.
func mergeUnmarshalOptions(opts []*UnmarshalOptions) UnmarshalOptions {
	m := UnmarshalOptions{MaxDepth: DefaultMaxDepth}
	for _, o := range opts {
		if o == nil {
			continue
		}
		m.UseJSONStructTags = m.UseJSONStructTags || o.UseJSONStructTags
		m.AllowTruncatingDoubles = m.AllowTruncatingDoubles || o.AllowTruncatingDoubles
		m.BinaryAsSlice = m.BinaryAsSlice || o.BinaryAsSlice
		m.ObjectIDAsHexString = m.ObjectIDAsHexString || o.ObjectIDAsHexString
		m.UseLocalTimeZone = m.UseLocalTimeZone || o.UseLocalTimeZone
		m.ZeroMaps = m.ZeroMaps || o.ZeroMaps
		m.ZeroStructs = m.ZeroStructs || o.ZeroStructs
		m.RejectDuplicateKeys = m.RejectDuplicateKeys || o.RejectDuplicateKeys
		m.AllowInvalidUTF8 = m.AllowInvalidUTF8 || o.AllowInvalidUTF8
		if o.DefaultDocument != DocumentD {
			m.DefaultDocument = o.DefaultDocument
		}
		if o.MaxDepth > 0 {
			m.MaxDepth = o.MaxDepth
		}
		if o.Codecs != nil {
			m.Codecs = o.Codecs
		}
	}
	m.UseJSONStructTags = m.UseJSONStructTags || m.Codecs != nil && m.Codecs.jsonTags
	return m
}

// setNoOptions is setOptions for a caller without options.
func (d *decoder) setNoOptions() {
	d.opts, d.plain, d.anyTypes, d.codecs, d.depth = decOptions{}, true, nil, defaultCaches[0], DefaultMaxDepth
}

// codecOf returns the codec of t. Programs mostly decode many documents into the same type.
func (d *decoder) codecOf(t reflect.Type) *codec {
	if d.lastCache != d.codecs || d.last.typ != t {
		d.last = d.codecs.codecOf(t)
		d.lastCache = d.codecs
	}
	return d.last
}
