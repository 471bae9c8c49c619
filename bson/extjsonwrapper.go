package bson

import (
	"encoding/base64"

	"github.com/specdrivers/onion/bson/internal/extjson"
	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

// mayBeWrapper reports whether the object at pos has a first key that begins with a dollar sign or an escape.
func (r *textReader) mayBeWrapper() bool {
	start := r.pos
	r.pos++
	found := r.skipSpace() == '"' && r.pos+1 < len(r.src) && (r.src[r.pos+1] == '$' || r.src[r.pos+1] == '\\')
	r.pos = start
	return found
}

// readWrapper reads a wrapper of a number, an ObjectID, a date, a timestamp or binary data. It reports false, and does
// not move, if there is none.
func (r *textReader) readWrapper() (any, bool) {
	start := r.pos
	r.pos++
	if key, ok := r.readPlainText(); ok && r.skipByte(':') {
		if v, ok := r.readWrappedValue(key); ok && r.skipByte('}') {
			return v, true
		}
	}
	r.pos = start
	return nil, false
}

// readWrappedValue reads the value of a wrapper, which follows its key.
func (r *textReader) readWrappedValue(key string) (any, bool) {
	boxes := &r.d.boxes
	switch key {
	case form.Int32:
		if n, ok := r.readInteger(); ok && n == int64(int32(n)) {
			return makeAny(wordInt32, boxes.int32s.Put(int32(n), &boxes.limit)), true
		}
	case form.Int64:
		if n, ok := r.readInteger(); ok {
			return makeAny(wordInt64, boxes.int64s.Put(n, &boxes.limit)), true
		}
	case form.Double:
		if text, ok := r.readPlainText(); ok {
			if f, ok := extjson.ParseDouble(wire.AliasBytes(text)); ok {
				return makeAny(wordFloat64, boxes.float64s.Put(f, &boxes.limit)), true
			}
		}
	case form.ObjectID:
		if text, ok := r.readPlainText(); ok {
			var id ObjectID
			if hex.Decode(id[:], text) {
				return makeAny(wordObjectID, boxes.objectIDs.Put(id, &boxes.limit)), true
			}
		}
	case form.DateTime:
		if n, ok := r.readDate(); ok {
			return makeAny(wordDateTime, boxes.dateTimes.Put(DateTime(n), &boxes.limit)), true
		}
	case form.Binary:
		if v, ok := r.readBinary(); ok {
			return makeAny(wordBinary, boxes.useRare().binaries.Put(v, &boxes.limit)), true
		}
	case form.Timestamp:
		if v, ok := r.readTimestamp(); ok {
			return makeAny(wordTimestamp, boxes.useRare().timestamps.Put(v, &boxes.limit)), true
		}
	}
	return nil, false
}

// readDate reads the value of $date.
func (r *textReader) readDate() (int64, bool) {
	if r.format != extjson.Canonical {
		if text, ok := r.readPlainText(); ok {
			return extjson.ParseISODate(wire.AliasBytes(text))
		}
	}
	if !r.skipByte('{') || !r.skipKey(form.Int64) {
		return 0, false
	}
	n, ok := r.readInteger()
	return n, ok && r.skipByte('}')
}

// readBinary reads the value of $binary.
func (r *textReader) readBinary() (v Binary, ok bool) {
	if !r.skipByte('{') || !r.skipKey(form.Base64) {
		return v, false
	}
	data, ok := r.readPlainText()
	if !ok || !r.skipByte(',') || !r.skipKey(form.Subtype) {
		return v, false
	}
	subtype, ok := r.readPlainText()
	if !ok || !r.skipByte('}') {
		return v, false
	}
	if v.Subtype, ok = extjson.ParseSubtype(wire.AliasBytes(subtype)); !ok {
		return v, false
	}
	room := r.makeRoom(base64.StdEncoding.DecodedLen(len(data)))
	got, err := base64.StdEncoding.AppendDecode(room, wire.AliasBytes(data))
	r.take(got)
	v.Data = got[:len(got):len(got)]
	return v, err == nil
}

// readTimestamp reads the value of $timestamp.
func (r *textReader) readTimestamp() (v Timestamp, ok bool) {
	if !r.skipByte('{') || !r.skipKey(form.Seconds) {
		return v, false
	}
	if v.T, ok = r.readUint32(); !ok || !r.skipByte(',') || !r.skipKey(form.Increment) {
		return v, false
	}
	v.I, ok = r.readUint32()
	return v, ok && r.skipByte('}')
}

// skipKey moves past a key and its colon if they come next, and reports whether it did.
func (r *textReader) skipKey(want string) bool {
	got, ok := r.readPlainText()
	return ok && got == want && r.skipByte(':')
}

// readUint32 reads an integer of 32 bits without quotes and without a sign.
func (r *textReader) readUint32() (uint32, bool) {
	if c := r.skipSpace(); c < '0' || c > '9' {
		return 0, false
	}
	end, integer, ok := extjson.ScanNumber(r.src, r.pos)
	if !ok || !integer {
		return 0, false
	}
	n, ok := extjson.ParseInteger(r.src[r.pos:end])
	r.pos = end
	return uint32(n), ok && n == int64(uint32(n))
}

// readInteger reads an integer between quotes.
func (r *textReader) readInteger() (int64, bool) {
	text, ok := r.readPlainText()
	if !ok {
		return 0, false
	}
	return extjson.ParseInteger(wire.AliasBytes(text))
}
