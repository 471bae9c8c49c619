package query

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileType compiles $type: an alias, a number, or an array of them.
func compileType(op string, v bson.RawValue) (condition, error) {
	wanted, err := readTypes(v)
	if err == nil && len(wanted) == 0 {
		err = status.Errorf(errcode.FailedToParse, "%s must match at least one type", op)
	}
	return condition{test: func(_ *Match, v bson.RawValue) bool { return !v.IsZero() && wanted[v.Type] }}, err
}

func readTypes(v bson.RawValue) (map[bsontype.Type]bool, error) {
	list := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		list = value.Elements(v)
	}
	wanted := map[bsontype.Type]bool{}
	for _, e := range list {
		types, err := TypesOf(e)
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			wanted[t] = true
		}
	}
	return wanted, nil
}

// AllTypes are the BSON types.
var AllTypes = [...]bsontype.Type{
	bsontype.Double, bsontype.String, bsontype.EmbeddedDocument, bsontype.Array, bsontype.Binary, bsontype.Undefined,
	bsontype.ObjectID, bsontype.Boolean, bsontype.DateTime, bsontype.Null, bsontype.Regex, bsontype.DBPointer,
	bsontype.JavaScript, bsontype.Symbol, bsontype.CodeWithScope, bsontype.Int32, bsontype.Timestamp, bsontype.Int64,
	bsontype.Decimal128, bsontype.MinKey, bsontype.MaxKey,
}

// TypesOf reads one operand of $type.
func TypesOf(v bson.RawValue) ([]bsontype.Type, error) {
	if name, ok := v.StringOK(); ok {
		if name == "number" {
			return []bsontype.Type{bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128}, nil
		}
		for _, t := range AllTypes {
			if t.String() == name {
				return []bsontype.Type{t}, nil
			}
		}
		if name == "missing" {
			return nil, status.Errorf(errcode.BadValue,
				"'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}.")
		}
		return nil, status.Errorf(errcode.BadValue, "Unknown type name alias: %s", name)
	}
	if !number.Is(v.Type) {
		return nil, status.Errorf(errcode.TypeMismatch, "type must be represented as a number or a string")
	}
	n, ok := number.ExactInt64(v)
	switch {
	case ok && n == -1:
		return []bsontype.Type{bsontype.MinKey}, nil
	case ok && n == 0:
		return nil, status.Errorf(errcode.BadValue, "Invalid numerical type code: 0. Instead use {$exists:false}.")
	case ok && n > 0 && n < 0xFF && bsontype.Type(n).IsValid():
		return []bsontype.Type{bsontype.Type(n)}, nil
	}
	return nil, status.Errorf(errcode.BadValue, "Invalid numerical type code: %s", status.TextOf(v))
}

func compileMod(v bson.RawValue) (condition, error) {
	if v.Type != bsontype.Array {
		return condition{}, status.Errorf(errcode.BadValue, "malformed mod, needs to be an array")
	}
	list := value.Elements(v)
	switch {
	case len(list) > 0 && !number.Is(list[0].Type):
		return condition{}, status.Errorf(errcode.BadValue, "malformed mod, divisor not a number")
	case len(list) < 2:
		return condition{}, status.Errorf(errcode.BadValue, "malformed mod, not enough elements")
	case !number.Is(list[1].Type):
		return condition{}, status.Errorf(errcode.BadValue, "malformed mod, remainder not a number")
	case len(list) > 2:
		return condition{}, status.Errorf(errcode.BadValue, "malformed mod, too many elements")
	}
	divisor, err := readModOperand("divisor", list[0])
	if err != nil {
		return condition{}, err
	}
	remainder, err := readModOperand("remainder", list[1])
	if err != nil {
		return condition{}, err
	}
	if divisor == 0 {
		return condition{}, status.Errorf(errcode.BadValue, "divisor cannot be 0")
	}
	return condition{test: func(_ *Match, v bson.RawValue) bool {
		n, ok := number.TruncateInt64(v)
		// On some processors the least integer modulo -1 overflows. A remainder modulo -1 is always zero.
		return ok && number.Is(v.Type) && (divisor == -1 && remainder == 0 || divisor != -1 && n%divisor == remainder)
	}}, nil
}

func readModOperand(what string, v bson.RawValue) (int64, error) {
	n, ok := number.TruncateInt64(v)
	if ok {
		return n, nil
	}
	cause := "Out of bounds coercing to integral value"
	if f := number.Float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
		cause = "Unable to coerce NaN/Inf to integral type"
	}
	return 0, status.Errorf(errcode.BadValue, "malformed mod, %s value is invalid :: caused by :: %s", what, cause)
}

// mask is a set of bit positions.
type mask []uint

func compileBits(op string, v bson.RawValue) (condition, error) {
	positions, err := maskOf(op, v)
	if err != nil {
		return condition{}, err
	}
	all := op == "$bitsAllSet" || op == "$bitsAllClear"
	set := op == "$bitsAllSet" || op == "$bitsAnySet"
	return condition{test: func(_ *Match, v bson.RawValue) bool {
		bit, ok := bitsOf(v)
		if !ok {
			return false
		}
		for _, p := range positions {
			if (bit(p) == set) != all {
				return !all
			}
		}
		return all
	}}, nil
}

func maskOf(op string, v bson.RawValue) (mask, error) {
	var m mask
	length := uint(63)
	switch {
	case v.Type == bsontype.Array:
		for i, e := range value.Elements(v) {
			n, err := nonNegativeInt(strconv.Itoa(i), e)
			if err != nil {
				return nil, status.Errorf(errcode.BadValue, "Failed to parse bit position. %s", status.From(err).Message)
			}
			m = append(m, uint(n))
		}
		return m, nil
	case number.Is(v.Type):
		if _, err := readNonNegative(op, v); err != nil {
			return nil, err
		}
	case v.Type == bsontype.Binary:
		_, data, _ := v.BinaryOK()
		length = uint(len(data)) * 8
	default:
		return nil, status.Errorf(errcode.BadValue, "%s takes an Array, a number, or a BinData but received: %s", op, element(op, v))
	}
	bit, _ := bitsOf(v)
	for p := range length {
		if bit(p) {
			m = append(m, p)
		}
	}
	return m, nil
}

// bitsOf reads the bits of a whole number, sign-extended, or of binary data, zero-extended.
func bitsOf(v bson.RawValue) (bit func(uint) bool, ok bool) {
	if _, data, ok := v.BinaryOK(); ok {
		return func(p uint) bool { return p/8 < uint(len(data)) && data[p/8]>>(p%8)&1 == 1 }, true
	}
	n, ok := number.ExactInt64(v)
	if !ok {
		return nil, false
	}
	return func(p uint) bool { return n>>min(p, bits.UintSize-1)&1 == 1 }, true
}
