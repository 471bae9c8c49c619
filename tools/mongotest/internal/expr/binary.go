package expr

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// binaries are the operators on binary data and on vectors.
var binaries = map[string]function{
	"$toUUID": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if value.IsNullish(args[0]) {
			return value.Null, nil
		}
		return layout{subtype: bsontype.BinaryUUID, format: "uuid"}.toBinary(args[0])
	}},
	"$subtype": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if value.IsNullish(args[0]) {
			return value.Null, nil
		}
		subtype, _, ok := args[0].BinaryOK()
		if !ok {
			return missing, status.Errorf(errcode.TypeMismatch, "$subtype requires a binData argument, found: %s", args[0].Type)
		}
		return value.Int32(int32(subtype)), nil
	}},
	"$sigmoid": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if err := checkNumber("$sigmoid", args[0]); err != nil || anyNull(args) {
			return value.Null, err
		}
		return value.Double(1 / (1 + math.Exp(-number.Float64(args[0])))), nil
	}},
}

// layout describes how to write binary data as text or as a number.
type layout struct {
	format   string // base64, base64url, hex, utf8, uuid or auto; "" for none
	subtype  byte
	bigFirst bool
}

func errConversion(format string, args ...any) error {
	return status.Errorf(errcode.ConversionFailure, format+" in $convert with no onError value", args...)
}

// readLayout reads the arguments format and byteOrder of $convert, and the subtype of its target.
func readLayout(format, order, subtype bson.RawValue) (l layout, err error) {
	if !value.IsNullish(format) {
		var ok bool
		if l.format, ok = format.StringOK(); !ok {
			return l, status.Errorf(4341114, "$convert requires that 'format' be a string, found: %s", format.Type)
		}
		switch l.format {
		case "base64", "base64url", "hex", "utf8", "uuid", "auto":
		default:
			return l, status.Errorf(4341125, "Invalid 'format' argument for $convert: %s", l.format)
		}
	}
	if !value.IsNullish(order) {
		if order.Type != bsontype.String {
			return l, status.Errorf(9130001, "$convert requires 'byteOrder' be a string, but is %s", order.Type)
		}
		switch value.Text(order) {
		case "little":
		case "big":
			l.bigFirst = true
		default:
			return l, status.Errorf(9130002, "Invalid 'byteOrder' argument for $convert: %s", status.TextOf(order))
		}
	}
	n, whole := number.ExactInt64(subtype)
	switch {
	case value.IsNullish(subtype):
		return l, nil
	case !number.Is(subtype.Type):
		return l, status.Errorf(4341108, "$convert's 'subtype' argument must be a number, but is %s", subtype.Type)
	case !whole:
		return l, status.Errorf(4341106, "In $convert, numeric 'subtype' argument is not an integer")
	case n < 0 || n > 9 && n < 128 || n > 255:
		return l, status.Errorf(4341107, "In $convert, numeric value for 'subtype' does not correspond to a BinData type: %d", n)
	}
	l.subtype = byte(n)
	return l, nil
}

// toBinary converts a string or a number to binary data.
func (l layout) toBinary(v bson.RawValue) (bson.RawValue, error) {
	if subtype, _, ok := v.BinaryOK(); ok {
		if subtype != l.subtype {
			return missing, errConversion("Conversions between different binData subtypes are not supported")
		}
		return v, nil
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if l.bigFirst {
		order = binary.BigEndian
	}
	switch v.Type {
	case bsontype.Int32:
		n, _ := v.Int32OK()
		return value.Binary(l.subtype, order.AppendUint32(nil, uint32(n))), nil
	case bsontype.Int64:
		n, _ := v.Int64OK()
		return value.Binary(l.subtype, order.AppendUint64(nil, uint64(n))), nil
	case bsontype.Double:
		n, _ := v.DoubleOK()
		return value.Binary(l.subtype, order.AppendUint64(nil, math.Float64bits(n))), nil
	case bsontype.String:
	default:
		return missing, errUnsupported(v, bsontype.Binary)
	}
	text := value.Text(v)
	data, ok := l.parse(text)
	switch {
	case l.format == "":
		return missing, status.Errorf(4341115, "Format must be speficied when converting from 'string' to 'binData'")
	case l.subtype == bsontype.BinaryUUID && l.format != "uuid" && l.format != "auto":
		return missing, errConversion("Only the UUID format is allowed with the UUID subtype")
	case l.format == "uuid" && l.subtype != bsontype.BinaryUUID:
		return missing, errConversion("Only the UUID subtype is allowed with the UUID format")
	case !ok:
		return missing, errConversion("Input '%s' could not be parsed as %s", text, l.format)
	}
	return value.Binary(l.subtype, data), nil
}

func (l layout) parse(s string) (data []byte, ok bool) {
	var err error
	switch l.format {
	case "base64":
		data, err = base64.StdEncoding.DecodeString(s)
	case "base64url":
		data, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	case "hex":
		data, err = hex.DecodeString(s)
	case "utf8":
		return []byte(s), true
	case "uuid":
		if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' || l.subtype != bsontype.BinaryUUID {
			return nil, false
		}
		data, err = hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	default:
		return nil, false
	}
	return data, err == nil
}

// text converts binary data to a string.
func (l layout) text(v bson.RawValue) (bson.RawValue, error) {
	subtype, data, _ := v.BinaryOK()
	isUUID := subtype == bsontype.BinaryUUID && len(data) == 16
	switch format := l.format; {
	case format == "auto" && isUUID, format == "uuid" && isUUID:
		h := hex.EncodeToString(data)
		return value.String(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]), nil
	case format == "auto", format == "base64":
		return value.String(base64.StdEncoding.EncodeToString(data)), nil
	case format == "base64url":
		return value.String(base64.RawURLEncoding.EncodeToString(data)), nil
	case format == "hex":
		return value.String(strings.ToUpper(hex.EncodeToString(data))), nil
	case format == "utf8" && utf8.Valid(data):
		return value.String(string(data)), nil
	case format == "":
		return missing, status.Errorf(4341115, "Format must be speficied when converting from 'binData' to 'string'")
	}
	return missing, errConversion("BinData could not be converted to a string of the format %s", l.format)
}

// number reads binary data as a number of 1, 2, 4 or 8 bytes.
func (l layout) number(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	_, data, _ := v.BinaryOK()
	padded := make([]byte, 8)
	copy(padded, data)
	if l.bigFirst {
		for i := range min(len(data), 8) {
			padded[i] = data[len(data)-1-i]
		}
	}
	bits := binary.LittleEndian.Uint64(padded)
	switch {
	case t == bsontype.Double && len(data) == 4:
		return value.Double(float64(math.Float32frombits(uint32(bits)))), nil
	case t == bsontype.Double && len(data) == 8:
		return value.Double(math.Float64frombits(bits)), nil
	case t == bsontype.Double, len(data) != 1 && len(data) != 2 && len(data) != 4 && (len(data) != 8 || t == bsontype.Int32):
		to := value.TypeName(bson.RawValue{Type: t})
		return missing, errConversion("Failed to convert '%s' to %s because of its length", status.TextOf(v), to)
	}
	shift := 64 - 8*len(data)
	n := int64(bits<<shift) >> shift
	if t == bsontype.Int32 {
		return value.Int32(int32(n)), nil
	}
	return value.Int64(n), nil
}

// compileSimilarity compiles $similarityCosine and the related operators. They take two lists of numbers, or {vectors, score}.
func (c *compiler) compileSimilarity(name string, arg bson.RawValue) (eval, error) {
	vectors, scored := arg, false
	if d, ok := arg.DocumentOK(); ok && !d.Lookup("vectors").IsZero() {
		vectors = d.Lookup("vectors")
		scored = value.IsTruthy(d.Lookup("score"))
	}
	args, err := c.compileAll(list(vectors))
	if err != nil {
		return nil, err
	}
	if len(args) != 2 {
		return nil, status.Errorf(errcode.Location16020, "Expression %s takes exactly 2 arguments. %d were passed in.", name, len(args))
	}
	return func(env *Env) (bson.RawValue, error) {
		values, err := evaluate(env, args)
		if err != nil || anyNull(values) {
			return value.Null, err
		}
		return similarity(name, values, scored)
	}, nil
}

func similarity(name string, values []bson.RawValue, scored bool) (bson.RawValue, error) {
	var lists [2][]float64
	for i, v := range values {
		if v.Type != bsontype.Array {
			which := []string{"first", "second"}[i]
			return missing, status.Errorf(10413200, "The %s of %s must be an array, found %s", which, name, v.Type)
		}
		for _, e := range value.Elements(v) {
			if !number.Is(e.Type) {
				return missing, status.Errorf(10413203, "All elements of %s must be numeric, found %s", name, e.Type)
			}
			lists[i] = append(lists[i], number.Float64(e))
		}
	}
	if len(lists[0]) != len(lists[1]) {
		return missing, status.Errorf(10413202, "All arguments of %s must have the same size", name)
	}
	var dot, a, b, square float64
	for i, x := range lists[0] {
		y := lists[1][i]
		dot, a, b, square = dot+x*y, a+x*x, b+y*y, square+(x-y)*(x-y)
	}
	result := dot
	switch name {
	case "$similarityCosine":
		if result = 0; a > 0 && b > 0 {
			result = dot / math.Sqrt(a*b)
		}
	case "$similarityEuclidean":
		if result = math.Sqrt(square); scored {
			return value.Double(1 / (1 + result)), nil
		}
	}
	if scored {
		result = (1 + result) / 2
	}
	return value.Double(result), nil
}
