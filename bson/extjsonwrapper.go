package bson

import (
	"encoding/base64"

	"github.com/specdrivers/onion/bson/internal/extjson"
	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// mayBeWrapper reports whether the object at pos has a first key that begins with a dollar sign or an escape.
func (r *textReader) mayBeWrapper() bool {
	start := r.pos
	r.pos++
	found := r.skipSpace() == '"' && r.pos+1 < len(r.src) && (r.src[r.pos+1] == '$' || r.src[r.pos+1] == '\\')
	r.pos = start
	return found
}

// wrapper reads a wrapper of a number, an ObjectID, a date, a timestamp or binary data. It reports false, and does not move, if
// there is none.
func (r *textReader) wrapper() (any, bool) {
	start := r.pos
	r.pos++
	if key, ok := r.plainText(); ok && r.is(':') {
		if v, ok := r.wrapped(key); ok && r.is('}') {
			return v, true
		}
	}
	r.pos = start
	return nil, false
}

// wrapped reads what follows the key of a wrapper.
func (r *textReader) wrapped(key string) (any, bool) {
	boxes := &r.d.boxes
	switch key {
	case "$numberInt":
		if n, ok := r.integer(); ok && n == int64(int32(n)) {
			return makeAny(wordInt32, boxes.int32s.Put(int32(n), &boxes.limit)), true
		}
	case "$numberLong":
		if n, ok := r.integer(); ok {
			return makeAny(wordInt64, boxes.int64s.Put(n, &boxes.limit)), true
		}
	case "$numberDouble":
		if text, ok := r.plainText(); ok {
			if f, ok := extjson.ParseDouble(wire.AliasBytes(text)); ok {
				return makeAny(wordFloat64, boxes.float64s.Put(f, &boxes.limit)), true
			}
		}
	case "$oid":
		if text, ok := r.plainText(); ok {
			var id ObjectID
			if hex.Decode(id[:], text) {
				return makeAny(wordObjectID, boxes.objectIDs.Put(id, &boxes.limit)), true
			}
		}
	case "$date":
		if n, ok := r.date(); ok {
			return makeAny(wordDateTime, boxes.dateTimes.Put(DateTime(n), &boxes.limit)), true
		}
	case "$binary":
		if v, ok := r.binary(); ok {
			return makeAny(wordBinary, boxes.forRare().binaries.Put(v, &boxes.limit)), true
		}
	case "$timestamp":
		if v, ok := r.timestamp(); ok {
			return makeAny(wordTimestamp, boxes.forRare().timestamps.Put(v, &boxes.limit)), true
		}
	}
	return nil, false
}

// date reads what follows $date.
func (r *textReader) date() (int64, bool) {
	if r.format != extjson.Canonical {
		if text, ok := r.plainText(); ok {
			return extjson.ParseISODate(wire.AliasBytes(text))
		}
	}
	if !r.is('{') || !r.key("$numberLong") {
		return 0, false
	}
	n, ok := r.integer()
	return n, ok && r.is('}')
}

// binary reads what follows $binary.
func (r *textReader) binary() (v Binary, ok bool) {
	if !r.is('{') || !r.key("base64") {
		return v, false
	}
	data, ok := r.plainText()
	if !ok || !r.is(',') || !r.key("subType") {
		return v, false
	}
	subtype, ok := r.plainText()
	if !ok || !r.is('}') {
		return v, false
	}
	if v.Subtype, ok = extjson.ParseSubtype(wire.AliasBytes(subtype)); !ok {
		return v, false
	}
	room := r.room(base64.StdEncoding.DecodedLen(len(data)))
	got, err := base64.StdEncoding.AppendDecode(room, wire.AliasBytes(data))
	r.take(got)
	v.Data = got[:len(got):len(got)]
	return v, err == nil
}

// timestamp reads what follows $timestamp.
func (r *textReader) timestamp() (v Timestamp, ok bool) {
	if !r.is('{') || !r.key("t") {
		return v, false
	}
	if v.T, ok = r.unsigned(); !ok || !r.is(',') || !r.key("i") {
		return v, false
	}
	v.I, ok = r.unsigned()
	return v, ok && r.is('}')
}

// key moves behind a key and its colon if they come next.
func (r *textReader) key(want string) bool {
	got, ok := r.plainText()
	return ok && got == want && r.is(':')
}

// unsigned reads an integer of 32 bits without quotes or a sign.
func (r *textReader) unsigned() (uint32, bool) {
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

// integer reads an integer between quotes.
func (r *textReader) integer() (int64, bool) {
	text, ok := r.plainText()
	if !ok {
		return 0, false
	}
	return extjson.ParseInteger(wire.AliasBytes(text))
}
