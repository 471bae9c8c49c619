package expr

import (
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
	"$toString":   newConversion(bsontype.String),
	"$toInt":      newConversion(bsontype.Int32),
	"$toLong":     newConversion(bsontype.Int64),
	"$toDouble":   newConversion(bsontype.Double),
	"$toDecimal":  newConversion(bsontype.Decimal128),
	"$toBool":     newConversion(bsontype.Boolean),
	"$toDate":     newConversion(bsontype.DateTime),
	"$toObjectId": newConversion(bsontype.ObjectID),
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

func newConversion(t bsontype.Type) function {
	return function{1, 1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		if value.IsNullish(args[0]) {
			return value.Null, nil
		}
		return convert(args[0], t)
	}}
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

func convertNamed(env *Env, args []bson.RawValue, g presentArguments) (bson.RawValue, error) {
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
	if !value.IsNullish(to) {
		var err error
		if t, err = targetType(to); err != nil {
			return missing, err
		}
	}
	switch {
	case value.IsNullish(input):
		return g.evaluateOrNull(env, 5)
	case value.IsNullish(to):
		return value.Null, nil
	}
	v, err := l.convert(input, t, env.wire)
	if err != nil && g.has(4) && (status.Is(err, errcode.ConversionFailure) || status.Is(err, outsideYears)) {
		return g.evaluateOrNull(env, 4)
	}
	return v, err
}

// targetType reads the name or the number of a type; "missing" is type 0.
func targetType(v bson.RawValue) (bsontype.Type, error) {
	name, isName := v.StringOK()
	n, _ := number.ExactInt64(v)
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
