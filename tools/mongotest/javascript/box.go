package javascript

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/dop251/goja"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
)

// kind groups the objects that stand for values by their prototypes.
type kind int

const (
	opaque  kind = iota // compared and shown, nothing else
	numeric             // they calculate
)

// makePrototypes gives the objects that stand for values their methods.
func (w *world) makePrototypes() {
	for k, methods := range map[kind]map[string]func(bson.RawValue) goja.Value{
		opaque:  {"toString": w.showValue, "toJSON": w.showValue},
		numeric: {"toString": w.toDigits, "toJSON": w.showValue, "valueOf": w.toNumber, "toNumber": w.toNumber},
	} {
		proto := w.vm.NewObject()
		for name, method := range methods {
			_ = proto.Set(name, func(c goja.FunctionCall) goja.Value { // a new object accepts every property
				object, ok := c.This.(*goja.Object)
				if !ok {
					return goja.Undefined()
				}
				b, ok := object.GetSymbol(w.hidden).Export().(*box)
				if !ok {
					return goja.Undefined()
				}
				return method(b.v)
			})
		}
		w.protos[k] = proto
	}
}

// box returns an object that represents a value.
func (w *world) box(v bson.RawValue) goja.Value {
	k := opaque
	if number.Is(v.Type) {
		k = numeric
	}
	object := w.vm.CreateObject(w.protos[k])
	_ = object.DefineDataPropertySymbol(w.hidden, w.vm.ToValue(&box{v}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	switch v.Type {
	case bsontype.ObjectID:
		id, _ := v.ObjectIDOK()
		_ = object.Set("str", id.Hex())
	case bsontype.Timestamp:
		t, i, _ := v.TimestampOK()
		_ = object.Set("t", t)
		_ = object.Set("i", i)
	}
	return object
}

func (w *world) toNumber(v bson.RawValue) goja.Value { return w.vm.ToValue(number.Float64(v)) }

func (w *world) toDigits(v bson.RawValue) goja.Value {
	if n, ok := v.AsInt64OK(); ok && v.Type != bsontype.Decimal128 {
		return w.vm.ToValue(strconv.FormatInt(n, 10))
	}
	return w.showValue(v)
}

func (w *world) showValue(v bson.RawValue) goja.Value {
	switch v.Type {
	case bsontype.ObjectID:
		id, _ := v.ObjectIDOK()
		return w.vm.ToValue(fmt.Sprintf("ObjectId(%q)", id.Hex()))
	case bsontype.Int64:
		n, _ := v.AsInt64OK()
		return w.vm.ToValue(fmt.Sprintf("NumberLong(%d)", n))
	case bsontype.Decimal128:
		d, _ := v.Decimal128OK()
		return w.vm.ToValue(fmt.Sprintf("NumberDecimal(%q)", d.String()))
	}
	return w.vm.ToValue(v.String())
}

// construct implements NumberLong and similar constructors.
func (w *world) construct(c goja.FunctionCall) goja.Value {
	v, err := makeValue(c)
	if err != nil {
		panic(w.vm.NewTypeError("%s", err))
	}
	t, data, err := bson.AppendValue(nil, v)
	if err != nil {
		panic(w.vm.NewGoError(err))
	}
	return w.box(bson.RawValue{Type: t, Value: data})
}

func makeValue(c goja.FunctionCall) (any, error) {
	first := c.Argument(1)
	switch what := c.Argument(0).String(); what {
	case "long":
		return strconv.ParseInt(first.String(), 10, 64)
	case "int":
		return int32(first.ToInteger()), nil
	case "decimal":
		return bson.ParseDecimal128(first.String())
	case "objectId":
		if goja.IsUndefined(first) {
			return bson.NewObjectID(), nil
		}
		return bson.ObjectIDFromHex(first.String())
	case "uuid":
		if goja.IsUndefined(first) {
			return bson.NewUUID(), nil
		}
		return bson.ParseUUID(first.String())
	case "binary":
		data, err := base64.StdEncoding.DecodeString(c.Argument(2).String())
		return bson.Binary{Subtype: byte(first.ToInteger()), Data: data}, err
	case "timestamp":
		return bson.Timestamp{T: uint32(first.ToInteger()), I: uint32(c.Argument(2).ToInteger())}, nil
	case "minKey":
		return bson.MinKey{}, nil
	case "maxKey":
		return bson.MaxKey{}, nil
	default:
		return nil, fmt.Errorf("there is no %s", what)
	}
}
