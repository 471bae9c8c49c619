package extjson

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/specdrivers/onion/bson/internal/hex"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/core/form"
)

// appendWrappedText writes an encoded string between the start of a wrapper and last.
func (w *writer) appendWrappedText(dst []byte, start string, v []byte, last byte) ([]byte, *failure) {
	dst, err := w.appendText(append(dst, start...), wire.Text(v))
	if err != nil {
		return nil, err
	}
	return append(dst, last), nil
}

// AppendInt32 appends a 32-bit integer.
func AppendInt32(dst []byte, n int32, canonical bool) []byte {
	if !canonical {
		return strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, `{"`+form.Int32+`":"`...)
	return append(strconv.AppendInt(dst, int64(n), 10), `"}`...)
}

// AppendInt64 appends a 64-bit integer.
func AppendInt64(dst []byte, n int64, canonical bool) []byte {
	if !canonical {
		return strconv.AppendInt(dst, n, 10)
	}
	return appendNumberLong(dst, n)
}

func appendNumberLong(dst []byte, n int64) []byte {
	dst = append(dst, `{"`+form.Int64+`":"`...)
	return append(strconv.AppendInt(dst, n, 10), `"}`...)
}

// AppendDouble appends a double.
func AppendDouble(dst []byte, f float64, canonical bool) []byte {
	finite := f-f == 0 // infinities and NaN give NaN
	if !canonical && finite {
		return appendDouble(dst, f)
	}
	dst = append(dst, `{"`+form.Double+`":"`...)
	switch {
	case finite:
		dst = appendDouble(dst, f)
	case f != f:
		dst = append(dst, form.NaN...)
	case f > 0:
		dst = append(dst, form.Infinity...)
	default:
		dst = append(dst, form.NegativeInfinity...)
	}
	return append(dst, `"}`...)
}

// appendDouble writes the shortest digits that read back as f, with an exponent where strconv's 'G' has one, and always
// with a point or an exponent: f must not read back as an integer.
func appendDouble(dst []byte, f float64) []byte {
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

// AppendDateTime appends a date, given as milliseconds since 1970.
func AppendDateTime(dst []byte, ms int64, canonical bool) []byte {
	dst = append(dst, `{"`+form.DateTime+`":`...)
	if canonical || ms < 0 || ms > maxRelaxedDate {
		return append(appendNumberLong(dst, ms), '}')
	}
	return append(appendISODate(append(dst, '"'), ms), `"}`...)
}

func (w *writer) appendBinary(dst, v []byte) ([]byte, *failure) {
	subtype, data, ok := wire.SplitBinary(v)
	if !ok {
		return nil, w.fail(v, wire.ErrOldBinary)
	}
	if w.limited && len(data) > w.room {
		data = data[:w.room]
	}
	dst = append(dst, `{"`+form.Binary+`":{"`+form.Base64+`":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, data)
	dst = append(dst, `","`+form.Subtype+`":"`...)
	return append(dst, hex.Digits[subtype>>4], hex.Digits[subtype&15], '"', '}', '}'), nil
}

func (w *writer) appendRegex(dst, v []byte) ([]byte, *failure) {
	k := wire.KeyEnd(v, 0)
	dst, err := w.appendText(append(dst, `{"`+form.Regex+`":{"`+form.Pattern+`":`...), v[:k])
	if err != nil {
		return nil, err
	}
	options := v[k+1 : len(v)-1]
	// Extended JSON, "Conversion table": in alphabetical order, whatever the document has.
	if !isSorted(options) {
		options = append([]byte(nil), options...)
		wire.SortBytes(options)
	}
	if dst, err = w.appendText(append(dst, `,"`+form.Options+`":`...), options); err != nil {
		return nil, err
	}
	return append(dst, "}}"...), nil
}

func isSorted(b []byte) bool {
	for i := 1; i < len(b); i++ {
		if b[i] < b[i-1] {
			return false
		}
	}
	return true
}
