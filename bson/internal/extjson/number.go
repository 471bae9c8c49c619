package extjson

import (
	"math"
	"strconv"

	"github.com/specdrivers/onion/bson/internal/decimal"
	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// parseNumber parses a bare number. Extended JSON, "Special rules for parsing JSON numbers": an integer becomes the smallest
// type that holds it, a double if none does; what has a fraction or an exponent is a double.
func (p *parser) parseNumber() (bsontype.Type, *failure) {
	start := p.pos
	if p.canonical {
		return 0, p.fail("canonical extended JSON wraps its numbers, as in {\"$numberInt\": \"1\"}")
	}
	integer, ok := p.scanNumber()
	if !ok {
		return 0, p.failUnexpected("a digit")
	}
	text := p.src[start:p.pos]
	if integer {
		if n, ok := ParseInteger(text); ok {
			if int64(int32(n)) == n {
				p.dst = wire.AppendInt32(p.dst, int32(n))
				return bsontype.Int32, nil
			}
			p.dst = wire.AppendInt64(p.dst, n)
			return bsontype.Int64, nil
		}
	}
	f, err := strconv.ParseFloat(wire.AliasString(text), 64)
	if err != nil {
		p.pos = start
		return 0, p.fail("the number is out of the range of a double")
	}
	p.dst = wire.AppendDouble(p.dst, f)
	return bsontype.Double, nil
}

func (p *parser) scanNumber() (integer, ok bool) {
	p.pos, integer, ok = ScanNumber(p.src, p.pos)
	return integer, ok
}

// ScanNumber returns where a number of the JSON grammar ends and whether it is an integer, or else where it goes wrong.
func ScanNumber(src []byte, pos int) (end int, integer, ok bool) {
	if src[pos] == '-' {
		pos++
	}
	leadingZero := pos < len(src) && src[pos] == '0'
	n := countDigits(src[pos:])
	if pos += n; n == 0 || leadingZero && n > 1 {
		return pos, false, false
	}
	integer = true
	if pos < len(src) && src[pos] == '.' {
		integer = false
		pos++
		if n = countDigits(src[pos:]); n == 0 {
			return pos, false, false
		}
		pos += n
	}
	if pos < len(src) && src[pos]|0x20 == 'e' {
		integer = false
		pos++
		if pos < len(src) && (src[pos] == '+' || src[pos] == '-') {
			pos++
		}
		if n = countDigits(src[pos:]); n == 0 {
			return pos, false, false
		}
		pos += n
	}
	return pos, integer, true
}

func countDigits(src []byte) int {
	for i, c := range src {
		if !decimal.IsDigit(c) {
			return i
		}
	}
	return len(src)
}

// ParseInteger parses an optional sign and digits into 64 bits.
func ParseInteger(s []byte) (int64, bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 19 {
		return parseLongInteger(s, negative)
	}
	var n uint64
	for _, c := range s {
		if !decimal.IsDigit(c) {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return applySign(n, negative)
}

// parseLongInteger accepts leading zeros in front of digits that fit.
func parseLongInteger(s []byte, negative bool) (int64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(wire.AliasString(s), 10, 64)
	if err != nil {
		return 0, false
	}
	return applySign(n, negative)
}

func applySign(n uint64, negative bool) (int64, bool) {
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n <= math.MaxInt64
}

// ParseDouble parses the text of $numberDouble: a decimal number or one of the names of Extended JSON, "Representation of
// Non-finite Numeric Values".
func ParseDouble(s []byte) (float64, bool) {
	switch string(s) {
	case form.NaN:
		return math.NaN(), true
	case form.Infinity:
		return math.Inf(1), true
	case form.NegativeInfinity:
		return math.Inf(-1), true
	}
	for _, c := range s { // ParseFloat also reads names, underscores and hexadecimal digits
		if !decimal.IsDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(wire.AliasString(s), 64)
	return f, err == nil
}
