package update

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func newSet(_ string, operand bson.RawValue, _ Options) (operator, error) {
	return operator{creates: true, apply: func(*application, bson.RawValue) (bson.RawValue, error) { return operand, nil }}, nil
}

func newSetOnInsert(_ string, operand bson.RawValue, _ Options) (operator, error) {
	return operator{
		creates: true,
		insert:  true,
		apply:   func(*application, bson.RawValue) (bson.RawValue, error) { return operand, nil },
	}, nil
}

func newUnset(string, bson.RawValue, Options) (operator, error) {
	return operator{lenient: true, apply: func(*application, bson.RawValue) (bson.RawValue, error) { return missing, nil }}, nil
}

func newArithmetic(op string) build {
	verb := "increment"
	if op == "$mul" {
		verb = "multiply"
	}
	return func(name string, operand bson.RawValue, _ Options) (operator, error) {
		if !number.Is(operand.Type) {
			return operator{}, status.Errorf(errcode.TypeMismatch,
				"Cannot %s with non-numeric argument: {%s: %s}", verb, name, status.TextOf(operand))
		}
		return operator{creates: true, apply: func(a *application, old bson.RawValue) (bson.RawValue, error) {
			if old.IsZero() {
				if op == "$inc" {
					return operand, nil
				}
				zero, _ := number.Multiply(operand, value.Int32(0))
				return zero, nil
			}
			if !number.Is(old.Type) {
				return missing, status.Errorf(errcode.TypeMismatch,
					"Cannot apply %s to a value of non-numeric type. %s has the field '%s' of "+
						"non-numeric type %s", op, a.id(), lastName(a.field), old.Type)
			}
			f := number.Add
			if op == "$mul" {
				f = number.Multiply
			}
			v, overflow := f(old, operand)
			if overflow {
				return missing, status.Errorf(errcode.BadValue,
					"Failed to apply %s operations to current value ((%s)%s) for document %s", op, goType(old), status.TextOf(old), a.id())
			}
			return v, nil
		}}, nil
	}
}

func goType(v bson.RawValue) string {
	if v.Type == bsontype.Int32 {
		return "NumberInt"
	}
	return "NumberLong"
}

func newExtreme(sign int) build {
	return func(_ string, operand bson.RawValue, o Options) (operator, error) {
		return operator{creates: true, apply: func(_ *application, old bson.RawValue) (bson.RawValue, error) {
			if old.IsZero() || compare.Values(operand, old, o.Query.Collation)*sign > 0 {
				return operand, nil
			}
			return old, nil
		}}, nil
	}
}

func newCurrentDate(_ string, operand bson.RawValue, _ Options) (operator, error) {
	timestamp := false
	switch operand.Type {
	case bsontype.Boolean:
	case bsontype.EmbeddedDocument:
		for key := range bson.Raw(operand.Value).All() {
			if key != "$type" {
				return operator{}, status.Errorf(errcode.BadValue, "Unrecognized $currentDate option: %s", key)
			}
		}
		name, _ := path.Field(bson.Raw(operand.Value), "$type").StringOK()
		if name != "date" && name != "timestamp" {
			return operator{}, status.Errorf(errcode.BadValue,
				"The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}")
		}
		timestamp = name == "timestamp"
	default:
		return operator{}, status.Errorf(errcode.BadValue,
			"%s is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: "+
				"'timestamp/date'}).", operand.Type)
	}
	return operator{creates: true, apply: func(a *application, _ bson.RawValue) (bson.RawValue, error) {
		if timestamp {
			return value.Timestamp(a.in.Timestamp.T, a.in.Timestamp.I), nil
		}
		return value.DateTime(a.in.Now.UnixMilli()), nil
	}}, nil
}

func newBit(name string, operand bson.RawValue, _ Options) (operator, error) {
	d, ok := operand.DocumentOK()
	if !ok {
		return operator{}, status.Errorf(errcode.BadValue,
			"The $bit modifier is not compatible with a %s. You must pass in an embedded document: {$bit: {field: "+
				"{and/or/xor: #}}", operand.Type)
	}
	for op, v := range d.All() {
		if op != "and" && op != "or" && op != "xor" {
			return operator{}, status.Errorf(errcode.BadValue,
				"The $bit modifier only supports 'and', 'or', and 'xor', not '%s' which is an unknown operator: {%s: %s}",
				op, op, status.TextOf(v))
		}
		if v.Type != bsontype.Int32 && v.Type != bsontype.Int64 {
			return operator{}, status.Errorf(errcode.BadValue,
				"The $bit modifier field must be an Integer(32/64 bit); a '%s' is not supported here: {%s: %s}",
				v.Type, op, status.TextOf(v))
		}
	}
	if d.Len() == 0 {
		return operator{}, status.Errorf(errcode.BadValue,
			"You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}")
	}
	return operator{creates: true, apply: func(a *application, old bson.RawValue) (bson.RawValue, error) {
		if old.IsZero() {
			old = value.Int32(0)
		}
		if old.Type != bsontype.Int32 && old.Type != bsontype.Int64 {
			return missing, status.Errorf(errcode.BadValue,
				"Cannot apply $bit to a value of non-integral type.%s has the field %s of non-integer type %s",
				a.id(), lastName(name), old.Type)
		}
		for op, v := range d.All() {
			old = combine(op, old, v)
		}
		return old, nil
	}}, nil
}

func combine(op string, a, b bson.RawValue) bson.RawValue {
	m, _ := a.AsInt64OK()
	n, _ := b.AsInt64OK()
	switch op {
	case "and":
		m &= n
	case "or":
		m |= n
	default:
		m ^= n
	}
	if a.Type == bsontype.Int32 && b.Type == bsontype.Int32 {
		return value.Int32(int32(m))
	}
	return value.Int64(m)
}
