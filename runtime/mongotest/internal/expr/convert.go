package expr

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/number"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/value"
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
	"$isNumber": {1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		return value.Bool(number.Is(args[0].Type)), nil
	}},
}

// location is the code of an assertion.
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
	return status.Errorf(errcode.ConversionFailure, "Unsupported conversion from %s to %s in $convert with no onError value", v.Type, t)
}

// convert turns a value into another type, or fails with ConversionFailure.
func convert(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	if v.Type == t {
		return v, nil
	}
	switch t {
	case bsontype.String:
		s, ok := toText(v)
		if !ok {
			return missing, unsupported(v, t)
		}
		return value.String(s), nil
	case bsontype.Boolean:
		return value.Bool(value.Truthy(v)), nil
	case bsontype.Int32, bsontype.Int64:
		return toInteger(v, t)
	case bsontype.Double, bsontype.Decimal128:
		return toReal(v, t)
	case bsontype.DateTime:
		return toDate(v)
	case bsontype.ObjectID:
		s, ok := v.StringOK()
		if !ok {
			return missing, unsupported(v, t)
		}
		id, err := bson.ObjectIDFromHex(s)
		if err != nil {
			return missing, status.Errorf(errcode.ConversionFailure, "Failed to parse objectId '%s' in $convert with no onError value: Invalid string length for parsing to OID, expected 24 but found %d", s, len(s))
		}
		return value.ObjectID(id), nil
	}
	return missing, unsupported(v, t)
}

// toText is the value as $toString prints it.
func toText(v bson.RawValue) (string, bool) {
	switch v.Type {
	case bsontype.String:
		return v.StringOK()
	case bsontype.Symbol:
		return v.SymbolOK()
	case bsontype.JavaScript:
		return v.JavaScriptOK()
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
	case bsontype.Timestamp:
		return status.TextOf(v), true
	case bsontype.Binary:
		_, data, _ := v.BinaryOK()
		return base64.StdEncoding.EncodeToString(data), true
	}
	return "", false
}

func doubleText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func parseFailure(s, why string) error {
	return status.Errorf(errcode.ConversionFailure, "Failed to parse number '%s' in $convert with no onError value: %s", s, why)
}

func toInteger(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	var n int64
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		var err error
		if n, err = strconv.ParseInt(s, 10, 64); err != nil {
			return missing, parseFailure(s, "Did not consume whole string.")
		}
		if t == bsontype.Int32 && n != int64(int32(n)) {
			return missing, parseFailure(s, "Overflow")
		}
	case bsontype.Boolean:
		if value.Truthy(v) {
			n = 1
		}
	case bsontype.DateTime:
		if t != bsontype.Int64 {
			return missing, unsupported(v, t)
		}
		n, _ = v.DateTimeOK()
	case bsontype.Int32, bsontype.Int64, bsontype.Double, bsontype.Decimal128:
		if number.IsNaN(v) {
			return missing, status.Errorf(errcode.ConversionFailure, "Attempt to convert NaN value to integer type in $convert with no onError value")
		}
		var ok bool
		if n, ok = number.Truncated(v); !ok {
			return missing, status.Errorf(errcode.ConversionFailure, "Conversion would overflow target type in $convert with no onError value: %s", status.TextOf(v))
		}
	default:
		return missing, unsupported(v, t)
	}
	if t == bsontype.Int64 {
		return value.Int64(n), nil
	}
	if n != int64(int32(n)) {
		return missing, status.Errorf(errcode.ConversionFailure, "Conversion would overflow target type in $convert with no onError value: %d", n)
	}
	return value.Int32(int32(n)), nil
}

func toReal(v bson.RawValue, t bsontype.Type) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		if t == bsontype.Decimal128 {
			d, ok := number.ParseDecimal(s)
			if !ok {
				return missing, parseFailure(s, "Failed to parse string to decimal")
			}
			return d.Value(), nil
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || strings.ContainsAny(s, "xX_ ") {
			return missing, parseFailure(s, "Did not consume whole string.")
		}
		return value.Double(f), nil
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
		return value.Double(number.Float64(v)), nil
	}
	return number.ToDecimal(v).Value(), nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func toDate(v bson.RawValue) (bson.RawValue, error) {
	switch v.Type {
	case bsontype.String:
		s, _ := v.StringOK()
		t, err := parseDate(s, time.UTC)
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
		n, ok := number.Truncated(v)
		if !ok {
			return missing, status.Errorf(errcode.ConversionFailure, "Conversion would overflow target type in $convert with no onError value: %s", status.TextOf(v))
		}
		return value.DateTime(n), nil
	}
	return missing, unsupported(v, bsontype.DateTime)
}

var dateLayouts = [...]string{
	"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04", "2006-01-02",
}

func parseDate(s string, zone *time.Location) (time.Time, error) {
	for _, layout := range dateLayouts {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, status.Errorf(errcode.ConversionFailure, "Error parsing date string '%s'", s)
}
