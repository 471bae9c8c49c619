package expr

import (
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func errUnsupported(v bson.RawValue, t bsontype.Type) error {
	return status.Errorf(errcode.ConversionFailure,
		"Unsupported conversion from %s to %s in $convert with no onError value", v.Type, value.TypeName(bson.RawValue{Type: t}))
}

// convert converts a value to another type, or fails with ConversionFailure.
func convert(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	switch t {
	case bsontype.String:
		if s, ok := toText(v); ok {
			return value.String(s), checkWritable(v)
		}
	case bsontype.Boolean:
		return value.Bool(value.IsTruthy(v)), nil
	case bsontype.Int32, bsontype.Int64:
		return toInteger(v, t)
	case bsontype.Double, bsontype.Decimal128:
		return toReal(v, t)
	case bsontype.DateTime:
		return toDate(v)
	case bsontype.ObjectID:
		return toObjectID(v)
	}
	return missing, errUnsupported(v, t)
}

func toObjectID(v bson.RawValue) (bson.RawValue, error) {
	if v.Type == bsontype.ObjectID {
		return v, nil
	}
	s, ok := v.StringOK()
	if !ok {
		return missing, errUnsupported(v, bsontype.ObjectID)
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
				"string: '%c'", s, s[strings.IndexFunc(s, isNotHex)])
	}
	return value.ObjectID(id), nil
}

func isNotHex(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }

// checkWritable refuses a date that has no text because its year has more than four digits or none.
func checkWritable(v bson.RawValue) error {
	if t, ok := v.TimeOK(); ok {
		return yearInText(t.UTC())
	}
	return nil
}

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

func errParse(s, why string) error {
	if strings.HasPrefix(s, "0x") {
		return status.Errorf(errcode.ConversionFailure, "Illegal hexadecimal input in $convert with no onError value: %s", s)
	}
	return status.Errorf(errcode.ConversionFailure, "Failed to parse number '%s' in $convert with no onError value: %s", s, why)
}

func overflowError(text string) error {
	return status.Errorf(errcode.ConversionFailure, "Conversion would overflow target type in $convert with no onError value: %s", text)
}

func toInteger(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	var n int64
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		var err error
		if n, err = strconv.ParseInt(s, 10, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return missing, errParse(s, "Did not consume whole string.")
		}
		if err != nil || t == bsontype.Int32 && n != int64(int32(n)) {
			return missing, errParse(s, "Overflow")
		}
	case bsontype.Boolean:
		n = int64(boolInt(value.IsTruthy(v)))
	case bsontype.DateTime:
		if t != bsontype.Int64 {
			return missing, errUnsupported(v, t)
		}
		n, _ = v.DateTimeOK()
	case bsontype.Int32, bsontype.Int64:
		if n, _ = v.AsInt64OK(); t == bsontype.Int32 && n != int64(int32(n)) {
			return missing, overflowError("")
		}
	case bsontype.Double, bsontype.Decimal128:
		var err error
		if n, err = wholePart(v, t); err != nil {
			return missing, err
		}
	default:
		return missing, errUnsupported(v, t)
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
		return 0, overflowError(text)
	}
	n, ok := number.TruncateInt64(v)
	if !ok || t == bsontype.Int32 && n != int64(int32(n)) {
		return 0, overflowError(text)
	}
	return n, nil
}

func toReal(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.String:
		return parseReal(value.Text(v), t)
	case bsontype.Boolean:
		v = value.Int32(int32(boolInt(value.IsTruthy(v))))
	case bsontype.DateTime:
		n, _ := v.DateTimeOK()
		v = value.Int64(n)
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
	default:
		return missing, errUnsupported(v, t)
	}
	if t == bsontype.Double {
		f := number.Float64(v)
		if math.IsInf(f, 0) && !number.IsInf(v) {
			text, _ := toText(v)
			return missing, overflowError(text)
		}
		return value.Double(f), nil
	}
	return number.ToDecimal(v).Value(), nil
}

func parseReal(s string, t bsontype.Type) (bson.RawValue, error) {
	if t == bsontype.Decimal128 {
		d, ok := number.ParseDecimal(s)
		if !ok {
			return missing, errParse(s, "Failed to parse string to decimal")
		}
		return d.Value(), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return missing, errParse(s, "Out of range")
	case err != nil || strings.ContainsAny(s, "xX_ "):
		return missing, errParse(s, "Did not consume whole string.")
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
	return missing, errUnsupported(v, bsontype.DateTime)
}
