package expr

import (
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/hashed"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var conversions = map[string]function{
	"$toString":   converting(bsontype.String),
	"$toInt":      converting(bsontype.Int32),
	"$toLong":     converting(bsontype.Int64),
	"$toDouble":   converting(bsontype.Double),
	"$toDecimal":  converting(bsontype.Decimal128),
	"$toBool":     converting(bsontype.Boolean),
	"$toDate":     converting(bsontype.DateTime),
	"$toObjectId": converting(bsontype.ObjectID),
	"$type": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.String(value.TypeName(args[0])), nil
	}},
	"$toHashedIndexKey": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if args[0].IsZero() {
			args[0] = value.Null
		}
		return value.Int64(hashed.Sum(args[0])), nil
	}},
	"$isNumber": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.Bool(number.Is(args[0].Type)), nil
	}},
}

// location returns the error code of an assertion number.
func location(n int) errcode.Code { return errcode.Code(n) }

func converting(t bsontype.Type) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if value.Nullish(args[0]) {
			return value.Null, nil
		}
		return convert(args[0], t)
	}}
}

func unsupported(v bson.RawValue, t bsontype.Type) error {
	return status.Errorf(errcode.ConversionFailure,
		"Unsupported conversion from %s to %s in $convert with no onError value", v.Type, value.TypeName(bson.RawValue{Type: t}))
}

// convertNames is $convert. Its argument to is a type or, since 8.0, a document with a type and a subtype.
var convertNames = map[string]namedFunction{"$convert": {signature{
	names:   []string{"input", "to", "format", "byteOrder", "onError", "onNull"},
	lazy:    4,
	object:  refusal{errcode.FailedToParse, "{op} expects an object of named arguments but found: {type}"},
	unknown: refusal{errcode.FailedToParse, "{op} found an unknown argument: {arg}"},
	missing: []refusal{
		{errcode.FailedToParse, "Missing '{arg}' parameter to {op}"},
		{errcode.FailedToParse, "Missing '{arg}' parameter to {op}"},
	},
}, convertNamed}}

func convertNamed(env *Env, args []bson.RawValue, g given) (bson.RawValue, error) {
	input, to := args[0], args[1]
	var subtype bson.RawValue
	if d, ok := to.DocumentOK(); ok && env.wire >= wire.Server80 {
		to, subtype = path.Field(d, "type"), path.Field(d, "subtype")
	}
	l, err := readLayout(args[2], args[3], subtype)
	if err != nil {
		return missing, err
	}
	var t bsontype.Type
	if !value.Nullish(to) {
		var err error
		if t, err = targetType(to); err != nil {
			return missing, err
		}
	}
	switch {
	case value.Nullish(input):
		return g.orNull(env, 5)
	case value.Nullish(to):
		return value.Null, nil
	}
	v, err := l.convert(input, t, env.wire)
	if err != nil && g.has(4) && status.Is(err, errcode.ConversionFailure) {
		return g.orNull(env, 4)
	}
	return v, err
}

// targetType reads the name or the number of a type; "missing" is type 0.
func targetType(v bson.RawValue) (bsontype.Type, error) {
	name, isName := v.StringOK()
	n, _ := number.Whole(v)
	switch {
	case isName && name == "missing":
		return 0, nil
	case !isName && !number.Is(v.Type):
		return 0, status.Errorf(errcode.FailedToParse, "$convert's 'to' argument must be a string or number, but is %s", v.Type)
	case !isName && !number.Is32(v):
		return 0, status.Errorf(errcode.FailedToParse, "In $convert, numeric 'to' argument is not an integer")
	}
	for t := range 256 {
		t := bsontype.Type(t)
		if known := !strings.Contains(t.String(), "("); known && (isName && t.String() == name || !isName && int64(int8(t)) == n) {
			return t, nil
		}
	}
	if isName {
		return 0, status.Errorf(errcode.BadValue, "Unknown type name: %s", name)
	}
	return 0, status.Errorf(errcode.FailedToParse, "In $convert, numeric value for 'to' does not correspond to a BSON type: %d", n)
}

// convert converts a value, and binary data according to the layout if the server version supports that.
func (l layout) convert(v bson.RawValue, t bsontype.Type, version int32) (bson.RawValue, error) {
	isBinary := v.Type == bsontype.Binary
	switch {
	case version < wire.Server80:
	case t == bsontype.Binary && (v.Type == bsontype.String || isBinary || version >= wire.Server81):
		return l.toBinary(v)
	case t == bsontype.String && isBinary:
		return l.text(v)
	case isBinary && version >= wire.Server81 && (t == bsontype.Int32 || t == bsontype.Int64 || t == bsontype.Double):
		return l.number(v, t)
	}
	return convert(v, t)
}

// convert converts a value to another type, or fails with ConversionFailure.
func convert(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	switch t {
	case bsontype.String:
		if s, ok := toText(v); ok {
			return value.String(s), nil
		}
	case bsontype.Boolean:
		return value.Bool(value.Truthy(v)), nil
	case bsontype.Int32, bsontype.Int64:
		return toInteger(v, t)
	case bsontype.Double, bsontype.Decimal128:
		return toReal(v, t)
	case bsontype.DateTime:
		return toDate(v)
	case bsontype.ObjectID:
		return toObjectID(v)
	}
	return missing, unsupported(v, t)
}

func toObjectID(v bson.RawValue) (bson.RawValue, error) {
	if v.Type == bsontype.ObjectID {
		return v, nil
	}
	s, ok := v.StringOK()
	if !ok {
		return missing, unsupported(v, bsontype.ObjectID)
	}
	id, err := bson.ObjectIDFromHex(s)
	switch {
	case len(s) != 24:
		return missing, status.Errorf(errcode.ConversionFailure,
			"Failed to parse objectId '%s' in $convert with no onError value: Invalid string length for parsing to OID, "+
				"expected 24 but found %d", s, len(s))
	case err != nil:
		return missing, status.Errorf(errcode.ConversionFailure,
			"Failed to parse objectId '%s' in $convert with no onError value: Invalid character found in hex "+
				"string: '%c'", s, s[strings.IndexFunc(s, notHex)])
	}
	return value.ObjectID(id), nil
}

func notHex(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }

// toText returns the value as $toString prints it.
func toText(v bson.RawValue) (string, bool) {
	switch v.Type {
	case bsontype.String:
		return v.StringOK()
	case bsontype.Boolean:
		b, _ := v.BooleanOK()
		return strconv.FormatBool(b), true
	case bsontype.Int32, bsontype.Int64:
		n, _ := v.AsInt64OK()
		return strconv.FormatInt(n, 10), true
	case bsontype.Double:
		f, _ := v.DoubleOK()
		return doubleText(f), true
	case bsontype.Decimal128:
		d, _ := v.Decimal128OK()
		return d.String(), true
	case bsontype.ObjectID:
		return hex.EncodeToString(v.Value), true
	case bsontype.DateTime:
		t, _ := v.TimeOK()
		return t.UTC().Format("2006-01-02T15:04:05.000Z"), true
	}
	return "", false
}

// doubleText prints a double with 16 digits, like the server's streams.
func doubleText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', 16, 64)
}

func parseFailure(s, why string) error {
	if strings.HasPrefix(s, "0x") {
		return status.Errorf(errcode.ConversionFailure, "Illegal hexadecimal input in $convert with no onError value: %s", s)
	}
	return status.Errorf(errcode.ConversionFailure, "Failed to parse number '%s' in $convert with no onError value: %s", s, why)
}

func overflows(text string) error {
	return status.Errorf(errcode.ConversionFailure, "Conversion would overflow target type in $convert with no onError value: %s", text)
}

func toInteger(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	var n int64
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		var err error
		if n, err = strconv.ParseInt(s, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return missing, parseFailure(s, "Did not consume whole string.")
		}
		if err != nil || t == bsontype.Int32 && n != int64(int32(n)) {
			return missing, parseFailure(s, "Overflow")
		}
	case bsontype.Boolean:
		n = int64(boolInt(value.Truthy(v)))
	case bsontype.DateTime:
		if t != bsontype.Int64 {
			return missing, unsupported(v, t)
		}
		n, _ = v.DateTimeOK()
	case bsontype.Int32, bsontype.Int64:
		if n, _ = v.AsInt64OK(); t == bsontype.Int32 && n != int64(int32(n)) {
			return missing, overflows("")
		}
	case bsontype.Double, bsontype.Decimal128:
		var err error
		if n, err = wholePart(v, t); err != nil {
			return missing, err
		}
	default:
		return missing, unsupported(v, t)
	}
	if t == bsontype.Int64 {
		return value.Int64(n), nil
	}
	return value.Int32(int32(n)), nil
}

// wholePart drops the fraction of a real number. A double must lie within the range of the type before its fraction is
// dropped.
func wholePart(v bson.RawValue, t bsontype.Type) (int64, error) {
	text, _ := toText(v)
	f := number.Float64(v)
	switch {
	case math.IsNaN(f):
		return 0, status.Errorf(errcode.ConversionFailure, "Attempt to convert NaN value to integer type in $convert with no onError value")
	case number.IsInf(v):
		return 0, status.Errorf(errcode.ConversionFailure,
			"Attempt to convert infinity value to integer type in $convert with no onError value")
	case v.Type == bsontype.Double && t == bsontype.Int32 && (f < math.MinInt32 || f > math.MaxInt32):
		return 0, overflows(text)
	}
	n, ok := number.Truncated(v)
	if !ok || t == bsontype.Int32 && n != int64(int32(n)) {
		return 0, overflows(text)
	}
	return n, nil
}

func toReal(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.String:
		return parseReal(value.Text(v), t)
	case bsontype.Boolean:
		v = value.Int32(int32(boolInt(value.Truthy(v))))
	case bsontype.DateTime:
		n, _ := v.DateTimeOK()
		v = value.Int64(n)
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
	default:
		return missing, unsupported(v, t)
	}
	if t == bsontype.Double {
		f := number.Float64(v)
		if math.IsInf(f, 0) && !number.IsInf(v) {
			text, _ := toText(v)
			return missing, overflows(text)
		}
		return value.Double(f), nil
	}
	return number.ToDecimal(v).Value(), nil
}

func parseReal(s string, t bsontype.Type) (bson.RawValue, error) {
	if t == bsontype.Decimal128 {
		d, ok := number.ParseDecimal(s)
		if !ok {
			return missing, parseFailure(s, "Failed to parse string to decimal")
		}
		return d.Value(), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return missing, parseFailure(s, "Out of range")
	case err != nil || strings.ContainsAny(s, "xX_ "):
		return missing, parseFailure(s, "Did not consume whole string.")
	}
	return value.Double(f), nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func toDate(v bson.RawValue) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.DateTime:
		return v, nil
	case bsontype.String:
		t, err := parseDate(value.Text(v), nil)
		if err != nil {
			return missing, err
		}
		return value.DateTime(t.UnixMilli()), nil
	case bsontype.ObjectID:
		id, _ := v.ObjectIDOK()
		return value.DateTime(id.Timestamp().UnixMilli()), nil
	case bsontype.Timestamp:
		t, _, _ := v.TimestampOK()
		return value.DateTime(int64(t) * 1000), nil
	case bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		n, err := toInteger(v, bsontype.Int64)
		if err != nil {
			return missing, err
		}
		ms, _ := n.AsInt64OK()
		return value.DateTime(ms), nil
	}
	return missing, unsupported(v, bsontype.DateTime)
}
