package bson

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/specdrivers/onion/bson/internal/arena"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// readAny decodes the value b of type t into the Go type that it has in a D.
func (d *decoder) readAny(t Type, b []byte) (any, error) {
	if d.anyTypes != nil && d.anyTypes[t] != nil {
		return d.decodeAnyAs(d.anyTypes[t], t, b)
	}
	if d.owned { // a number can stay where it is, which costs neither memory nor a branch on its type
		if v, ok := anyInPlace(t, b); ok {
			return v, nil
		}
	}
	switch t {
	case bsontype.String:
		text := wire.Text(b)
		if !d.checkText(text) {
			return nil, d.fail(b, wire.ErrText)
		}
		return makeAny(wordString, d.boxes.strings.Put(d.ownString(text), &d.boxes.limit)), nil
	case bsontype.Int32:
		return makeAny(wordInt32, d.boxes.int32s.Put(int32(binary.LittleEndian.Uint32(b)), &d.boxes.limit)), nil
	case bsontype.Int64:
		return makeAny(wordInt64, d.boxes.int64s.Put(int64(binary.LittleEndian.Uint64(b)), &d.boxes.limit)), nil
	case bsontype.Double:
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		return makeAny(wordFloat64, d.boxes.float64s.Put(v, &d.boxes.limit)), nil
	case bsontype.Boolean:
		if b[0] > 1 {
			return nil, d.fail(b, wire.ErrBoolean)
		}
		return b[0] == 1, nil
	case bsontype.EmbeddedDocument:
		return d.readAnyDocument(b)
	case bsontype.Array:
		a, err := d.readArray(b)
		if err != nil {
			return nil, err
		}
		return makeAny(wordA, d.boxes.as.Put(a, &d.boxes.limit)), nil
	case bsontype.ObjectID:
		return makeAny(wordObjectID, d.boxes.objectIDs.Put(ObjectID(b), &d.boxes.limit)), nil
	case bsontype.DateTime:
		v := DateTime(binary.LittleEndian.Uint64(b))
		return makeAny(wordDateTime, d.boxes.dateTimes.Put(v, &d.boxes.limit)), nil
	case bsontype.Null:
		return nil, nil
	}
	return d.readRareAny(t, b)
}

// decodeAnyAs decodes into a new value of the type that the user's codecs name.
func (d *decoder) decodeAnyAs(as reflect.Type, t Type, b []byte) (any, error) {
	v := reflect.New(as)
	c := d.codecs.codecOf(as)
	if err := c.decode(c, d, t, b, addressAt(v)); err != nil {
		return nil, d.fail(b, err)
	}
	return v.Elem().Interface(), nil
}

// readRareAny is readAny for the types that are less common.
func (d *decoder) readRareAny(t Type, b []byte) (any, error) {
	switch t {
	case bsontype.Binary:
		v, err := d.readBinary(b)
		if err == nil && d.opts.binaryAsSlice && (v.Subtype == bsontype.BinaryGeneric || v.Subtype == bsontype.BinaryOld) {
			return v.Data, nil
		}
		return makeAny(wordBinary, d.boxes.useRare().binaries.Put(v, &d.boxes.limit)), err
	case bsontype.Undefined:
		return Undefined{}, nil
	case bsontype.Regex:
		v, err := d.readRegex(b)
		return makeAny(wordRegex, d.boxes.useRare().regexes.Put(v, &d.boxes.limit)), err
	case bsontype.DBPointer:
		return d.readDBPointer(b)
	case bsontype.JavaScript:
		s, err := d.readText(b)
		return makeAny(wordJavaScript, d.boxes.useRare().javaScripts.Put(JavaScript(s), &d.boxes.limit)), err
	case bsontype.Symbol:
		s, err := d.readText(b)
		return Symbol(s), err
	case bsontype.CodeWithScope:
		v, err := d.readCodeWithScope(b)
		return makeAny(wordCodeWithScope, d.boxes.useRare().scopes.Put(v, &d.boxes.limit)), err
	case bsontype.Timestamp:
		return makeAny(wordTimestamp, d.boxes.useRare().timestamps.Put(timestampOf(b), &d.boxes.limit)), nil
	case bsontype.Decimal128:
		return makeAny(wordDecimal128, d.boxes.useRare().decimals.Put(decimal128Of(b), &d.boxes.limit)), nil
	case bsontype.MinKey:
		return MinKey{}, nil
	case bsontype.MaxKey:
		return MaxKey{}, nil
	}
	return nil, d.fail(b, wire.ValueError(t, b))
}

// enterAny makes the documents inside an any decode into one type, until the document around them ends.
func (d *decoder) enterAny(parent DocumentType) (end func()) {
	before := d.opts.document
	d.opts.document = parent
	return func() { d.opts.document = before }
}

// readAnyDocument decodes a document into the type that the options name.
func (d *decoder) readAnyDocument(b []byte) (any, error) {
	switch d.opts.document {
	case DocumentM:
		m, err := d.readMap(b, nil)
		return M(m), err
	case DocumentMap:
		m, err := d.readMap(b, nil)
		return m, err
	case DocumentRaw:
		return Raw(d.ownBytes(b)), nil
	}
	v, err := d.readDocument(b)
	if err != nil {
		return nil, err
	}
	return makeAny(wordD, d.boxes.ds.Put(v, &d.boxes.limit)), nil
}

// readDocument decodes a document into a D.
func (d *decoder) readDocument(b []byte) (D, error) {
	mark, scanErr := d.scan(b)
	out := d.boxes.elems.Take(len(d.spans)-mark, &d.boxes.limit)
	for j := range out {
		s, e := d.spans[mark+j], &out[j]
		t, value := Type(b[s.start]), b[s.body:s.end]
		if key := b[s.start+1 : s.body-1]; d.owned {
			e.Key = wire.AliasString(key)
		} else {
			e.Key = d.ownString(key)
		}
		var err error
		if d.owned && d.anyTypes == nil { // without the calls of readAny
			var done bool
			if e.Value, done = anyInPlace(t, value); done {
				continue
			}
			if t == bsontype.String {
				if text := wire.Text(value); wire.ValidText(text) {
					e.Value = makeAny(wordString, d.boxes.strings.Put(wire.AliasString(text), &d.boxes.limit))
					continue
				}
			}
			if t == bsontype.EmbeddedDocument && d.opts.document == DocumentD {
				var v D
				if v, err = d.readDocument(value); err != nil {
					return nil, d.failIn(b, s, err)
				}
				e.Value = makeAny(wordD, d.boxes.ds.Put(v, &d.boxes.limit))
				continue
			}
		}
		if e.Value, err = d.readAny(t, value); err != nil {
			return nil, d.failIn(b, s, err)
		}
	}
	d.leave(mark)
	return D(out), scanErr
}

// readMap decodes a document into m, or into a new map if m is nil.
func (d *decoder) readMap(b []byte, m map[string]any) (map[string]any, error) {
	mark, scanErr := d.scan(b)
	n := len(d.spans) - mark
	if m == nil {
		m = make(map[string]any, min(n, arena.MaxSlab)) // the keys may all be the same
	}
	for j := range n {
		s := d.spans[mark+j]
		v, err := d.readAny(Type(b[s.start]), b[s.body:s.end])
		if err != nil {
			return nil, d.failIn(b, s, err)
		}
		m[d.ownString(b[s.start+1:s.body-1])] = v
	}
	d.leave(mark)
	return m, scanErr
}

// scan enters a document and puts the spans of its elements on the stack, from mark on. Their number is then known
// before the first is decoded, so the D or M is allocated once, in its final size. Spans have no pointers and cost the
// garbage collector nothing. If the document is malformed, scan keeps the spans before that place: an error in one of
// them comes first.
func (d *decoder) scan(b []byte) (mark int, err error) {
	spans := d.spans
	mark = len(spans)
	if err := d.enter(b); err != nil {
		return mark, err
	}
	end := len(b) - 1
	for i := 4; i < end; {
		k, valid := wire.PlainKeyEnd(b[:end], i+1), true
		if k < 0 {
			k, valid = wire.TextKeyEnd(b[:end], i+1)
		}
		if k < 0 {
			d.spans = spans
			return mark, d.fail(b[i:], wire.ErrKeyEnd)
		}
		t, rest := Type(b[i]), b[k+1:end]
		n := wire.ValueSize(t, rest)
		if n < 0 {
			d.spans = spans
			return mark, d.fail(rest, wire.ValueError(t, rest)).prefixPath(string(b[i+1 : k]))
		}
		if !valid && !d.opts.invalidText {
			d.spans = spans
			return mark, d.fail(b[i:], wire.ErrKeyText).prefixPath(string(b[i+1 : k]))
		}
		next := k + 1 + n
		spans = append(growByDoubling(spans), span{uint32(i), uint32(k + 1), uint32(next)})
		i = next
	}
	d.spans = spans
	return mark, nil
}

// leave takes the spans from mark on off the stack, and gives back the level that scan took.
func (d *decoder) leave(mark int) {
	d.spans = d.spans[:mark]
	d.depth++
}

// failIn returns the error err about the value at s in the document b.
func (d *decoder) failIn(b []byte, s span, err error) error {
	return d.fail(b[s.body:], err).prefixPath(string(b[s.start+1 : s.body-1]))
}

// enter takes one of the levels that are left, and checks for duplicate keys if the options ask for it. The caller
// gives the level back when it is done, except after an error, which ends the decoding.
func (d *decoder) enter(b []byte) error {
	if d.depth--; d.depth < 0 {
		return d.fail(b, ErrMaxDepth)
	}
	if d.opts.rejectDuplicates {
		return d.checkKeys(b)
	}
	return nil
}

// checkKeys refuses a document that has a key twice.
func (d *decoder) checkKeys(b []byte) error {
	seen := map[string]bool{}
	for key := range Raw(b).All() {
		if seen[key] {
			return d.fail(b, errDuplicateKey).prefixPath(key)
		}
		seen[key] = true
	}
	return nil
}

// readArray decodes an array.
func (d *decoder) readArray(b []byte) (A, error) {
	if d.depth--; d.depth < 0 {
		return nil, d.fail(b, ErrMaxDepth)
	}
	end := len(b) - 1
	out := d.boxes.items.Take(wire.CountElements(b), &d.boxes.limit)
	for i, index := 4, 0; i < end; index++ {
		k := wire.KeyEnd(b[:end], i+1)
		if k < 0 {
			return nil, d.fail(b[i:], wire.ErrKeyEnd)
		}
		t, rest := Type(b[i]), b[k+1:end]
		n := wire.ValueSize(t, rest)
		if n < 0 {
			return nil, d.fail(rest, wire.ValueError(t, rest)).prefixIndex(index)
		}
		var err error
		if out[index], err = d.readAny(t, rest[:n]); err != nil {
			return nil, d.fail(rest, err).prefixIndex(index)
		}
		i = k + 1 + n
	}
	d.depth++
	return A(out), nil
}

// decodeEmptyInterface decodes into an any. If the any holds a pointer, it decodes into what that points to.
func decodeEmptyInterface(_ *codec, d *decoder, t Type, b []byte, p address) error {
	target := toPointer[any](p)
	if t != bsontype.Null && *target != nil {
		if done, err := d.decodeIntoPointer(*target, t, b); done {
			return err
		}
	}
	if !d.owned && (t == bsontype.EmbeddedDocument || t == bsontype.Array) {
		owned, undo := d.copyRoot(b)
		defer d.restore(undo)
		b = owned
	}
	v, err := d.readAny(t, b)
	if err != nil {
		return err
	}
	*target = v
	return nil
}

func (d *decoder) readCodeWithScope(b []byte) (CodeWithScope, error) {
	code, scope, err := wire.SplitCodeWithScope(b)
	if err != nil {
		return CodeWithScope{}, d.fail(b, err)
	}
	if !d.checkText(code) {
		return CodeWithScope{}, d.fail(b, wire.ErrText)
	}
	s, err := d.readDocument(scope)
	if err != nil {
		return CodeWithScope{}, err
	}
	return CodeWithScope{Code: JavaScript(d.ownString(code)), Scope: makeAny(wordD, d.boxes.ds.Put(s, &d.boxes.limit))}, nil
}

// decodeIntoPointer decodes into what v points to, if v is a pointer.
func (d *decoder) decodeIntoPointer(v any, t Type, b []byte) (done bool, err error) {
	typ := reflect.TypeOf(v)
	if typ.Kind() != reflect.Pointer || holdsNil(v) {
		return false, nil
	}
	if d.depth--; d.depth < 0 {
		return true, ErrMaxDepth
	}
	defer func() { d.depth++ }()
	c := d.codecs.codecOf(typ.Elem())
	return true, c.decode(c, d, t, b, addressIn(v))
}
