package decimal

import "math/bits"

const notDecimal = "is not a numeric string of"

// pow10 holds the powers of ten that fit 64 bits.
var pow10 = [20]uint64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// Parse follows the grammar of Decimal128, "From String Representation".
func Parse(s string) (d Number, cause string) {
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		i, negative = 1, s[0] == '-'
	}
	var acc digitAccumulator
	i = acc.add(s, i)
	seen := i > 0 && IsDigit(s[i-1])
	var fraction int
	if i < len(s) && s[i] == '.' {
		start := i + 1
		i = acc.add(s, start)
		fraction = i - start
		seen = seen || fraction > 0
	}
	if !seen {
		return parseSpecial(s, negative)
	}
	var exp int64
	if i < len(s) {
		var ok bool
		if exp, ok = parseExponent(s[i:]); !ok {
			return Number{}, notDecimal
		}
	}
	if acc.inexact {
		return Number{}, "has more than the 34 significant digits of"
	}
	return newDecimal(negative, acc.coefficient(), exp-int64(fraction)+acc.dropped)
}

// digitAccumulator collects the first 34 significant digits in two halves of at most 19.
type digitAccumulator struct {
	first, second   uint64
	nFirst, nSecond int
	dropped         int64 // zeros after the 34th digit; each adds one to the exponent
	inexact         bool  // a digit other than zero was dropped
}

// add takes the digits of s from i on and returns where they end.
func (a *digitAccumulator) add(s string, i int) int {
	if a.nFirst == 0 {
		for i < len(s) && s[i] == '0' {
			i++
		}
	}
	first, n := a.first, a.nFirst
	for n <= 11 && i+8 <= len(s) {
		v, ok := eightDigits(s[i : i+8])
		if !ok {
			break
		}
		first, n, i = first*1e8+v, n+8, i+8
	}
	for n < 19 && i < len(s) && IsDigit(s[i]) {
		first, n, i = first*10+uint64(s[i]-'0'), n+1, i+1
	}
	a.first, a.nFirst = first, n
	if n < 19 || i == len(s) || !IsDigit(s[i]) {
		return i
	}
	return a.addSecond(s, i)
}

func (a *digitAccumulator) addSecond(s string, i int) int {
	const most = maxDigits - 19
	second, n := a.second, a.nSecond
	for n <= most-8 && i+8 <= len(s) {
		v, ok := eightDigits(s[i : i+8])
		if !ok {
			break
		}
		second, n, i = second*1e8+v, n+8, i+8
	}
	for n < most && i < len(s) && IsDigit(s[i]) {
		second, n, i = second*10+uint64(s[i]-'0'), n+1, i+1
	}
	a.second, a.nSecond = second, n
	for ; i < len(s) && IsDigit(s[i]); i++ {
		a.dropped++
		a.inexact = a.inexact || s[i] != '0'
	}
	return i
}

func (a *digitAccumulator) coefficient() coefficient {
	h, l := bits.Mul64(a.first, pow10[a.nSecond])
	l, carry := bits.Add64(l, a.second, 0)
	return coefficient{h + carry, l}
}

// eightDigits returns the number that eight characters spell, and whether all of them are digits.
func eightDigits(s string) (uint64, bool) {
	_ = s[7]
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | // the compiler makes this one load
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	// A digit is 0x30 to 0x39: its high nibble is 3, and still is after adding 6.
	const high, threes, sixes = 0xF0F0F0F0F0F0F0F0, 0x3030303030303030, 0x0606060606060606
	if v&high != threes || (v+sixes)&high != threes {
		return 0, false
	}
	// Pairs, then fours, then all eight are joined side by side.
	v -= threes
	v = (v*10 + v>>8) & 0x00FF00FF00FF00FF
	v = (v*100 + v>>16) & 0x0000FFFF0000FFFF
	return (v*10000 + v>>32) & 0xFFFFFFFF, true
}

// parseExponent parses all of s as indicator, sign and digits. A number too long for any Decimal128 saturates.
func parseExponent(s string) (int64, bool) {
	if s[0]|0x20 != 'e' {
		return 0, false
	}
	i, negative := 1, false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i, negative = 2, s[i] == '-'
	}
	if i == len(s) {
		return 0, false
	}
	var exp int64
	for ; i < len(s); i++ {
		if !IsDigit(s[i]) {
			return 0, false
		}
		if exp < 1<<48 { // beyond the length of any string, so no fraction brings it back into range
			exp = exp*10 + int64(s[i]-'0')
		}
	}
	if negative {
		exp = -exp
	}
	return exp, true
}

// parseSpecial parses the names of infinity and NaN, in any case.
func parseSpecial(s string, negative bool) (Number, string) {
	name := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		name = s[1:]
	}
	var d Number
	switch {
	case foldEqual(name, "inf"), foldEqual(name, "infinity"):
		d.High = Inf
	case foldEqual(name, "nan"):
		d.High = NaN
	default:
		return Number{}, notDecimal
	}
	if negative && d.High == Inf { // the sign of a NaN means nothing
		d.High |= Sign
	}
	return d, ""
}

// foldEqual compares s with a lower-case ASCII word.
func foldEqual(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c-'0' < 10 }
