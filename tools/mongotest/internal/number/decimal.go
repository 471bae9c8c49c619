package number

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

const (
	maxDigits   = 34
	maxExponent = 6111
	minExponent = -6176
)

type kind uint8

const (
	finite kind = iota
	infinite
	notANumber
)

// Decimal holds the parts of an IEEE 754-2008 decimal128: (-1)^Neg * Coef * 10^Exp.
type Decimal struct {
	kind kind
	Neg  bool
	Coef *big.Int
	Exp  int
}

// IsNaN reports not-a-number.
func (d Decimal) IsNaN() bool { return d.kind == notANumber }

// IsInf reports either infinity.
func (d Decimal) IsInf() bool { return d.kind == infinite }

// decode reads the sixteen bytes, little endian.
func decode(b []byte) Decimal {
	if len(b) < 16 {
		return Decimal{kind: notANumber}
	}
	bits := bson.NewDecimal128(binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b))
	d := Decimal{Neg: bits.Signbit(), Coef: new(big.Int)}
	switch coefficient, exponent, err := bits.BigInt(); {
	case bits.IsNaN():
		d.kind = notANumber
	case err != nil:
		d.kind = infinite
	default:
		d.Coef, d.Exp = coefficient.Abs(coefficient), exponent
	}
	return d
}

// Value encodes the decimal, rounded to 34 digits, ties to even.
func (d Decimal) Value() bson.RawValue {
	high, low := d.bits().Bits()
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), low)
	return bson.RawValue{Type: bsontype.Decimal128, Value: binary.LittleEndian.AppendUint64(b, high)}
}

func (d Decimal) bits() bson.Decimal128 {
	sign := ""
	if d.Neg {
		sign = "-"
	}
	text := "NaN"
	if d.kind == finite {
		d = d.round()
		text = sign + d.Coef.String() + "E" + strconv.Itoa(d.Exp)
	}
	if d.kind == infinite {
		text = sign + "Infinity"
	}
	bits, err := bson.ParseDecimal128(text)
	if err != nil {
		panic(err) // round has made it fit
	}
	return bits
}

// round fits the coefficient and the exponent into the format.
func (d Decimal) round() Decimal {
	drop := len(d.Coef.Text(10)) - maxDigits
	if under := minExponent - d.Exp; under > drop {
		drop = under
	}
	if drop > 0 {
		d.Coef, d.Exp = dropDigits(d.Coef, drop), d.Exp+drop
		if len(d.Coef.Text(10)) > maxDigits {
			d.Coef, d.Exp = dropDigits(d.Coef, 1), d.Exp+1
		}
	}
	if d.Coef.Sign() == 0 {
		d.Exp = min(max(d.Exp, minExponent), maxExponent)
		return d
	}
	for d.Exp > maxExponent {
		padded := new(big.Int).Mul(d.Coef, big.NewInt(10))
		if len(padded.Text(10)) > maxDigits {
			return Decimal{kind: infinite, Neg: d.Neg}
		}
		d.Coef, d.Exp = padded, d.Exp-1
	}
	return d
}

// dropDigits divides by 10^n, ties to even.
func dropDigits(coef *big.Int, n int) *big.Int {
	if n > 2*maxDigits+2 && n > len(coef.Text(10))+1 {
		return new(big.Int)
	}
	divisor := tenTo(n)
	q, r := new(big.Int).QuoRem(coef, divisor, new(big.Int))
	switch r.Lsh(r, 1).Cmp(divisor) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		if q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	}
	return q
}

func tenTo(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// ToDecimal converts any number. A double becomes exactly 15 significant digits, also if they end in zeros, as in the
// server's conversion.
func ToDecimal(v bson.RawValue) Decimal {
	switch v.Type {
	case bsontype.Decimal128:
		return decode(v.Value)
	case bsontype.Double:
		f, _ := v.DoubleOK()
		return digitsOf(f)
	}
	n, _ := v.AsInt64OK()
	return fromInt(n)
}

// toPlain converts any number; a double leaves out the zeros at the end of its 15 digits.
func toPlain(v bson.RawValue) Decimal {
	if f, ok := v.DoubleOK(); ok {
		return fromDouble(f)
	}
	return ToDecimal(v)
}

func fromInt(n int64) Decimal {
	coef := big.NewInt(n)
	return Decimal{Neg: n < 0, Coef: coef.Abs(coef)}
}

// digitsOf returns a double with 15 digits.
func digitsOf(f float64) Decimal {
	switch {
	case math.IsNaN(f):
		return Decimal{kind: notANumber}
	case math.IsInf(f, 0):
		return Decimal{kind: infinite, Neg: f < 0}
	}
	d, _ := ParseDecimal(strconv.FormatFloat(f, 'e', 14, 64))
	d.Neg = math.Signbit(f)
	if d.isZero() {
		d.Exp = 0
	}
	return d
}

func fromDouble(f float64) Decimal {
	d := digitsOf(f)
	if d.kind != finite {
		return d
	}
	for d.Coef.Sign() != 0 {
		q, r := new(big.Int).QuoRem(d.Coef, big.NewInt(10), new(big.Int))
		if r.Sign() != 0 {
			return d
		}
		d.Coef, d.Exp = q, d.Exp+1
	}
	d.Exp = 0
	return d
}

// ParseDecimal reads a decimal text; ok is false when it is none.
func ParseDecimal(s string) (d Decimal, ok bool) {
	parsed, err := bson.ParseDecimal128(s)
	if err != nil {
		return Decimal{}, false
	}
	high, low := parsed.Bits()
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), low)
	return decode(binary.LittleEndian.AppendUint64(b, high)), true
}

// Float64 returns the nearest double.
func (d Decimal) Float64() float64 {
	sign := 1.0
	if d.Neg {
		sign = -1
	}
	switch d.kind {
	case notANumber:
		return math.NaN()
	case infinite:
		return math.Inf(int(sign))
	}
	f, _ := strconv.ParseFloat(d.Coef.Text(10)+"e"+strconv.Itoa(d.Exp), 64)
	return sign * f
}

// signedCoefficient returns the coefficient with its sign.
func (d Decimal) signedCoefficient() *big.Int {
	if d.Neg {
		return new(big.Int).Neg(d.Coef)
	}
	return d.Coef
}

// align gives both coefficients at the smaller exponent.
func align(a, b Decimal) (x, y *big.Int, exp int) {
	x, y = a.signedCoefficient(), b.signedCoefficient()
	switch {
	case a.Exp > b.Exp:
		return new(big.Int).Mul(x, tenTo(a.Exp-b.Exp)), y, b.Exp
	case b.Exp > a.Exp:
		return x, new(big.Int).Mul(y, tenTo(b.Exp-a.Exp)), a.Exp
	}
	return x, y, a.Exp
}

func signedDecimal(n *big.Int, exp int) Decimal {
	return Decimal{Neg: n.Sign() < 0, Coef: new(big.Int).Abs(n), Exp: exp}
}

func (d Decimal) isZero() bool { return d.kind == finite && d.Coef.Sign() == 0 }

// compareDecimal orders two decimals exactly; NaN is below every number and equal to itself.
func compareDecimal(a, b Decimal) int {
	if a.IsNaN() || b.IsNaN() {
		return boolInt(b.IsNaN()) - boolInt(a.IsNaN())
	}
	if s, t := a.sign(), b.sign(); s != t || s == 0 {
		return s - t
	}
	if a.IsInf() || b.IsInf() {
		return a.sign() * (boolInt(a.IsInf()) - boolInt(b.IsInf()))
	}
	if m, n := a.magnitude(), b.magnitude(); m != n {
		if m > n {
			return a.sign()
		}
		return -a.sign()
	}
	x, y, _ := align(a, b)
	return x.Cmp(y)
}

// magnitude returns the exponent of the first digit.
func (d Decimal) magnitude() int { return len(d.Coef.Text(10)) + d.Exp }

func (d Decimal) sign() int {
	switch {
	case d.isZero():
		return 0
	case d.Neg:
		return -1
	}
	return 1
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
