package bson

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/specdrivers/onion/generated/bsontype"
)

func (w *extWriter) rareValue(dst []byte, t Type, v []byte, depth int) ([]byte, *DecodeError) {
	switch t {
	case bsontype.Binary:
		return w.binary(dst, v)
	case bsontype.Regex:
		return w.regex(dst, v)
	case bsontype.JavaScript:
		return w.wrappedText(dst, `{"$code":`, v, '}')
	case bsontype.Symbol:
		return w.wrappedText(dst, `{"$symbol":`, v, '}')
	case bsontype.CodeWithScope:
		return w.codeWithScope(dst, v, depth)
	case bsontype.DBPointer:
		n := len(v) - 12
		dst, err := w.wrappedText(dst, `{"$dbPointer":{"$ref":`, v[:n], ',')
		if err != nil {
			return nil, err
		}
		dst = appendExtObjectID(append(dst, `"$id":`...), v[n:])
		return append(dst, "}}"...), nil
	case bsontype.Timestamp:
		dst = append(dst, `{"$timestamp":{"t":`...)
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(v[4:])), 10)
		dst = append(dst, `,"i":`...)
		dst = strconv.AppendUint(dst, uint64(binary.LittleEndian.Uint32(v)), 10)
		return append(dst, "}}"...), nil
	case bsontype.Decimal128:
		return NewDecimal128(binary.LittleEndian.Uint64(v[8:]), binary.LittleEndian.Uint64(v)).appendExtJSON(dst), nil
	case bsontype.Undefined:
		return append(dst, `{"$undefined":true}`...), nil
	case bsontype.MinKey:
		return append(dst, `{"$minKey":1}`...), nil
	case bsontype.MaxKey:
		return append(dst, `{"$maxKey":1}`...), nil
	}
	return nil, w.fail(v, valueError(t, v))
}

// wrappedText writes an encoded string between the start of a wrapper and last.
func (w *extWriter) wrappedText(dst []byte, start string, v []byte, last byte) ([]byte, *DecodeError) {
	dst, err := w.text(append(dst, start...), textBytes(v))
	if err != nil {
		return nil, err
	}
	return append(dst, last), nil
}

func (w *extWriter) int32(dst []byte, n int32) []byte {
	if !w.canonical {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, `{"$numberInt":"`...)
	return append(strconv.AppendInt(dst, int64(n), 10), `"}`...)
}

func (w *extWriter) int64(dst []byte, n int64) []byte {
	if !w.canonical {
		return strconv.AppendInt(dst, n, 10)
	}
	return appendNumberLong(dst, n)
}

func appendNumberLong(dst []byte, n int64) []byte {
	dst = append(dst, `{"$numberLong":"`...)
	return append(strconv.AppendInt(dst, n, 10), `"}`...)
}

func (w *extWriter) double(dst []byte, bits uint64) []byte {
	f := math.Float64frombits(bits)
	finite := f-f == 0 // infinities and NaN give NaN
	if !w.canonical && finite {
		return appendExtDouble(dst, f)
	}
	dst = append(dst, `{"$numberDouble":"`...)
	switch {
	case finite:
		dst = appendExtDouble(dst, f)
	case f != f:
		dst = append(dst, "NaN"...)
	case f > 0:
		dst = append(dst, "Infinity"...)
	default:
		dst = append(dst, "-Infinity"...)
	}
	return append(dst, `"}`...)
}

// appendExtDouble writes the shortest digits that read back as f, with an exponent where strconv's 'G' has one, and
// always with a point or an exponent, so that f does not read back as an integer.
func appendExtDouble(dst []byte, f float64) []byte {
	if n := int64(f); float64(n) == f && -1e6 < f && f < 1e6 && (n != 0 || !math.Signbit(f)) {
		return append(strconv.AppendInt(dst, n, 10), ".0"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'G', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'E' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func (w *extWriter) dateTime(dst []byte, ms int64) []byte {
	dst = append(dst, `{"$date":`...)
	if w.canonical || ms < 0 || ms > maxRelaxedDate {
		return append(appendNumberLong(dst, ms), '}')
	}
	return append(appendISODate(append(dst, '"'), ms), `"}`...)
}

func appendExtObjectID(dst, id []byte) []byte {
	dst = append(dst, `{"$oid":"`...)
	return append(appendHex(dst, id), `"}`...)
}

func (w *extWriter) binary(dst, v []byte) ([]byte, *DecodeError) {
	subtype, data, ok := splitBinary(v)
	if !ok {
		return nil, w.fail(v, errOldBinary)
	}
	if w.limited && len(data) > w.room {
		data = data[:w.room]
	}
	dst = append(dst, `{"$binary":{"base64":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","subType":"`...)
	return append(dst, hexDigits[subtype>>4], hexDigits[subtype&15], '"', '}', '}'), nil
}

func (w *extWriter) regex(dst, v []byte) ([]byte, *DecodeError) {
	k := keyEnd(v, 0)
	dst, err := w.text(append(dst, `{"$regularExpression":{"pattern":`...), v[:k])
	if err != nil {
		return nil, err
	}
	options := v[k+1 : len(v)-1]
	// Extended JSON, "Conversion table": in alphabetical order, whatever the document has.
	if !sortedBytes(options) {
		options = append([]byte(nil), options...)
		sortBytes(options)
	}
	if dst, err = w.text(append(dst, `,"options":`...), options); err != nil {
		return nil, err
	}
	return append(dst, "}}"...), nil
}

func sortedBytes(b []byte) bool {
	for i := 1; i < len(b); i++ {
		if b[i] < b[i-1] {
			return false
		}
	}
	return true
}

func (w *extWriter) codeWithScope(dst, v []byte, depth int) ([]byte, *DecodeError) {
	code, scope, err := splitCodeWithScope(v)
	if err != nil {
		return nil, w.fail(v, err)
	}
	dst, failed := w.text(append(dst, `{"$code":`...), code)
	if failed != nil {
		return nil, failed
	}
	if dst, failed = w.document(append(dst, `,"$scope":`...), scope, depth); failed != nil {
		return w.inside(dst, "$scope", failed)
	}
	return append(dst, '}'), nil
}
