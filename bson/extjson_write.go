package bson

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/specdrivers/onion/generated/bsontype"
)

// AppendExtJSON appends doc as one line of extended JSON version 2 to dst: canonical, which keeps every type, or relaxed,
// which writes numbers and dates the way other JSON has them. The document is checked on the way; a [*DecodeError] tells
// what is wrong with it. It does not allocate if dst has room.
func AppendExtJSON(dst []byte, doc Raw, canonical bool) ([]byte, error) {
	w := extWriter{root: doc, canonical: canonical}
	out, err := w.document(dst, doc, DefaultMaxDepth)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// AppendExtJSONLimit is AppendExtJSON for logs: it stops soon after it has written limit bytes, which leaves the text cut
// off and the rest of the document unread. Text of at most limit bytes is complete.
func AppendExtJSONLimit(dst []byte, doc Raw, canonical bool, limit int) ([]byte, error) {
	w := extWriter{root: doc, canonical: canonical, limited: true, room: limit, stop: len(dst) + limit}
	out, err := w.document(dst, doc, DefaultMaxDepth)
	if err != nil && err != errStopped {
		return dst, err
	}
	return out, nil
}

// errStopped says that the limit has been reached. It is never changed, nor seen outside.
var errStopped = &DecodeError{}

// appendExtJSONValue is AppendExtJSON for a single value.
func appendExtJSONValue(dst []byte, v RawValue, canonical bool) ([]byte, error) {
	n := valueSize(v.Type, v.Value)
	if n != len(v.Value) {
		return dst, decodeErrorAt(valueError(v.Type, v.Value), 0)
	}
	w := extWriter{root: v.Value, canonical: canonical}
	out, err := w.value(dst, v.Type, v.Value, DefaultMaxDepth)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// extWriter is what stays the same while one document is written. Its methods take and return the output, which then
// lives in registers.
type extWriter struct {
	root      []byte // what error offsets count from
	canonical bool

	limited bool
	room    int // no text needs to be longer
	stop    int // the length of the output at which to stop
}

// inside returns what a document or array returns for err in the element named key.
func (w *extWriter) inside(dst []byte, key string, err *DecodeError) ([]byte, *DecodeError) {
	if err == errStopped {
		return dst, err
	}
	return nil, err.under(key)
}

// fail reports an error at part.
func (w *extWriter) fail(part []byte, err error) *DecodeError {
	return decodeErrorAt(err, offsetIn(w.root, part))
}

func (w *extWriter) document(dst, b []byte, depth int) ([]byte, *DecodeError) {
	end, failed := w.enter(b, depth)
	if failed != nil {
		return nil, failed
	}
	dst = append(dst, '{')
	for i := 4; i < end; {
		t, start := Type(b[i]), i+1
		k := keyEnd(b[:end], start)
		if k < 0 {
			return nil, w.fail(b[i:], errKeyEnd)
		}
		key, rest := b[start:k], b[k+1:end]
		if i > 4 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = appendJSONString(dst, key); !ok {
			return nil, w.fail(key, errKeyText)
		}
		n := valueSize(t, rest)
		if n < 0 {
			return nil, w.fail(rest, valueError(t, rest)).under(string(key))
		}
		out, err := w.value(append(dst, ':'), t, rest[:n], depth-1)
		if err != nil {
			return w.inside(out, string(key), err)
		}
		if dst = out; w.limited && len(dst) > w.stop {
			return dst, errStopped
		}
		i = k + 1 + n
	}
	return append(dst, '}'), nil
}

// array ignores the keys: BSON, and the corpus, have readers accept any.
func (w *extWriter) array(dst, b []byte, depth int) ([]byte, *DecodeError) {
	end, failed := w.enter(b, depth)
	if failed != nil {
		return nil, failed
	}
	dst = append(dst, '[')
	for i, index := 4, 0; i < end; index++ {
		t, start := Type(b[i]), i+1
		k := keyEnd(b[:end], start)
		if k < 0 {
			return nil, w.fail(b[i:], errKeyEnd)
		}
		rest := b[k+1 : end]
		if i > 4 {
			dst = append(dst, ',')
		}
		n := valueSize(t, rest)
		if n < 0 {
			return nil, w.fail(rest, valueError(t, rest)).under(strconv.Itoa(index))
		}
		out, err := w.value(dst, t, rest[:n], depth-1)
		if err != nil {
			return w.inside(out, strconv.Itoa(index), err)
		}
		if dst = out; w.limited && len(dst) > w.stop {
			return dst, errStopped
		}
		i = k + 1 + n
	}
	return append(dst, ']'), nil
}

func (w *extWriter) enter(b []byte, depth int) (end int, failed *DecodeError) {
	if depth <= 0 {
		return 0, w.fail(b, ErrMaxDepth)
	}
	end, err := documentBody(b)
	if err != nil {
		return 0, w.fail(b, err)
	}
	return end, nil
}

// value writes a value that valueSize has accepted; the common types come first. The forms are those of Extended JSON,
// "Conversion table".
func (w *extWriter) value(dst []byte, t Type, v []byte, depth int) ([]byte, *DecodeError) {
	switch t {
	case bsontype.String:
		return w.text(dst, textBytes(v))
	case bsontype.Int32:
		return w.int32(dst, int32(binary.LittleEndian.Uint32(v))), nil
	case bsontype.EmbeddedDocument:
		return w.document(dst, v, depth)
	case bsontype.Array:
		return w.array(dst, v, depth)
	case bsontype.Double:
		return w.double(dst, binary.LittleEndian.Uint64(v)), nil
	case bsontype.Int64:
		return w.int64(dst, int64(binary.LittleEndian.Uint64(v))), nil
	case bsontype.ObjectID:
		return appendExtObjectID(dst, v), nil
	case bsontype.DateTime:
		return w.dateTime(dst, int64(binary.LittleEndian.Uint64(v))), nil
	case bsontype.Null:
		return append(dst, "null"...), nil
	case bsontype.Boolean:
		switch v[0] {
		case 0:
			return append(dst, "false"...), nil
		case 1:
			return append(dst, "true"...), nil
		}
		return nil, w.fail(v, errBoolean)
	}
	return w.rareValue(dst, t, v, depth)
}

func (w *extWriter) text(dst, text []byte) ([]byte, *DecodeError) {
	if w.limited && len(text) > w.room+utf8.UTFMax {
		end := w.room + utf8.UTFMax
		for end > w.room && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	dst, ok := appendJSONString(dst, text)
	if !ok {
		return nil, w.fail(text, errText)
	}
	return dst, nil
}
