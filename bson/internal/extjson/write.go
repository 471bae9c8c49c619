package extjson

import (
	"encoding/binary"
	"strconv"

	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// Append appends a value, whose size has been checked, or a document of at most depth levels as extended JSON.
func Append(dst []byte, t bsontype.Type, value []byte, canonical bool, depth int) ([]byte, *failure) {
	w := writer{root: value, canonical: canonical}
	if t == bsontype.EmbeddedDocument {
		return w.appendDocument(dst, value, depth)
	}
	return w.appendValue(dst, t, value, depth)
}

// AppendLimited is Append for a caller who wants only the first limit bytes of text.
func AppendLimited(dst, doc []byte, canonical bool, limit, depth int) ([]byte, *failure) {
	w := writer{root: doc, canonical: canonical, limited: true, room: limit, stop: len(dst) + limit}
	out, err := w.appendDocument(dst, doc, depth)
	if err == ErrStopped {
		err = nil
	}
	return out, err
}

func (w *writer) appendDocument(dst, b []byte, depth int) ([]byte, *failure) {
	end, failed := w.enter(b, depth)
	if failed != nil {
		return nil, failed
	}
	dst = append(dst, '{')
	for i := 4; i < end; {
		t, start := bsontype.Type(b[i]), i+1
		k := wire.KeyEnd(b[:end], start)
		if k < 0 {
			return nil, w.fail(b[i:], wire.ErrKeyEnd)
		}
		key, rest := b[start:k], b[k+1:end]
		if i > 4 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = AppendString(dst, key); !ok {
			return nil, w.fail(key, wire.ErrKeyText)
		}
		n := wire.ValueSize(t, rest)
		if n < 0 {
			return nil, w.fail(rest, wire.ValueError(t, rest)).prefixPath(string(key))
		}
		out, err := w.appendValue(append(dst, ':'), t, rest[:n], depth-1)
		if err != nil {
			return w.locate(out, string(key), err)
		}
		if dst = out; w.limited && len(dst) > w.stop {
			return dst, ErrStopped
		}
		i = k + 1 + n
	}
	return append(dst, '}'), nil
}

// appendArray ignores the keys: BSON lets a reader of an array accept any.
func (w *writer) appendArray(dst, b []byte, depth int) ([]byte, *failure) {
	end, failed := w.enter(b, depth)
	if failed != nil {
		return nil, failed
	}
	dst = append(dst, '[')
	for i, index := 4, 0; i < end; index++ {
		t, start := bsontype.Type(b[i]), i+1
		k := wire.KeyEnd(b[:end], start)
		if k < 0 {
			return nil, w.fail(b[i:], wire.ErrKeyEnd)
		}
		rest := b[k+1 : end]
		if i > 4 {
			dst = append(dst, ',')
		}
		n := wire.ValueSize(t, rest)
		if n < 0 {
			return nil, w.fail(rest, wire.ValueError(t, rest)).prefixPath(strconv.Itoa(index))
		}
		out, err := w.appendValue(dst, t, rest[:n], depth-1)
		if err != nil {
			return w.locate(out, strconv.Itoa(index), err)
		}
		if dst = out; w.limited && len(dst) > w.stop {
			return dst, ErrStopped
		}
		i = k + 1 + n
	}
	return append(dst, ']'), nil
}

// appendValue writes a value that ValueSize has accepted; the common types come first. Extended JSON, "Conversion
// table", has the forms.
func (w *writer) appendValue(dst []byte, t bsontype.Type, v []byte, depth int) ([]byte, *failure) {
	switch t {
	case bsontype.String:
		return w.appendText(dst, wire.Text(v))
	case bsontype.Int32:
		return AppendInt32(dst, int32(binary.LittleEndian.Uint32(v)), w.canonical), nil
	case bsontype.EmbeddedDocument:
		return w.appendDocument(dst, v, depth)
	case bsontype.Array:
		return w.appendArray(dst, v, depth)
	case bsontype.Double:
		return AppendDouble(dst, wire.Double(v), w.canonical), nil
	case bsontype.Int64:
		return AppendInt64(dst, int64(binary.LittleEndian.Uint64(v)), w.canonical), nil
	case bsontype.ObjectID:
		return AppendObjectID(dst, v), nil
	case bsontype.DateTime:
		return AppendDateTime(dst, int64(binary.LittleEndian.Uint64(v)), w.canonical), nil
	case bsontype.Null:
		return append(dst, "null"...), nil
	case bsontype.Boolean:
		switch v[0] {
		case 0:
			return append(dst, "false"...), nil
		case 1:
			return append(dst, "true"...), nil
		}
		return nil, w.fail(v, wire.ErrBoolean)
	}
	return w.appendRareValue(dst, t, v, depth)
}

func (w *writer) appendRareValue(dst []byte, t bsontype.Type, v []byte, depth int) ([]byte, *failure) {
	switch t {
	case bsontype.Binary:
		return w.appendBinary(dst, v)
	case bsontype.Regex:
		return w.appendRegex(dst, v)
	case bsontype.JavaScript:
		return w.appendWrappedText(dst, `{"`+form.Code+`":`, v, '}')
	case bsontype.Symbol:
		return w.appendWrappedText(dst, `{"`+form.Symbol+`":`, v, '}')
	case bsontype.CodeWithScope:
		return w.appendCodeWithScope(dst, v, depth)
	case bsontype.DBPointer:
		n := len(v) - 12
		dst, err := w.appendWrappedText(dst, `{"`+form.DBPointer+`":{"`+form.Ref+`":`, v[:n], ',')
		if err != nil {
			return nil, err
		}
		dst = AppendObjectID(append(dst, `"`+form.ID+`":`...), v[n:])
		return append(dst, "}}"...), nil
	case bsontype.Timestamp:
		dst = append(dst, `{"`+form.Timestamp+`":{"`+form.Seconds+`":`...)
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(v[4:])), 10)
		dst = append(dst, `,"`+form.Increment+`":`...)
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(v)), 10)
		return append(dst, "}}"...), nil
	case bsontype.Decimal128:
		return decimal.Number{High: binary.LittleEndian.Uint64(v[8:]), Low: binary.LittleEndian.Uint64(v)}.AppendExtJSON(dst), nil
	case bsontype.Undefined:
		return append(dst, `{"`+form.Undefined+`":true}`...), nil
	case bsontype.MinKey:
		return append(dst, `{"`+form.MinKey+`":1}`...), nil
	case bsontype.MaxKey:
		return append(dst, `{"`+form.MaxKey+`":1}`...), nil
	}
	return nil, w.fail(v, wire.ValueError(t, v))
}

func (w *writer) appendCodeWithScope(dst, v []byte, depth int) ([]byte, *failure) {
	code, scope, err := wire.SplitCodeWithScope(v)
	if err != nil {
		return nil, w.fail(v, err)
	}
	dst, failed := w.appendText(append(dst, `{"`+form.Code+`":`...), code)
	if failed != nil {
		return nil, failed
	}
	if dst, failed = w.appendDocument(append(dst, `,"`+form.Scope+`":`...), scope, depth); failed != nil {
		return w.locate(dst, form.Scope, failed)
	}
	return append(dst, '}'), nil
}
