package bson

import "github.com/specdrivers/onion/generated/bsontype"

// wrapper names a type wrapper of Extended JSON, "Conversion table", by the key that tells it from a document.
type wrapper uint8

const (
	notWrapper wrapper = iota
	wrapObjectID
	wrapSymbol
	wrapInt32
	wrapInt64
	wrapDouble
	wrapDecimal128
	wrapBinary
	wrapCode
	wrapScope
	wrapTimestamp
	wrapRegex
	wrapDBPointer
	wrapDate
	wrapMinKey
	wrapMaxKey
	wrapUndefined
	wrapUUID
)

func wrapperOf(key []byte) wrapper {
	switch string(key) {
	case "$oid":
		return wrapObjectID
	case "$symbol":
		return wrapSymbol
	case "$numberInt":
		return wrapInt32
	case "$numberLong":
		return wrapInt64
	case "$numberDouble":
		return wrapDouble
	case "$numberDecimal":
		return wrapDecimal128
	case "$binary":
		return wrapBinary
	case "$code":
		return wrapCode
	case "$scope":
		return wrapScope
	case "$timestamp":
		return wrapTimestamp
	case "$regularExpression":
		return wrapRegex
	case "$dbPointer":
		return wrapDBPointer
	case "$date":
		return wrapDate
	case "$minKey":
		return wrapMinKey
	case "$maxKey":
		return wrapMaxKey
	case "$undefined":
		return wrapUndefined
	case "$uuid":
		return wrapUUID
	}
	return notWrapper
}

// wrapper parses the rest of a type wrapper behind the colon of its first key.
func (p *extParser) wrapper(w wrapper, depth int) (t Type, err *DecodeError) {
	c := p.skipSpace()
	start := p.pos
	switch w {
	case wrapCode, wrapScope: // they may have two keys
		return p.code(w, depth)
	case wrapSymbol:
		if t = bsontype.Symbol; c != '"' {
			return 0, p.unexpected("the string of $symbol")
		}
		p.pos++
		err = p.stringValue()
	case wrapBinary:
		t, err = bsontype.Binary, p.binary()
	case wrapTimestamp:
		t, err = bsontype.Timestamp, p.timestamp()
	case wrapRegex:
		t, err = bsontype.Regex, p.regex()
	case wrapDBPointer:
		t, err = bsontype.DBPointer, p.dbPointer()
	case wrapDate:
		t, err = bsontype.DateTime, p.date()
	case wrapMinKey:
		t, err = bsontype.MinKey, p.one()
	case wrapMaxKey:
		t, err = bsontype.MaxKey, p.one()
	case wrapUndefined:
		t, err = bsontype.Undefined, p.literal("true")
	default:
		if c != '"' {
			return 0, p.unexpected("a string")
		}
		p.pos++
		var text []byte
		if text, err = p.shortString(); err != nil {
			return 0, err
		}
		if t, err = p.textWrapper(w, text); err != nil {
			err.Offset = start
		}
	}
	if err == nil {
		err = p.closeWrapper()
	}
	return t, err
}

// closeWrapper skips the closing brace of a wrapper, or of the object in it.
func (p *extParser) closeWrapper() *DecodeError {
	if p.skipSpace() == ',' {
		return p.fail("a type wrapper has no other keys")
	}
	return p.expect('}', "}")
}

// textWrapper appends a value whose only form is a string.
func (p *extParser) textWrapper(w wrapper, text []byte) (Type, *DecodeError) {
	switch w {
	case wrapInt32:
		if n, ok := parseInteger(text); ok && int64(int32(n)) == n {
			p.dst = appendInt32(p.dst, int32(n))
			return bsontype.Int32, nil
		}
		return 0, p.badText(text, "a 32-bit integer")
	case wrapInt64:
		if n, ok := parseInteger(text); ok {
			p.dst = appendInt64(p.dst, n)
			return bsontype.Int64, nil
		}
		return 0, p.badText(text, "a 64-bit integer")
	case wrapDouble:
		if f, ok := parseDouble(text); ok {
			p.dst = appendDouble(p.dst, f)
			return bsontype.Double, nil
		}
		return 0, p.badText(text, "a double")
	case wrapDecimal128:
		d, cause := parseDecimal(aliasString(text))
		if cause == "" {
			p.dst = appendDecimal128(p.dst, d)
			return bsontype.Decimal128, nil
		}
		return 0, p.fail(quoteClipped(text) + " " + cause + " Decimal128")
	case wrapUUID:
		if u, err := ParseUUID(aliasString(text)); err == nil {
			p.dst = appendBinary(p.dst, bsontype.BinaryUUID, u[:])
			return bsontype.Binary, nil
		}
		return 0, p.badText(text, "a UUID")
	default: // wrapObjectID
		var id ObjectID
		if decodeHex(id[:], text) {
			p.dst = append(p.dst, id[:]...)
			return bsontype.ObjectID, nil
		}
		return 0, p.badText(text, "an ObjectID of 24 hexadecimal digits")
	}
}

func (p *extParser) badText(text []byte, want string) *DecodeError {
	return p.fail(quoteClipped(text) + " is not " + want)
}
