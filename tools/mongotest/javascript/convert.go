package javascript

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// box holds the value that an object of the interpreter represents.
type box struct{ v bson.RawValue }

// toScript converts to a value of the interpreter. A type that JavaScript lacks becomes an object that represents the value.
func (w *world) toScript(v bson.RawValue) goja.Value {
	switch v.Type {
	case 0, bsontype.Undefined:
		return goja.Undefined()
	case bsontype.Null:
		return goja.Null()
	case bsontype.Boolean:
		b, _ := v.BooleanOK()
		return w.vm.ToValue(b)
	case bsontype.Double, bsontype.Int32:
		f, _ := v.AsFloat64OK()
		return w.vm.ToValue(f)
	case bsontype.String:
		s, _ := v.StringOK()
		return w.vm.ToValue(s)
	case bsontype.DateTime:
		ms, _ := v.DateTimeOK()
		if date, err := w.vm.New(w.vm.Get("Date"), w.vm.ToValue(ms)); err == nil {
			return date
		}
	case bsontype.Regex:
		pattern, flags, _ := v.RegexOK()
		if re, err := w.vm.New(w.vm.Get("RegExp"), w.vm.ToValue(pattern), w.vm.ToValue(flags)); err == nil {
			return re
		}
	case bsontype.Array:
		var list []any
		for _, item := range value.Elements(v) {
			list = append(list, w.toScript(item))
		}
		return w.vm.NewArray(list...)
	case bsontype.EmbeddedDocument:
		d, _ := v.DocumentOK()
		object := w.vm.NewObject()
		for key, field := range d.All() {
			_ = object.Set(key, w.toScript(field)) // fails only on frozen objects
		}
		return object
	}
	return w.box(v)
}

// errDeep ends the conversion of an object that contains itself, or nests too deeply.
var errDeep = errors.New("cannot convert an object that is nested more than 150 levels deep")

const deepest = 150

// fromScript converts to a BSON value.
func (w *world) fromScript(v goja.Value, depth int) (bson.RawValue, error) {
	switch {
	case depth > deepest:
		return bson.RawValue{}, convertError(errDeep)
	case v == nil || goja.IsUndefined(v):
		return bson.RawValue{Type: bsontype.Undefined}, nil
	case goja.IsNull(v):
		return value.Null, nil
	}
	if object, ok := v.(*goja.Object); ok {
		return w.fromObject(object, depth)
	}
	switch x := v.Export().(type) {
	case bool:
		return value.Bool(x), nil
	case string:
		return value.String(x), nil
	}
	return value.Double(v.ToFloat()), nil
}

func (w *world) fromObject(object *goja.Object, depth int) (bson.RawValue, error) {
	if held := object.GetSymbol(w.hidden); held != nil {
		if b, ok := held.Export().(*box); ok {
			return b.v, nil
		}
	}
	switch object.ClassName() {
	case "Date":
		t, _ := object.Export().(time.Time)
		return bson.RawValue{Type: bsontype.DateTime, Value: binary.LittleEndian.AppendUint64(nil, uint64(t.UnixMilli()))}, nil
	case "RegExp":
		return regex(object), nil
	case "Function":
		return text(bsontype.JavaScript, object.String()), nil
	case "Number":
		return value.Double(object.ToFloat()), nil
	case "String":
		return value.String(object.String()), nil
	case "Boolean":
		b, _ := object.Export().(bool)
		return value.Bool(b), nil
	case "Array":
		return w.fromArray(object, depth)
	}
	dst, start := bson.AppendDocumentStart(nil)
	for _, key := range object.Keys() {
		field, err := w.fromScript(object.Get(key), depth+1)
		if err != nil {
			return bson.RawValue{}, err
		}
		dst = bson.AppendRawValueElement(dst, key, field)
	}
	return value.Document(bson.AppendDocumentEnd(dst, start)), nil
}

func (w *world) fromArray(object *goja.Object, depth int) (bson.RawValue, error) {
	var list []bson.RawValue
	for i := range min(object.Get("length").ToInteger(), math.MaxInt32) {
		item, err := w.fromScript(object.Get(strconv.FormatInt(i, 10)), depth+1)
		if err != nil {
			return bson.RawValue{}, err
		}
		list = append(list, item)
	}
	return value.ArrayOf(list...), nil
}

func regex(object *goja.Object) bson.RawValue {
	t, data, err := bson.AppendValue(nil, bson.Regex{Pattern: object.Get("source").String(), Options: object.Get("flags").String()})
	if err != nil {
		return value.Null
	}
	return bson.RawValue{Type: t, Value: data}
}

func text(t bsontype.Type, s string) bson.RawValue {
	v := value.String(s)
	return bson.RawValue{Type: t, Value: v.Value}
}
