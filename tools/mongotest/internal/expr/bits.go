package expr

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var bits = map[string]function{
	"$bitAnd": newBitwise("$bitAnd", -1, func(a, b int64) int64 { return a & b }),
	"$bitOr":  newBitwise("$bitOr", 0, func(a, b int64) int64 { return a | b }),
	"$bitXor": newBitwise("$bitXor", 0, func(a, b int64) int64 { return a ^ b }),
	"$bitNot": {1, 1, bitNot},
}

// newBitwise combines ints and longs. If any argument is a long, the result is a long.
func newBitwise(name string, start int64, f func(a, b int64) int64) function {
	return function{0, -1, func(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
		result, long := start, false
		for _, v := range args {
			switch v.Type {
			case bsontype.Int32, bsontype.Int64:
			case 0, bsontype.Null, bsontype.Undefined:
				return value.Null, nil
			default:
				return missing, status.Errorf(errcode.TypeMismatch, "%s only supports int and long operands.", name)
			}
			n, _ := v.AsInt64OK()
			result, long = f(result, n), long || v.Type == bsontype.Int64
		}
		if long {
			return value.Int64(result), nil
		}
		return value.Int32(int32(result)), nil
	}}
}

func bitNot(_ *Env, args []bson.RawValue) (bson.RawValue, error) {
	if err := checkNumber("$bitNot", args[0]); err != nil || anyNull(args) {
		return value.Null, err
	}
	n, _ := args[0].AsInt64OK()
	switch args[0].Type {
	case bsontype.Int32:
		return value.Int32(int32(^n)), nil
	case bsontype.Int64:
		return value.Int64(^n), nil
	}
	return missing, status.Errorf(errcode.TypeMismatch, "$bitNot only supports int and long, not: %s.", value.TypeName(args[0]))
}
