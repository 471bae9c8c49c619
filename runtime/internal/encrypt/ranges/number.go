package ranges

import "math/bits"

// Number is an unsigned integer of 128 bits: enough for every type that a range index takes.
type Number struct{ Hi, Lo uint64 }

// Len returns the number of bits that the integer needs, 0 for 0.
func (n Number) Len() int {
	if n.Hi != 0 {
		return 64 + bits.Len64(n.Hi)
	}
	return bits.Len64(n.Lo)
}

// Less reports whether n is smaller than m.
func (n Number) Less(m Number) bool { return n.Hi < m.Hi || n.Hi == m.Hi && n.Lo < m.Lo }

// Bit returns the bit at a position, counted from the least significant.
func (n Number) Bit(i int) byte {
	if i >= 64 {
		return byte(n.Hi >> (i - 64) & 1)
	}
	return byte(n.Lo >> i & 1)
}

func (n Number) plus(m Number) Number {
	lo, carry := bits.Add64(n.Lo, m.Lo, 0)
	hi, _ := bits.Add64(n.Hi, m.Hi, carry)
	return Number{hi, lo}
}

func (n Number) minus(m Number) Number {
	lo, borrow := bits.Sub64(n.Lo, m.Lo, 0)
	hi, _ := bits.Sub64(n.Hi, m.Hi, borrow)
	return Number{hi, lo}
}

// powerOfTwo returns 2 to the i, for i below 128.
func powerOfTwo(i int) Number {
	if i >= 64 {
		return Number{Hi: 1 << (i - 64)}
	}
	return Number{Lo: 1 << i}
}

// lowBits returns the number whose lowest i bits are set.
func lowBits(i int) Number {
	if i >= 128 {
		return Number{^uint64(0), ^uint64(0)}
	}
	return powerOfTwo(i).minus(Number{Lo: 1})
}

// text writes the integer in a number of binary digits.
func (n Number) text(digits int) string {
	out := make([]byte, digits)
	for i := range out {
		out[i] = '0' + n.Bit(digits-1-i)
	}
	return string(out)
}
