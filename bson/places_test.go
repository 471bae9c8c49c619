package bson_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// oneOfEach holds a value of each BSON type.
func oneOfEach() bson.D {
	return bson.Doc(
		"double", 3.0, "string", "7", "document", bson.Doc("n", int32(1)), "array", bson.A{int32(1)}, "binary", bson.Binary{Data: []byte("b")},
		"undefined", bson.Undefined{}, "id", bson.ObjectID{1}, "bool", true, "date", bson.DateTime(5), "null", nil,
		"regex", bson.Regex{Pattern: "p", Options: "i"}, "pointer", bson.DBPointer{DB: "d", Pointer: bson.ObjectID{2}},
		"code", bson.JavaScript("f"), "symbol", bson.Symbol("s"), "scope", bson.CodeWithScope{Code: "f", Scope: bson.Doc("n", int32(1))},
		"int", int32(7), "timestamp", bson.Timestamp{T: 1, I: 2}, "long", int64(9), "decimal", bson.NewDecimal128(0x3040<<48, 4),
		"min", bson.MinKey{}, "max", bson.MaxKey{},
	)
}

// A named type decodes as its underlying type does.
type (
	namedText  string
	namedBytes []byte
	namedLong  int64
	namedReal  float64
	namedBool  bool
)

const numbers, nothing = "double bool int long", "undefined null"

// fits lists which BSON types decode into a Go type, apart from undefined and null.
var fits = []struct {
	zero  any
	types string
}{
	{0, numbers}, {int8(0), numbers}, {int16(0), numbers}, {int32(0), numbers}, {int64(0), numbers}, {namedLong(0), numbers},
	{uint(0), numbers}, {uint8(0), numbers}, {uint16(0), numbers}, {uint32(0), numbers}, {uint64(0), numbers},
	{float32(0), numbers}, {0.0, numbers}, {namedReal(0), numbers}, {false, numbers}, {namedBool(false), numbers},
	{"", "string binary symbol"}, {namedText(""), "string binary symbol"},
	{[]byte(nil), "string binary symbol"}, {namedBytes(nil), "string binary symbol"}, {[1]byte{}, "array binary"},
	{time.Time{}, "date timestamp long"}, {bson.DateTime(0), "date long"}, {bson.Timestamp{}, "timestamp"},
	{bson.ObjectID{}, "id"}, {bson.Decimal128{}, "decimal"}, {bson.Binary{}, "binary"}, {bson.Regex{}, "regex"},
	{bson.JavaScript(""), "string code"}, {bson.Symbol(""), "string symbol"}, {bson.CodeWithScope{}, "scope"},
	{bson.DBPointer{}, "pointer"}, {bson.MinKey{}, "min"}, {bson.MaxKey{}, "max"}, {bson.Undefined{}, ""}, {bson.Null{}, ""},
	{bson.Raw(nil), "document array"}, {bson.RawArray(nil), "array"},
	{url.URL{}, "string"}, {big.Int{}, "double string int long decimal"}, {big.Float{}, "double string int long decimal"},
	{json.Number(""), "double int long decimal"},
	{bson.D(nil), "document"}, {bson.M(nil), "document"}, {bson.A(nil), "array"},
	{map[string]int32(nil), "document"}, {struct{ N int32 }{}, "document"}, {[]int32(nil), "array"}, {[1]int32{}, "array"},
}

// place wraps a value: in a Go type that holds it, and in the BSON to decode into that type.
type place struct {
	name  string
	typ   func(reflect.Type) reflect.Type
	value func(reflect.Value) reflect.Value // at the place
	list  bool
}

func inField(t reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "V", Type: t}})
}

var places = []place{
	{"a field", inField, func(v reflect.Value) reflect.Value { return v.Field(0) }, false},
	{"a pointer", func(t reflect.Type) reflect.Type { return inField(reflect.PointerTo(t)) },
		func(v reflect.Value) reflect.Value { return v.Field(0).Elem() }, false},
	{"a pointer to a pointer", func(t reflect.Type) reflect.Type { return inField(reflect.PointerTo(reflect.PointerTo(t))) },
		func(v reflect.Value) reflect.Value { return v.Field(0).Elem().Elem() }, false},
	{"a map", func(t reflect.Type) reflect.Type { return reflect.MapOf(reflect.TypeFor[string](), t) },
		func(v reflect.Value) reflect.Value { return v.MapIndex(reflect.ValueOf("v")) }, false},
	{"a slice", func(t reflect.Type) reflect.Type { return inField(reflect.SliceOf(t)) },
		func(v reflect.Value) reflect.Value { return v.Field(0).Index(0) }, true},
	{"an array", func(t reflect.Type) reflect.Type { return inField(reflect.ArrayOf(1, t)) },
		func(v reflect.Value) reflect.Value { return v.Field(0).Index(0) }, true},
}

// Whether a value fits a Go type, and what it decodes to, does not depend on where it stands. A misfit is an error that
// names both types, and null is the zero value.
func TestValueFitsTheSameEverywhere(t *testing.T) {
	for _, row := range fits {
		for _, e := range oneOfEach() {
			raw := encoded(t, bson.Doc("v", e.Value)).Lookup("v")
			alone := reflect.New(reflect.TypeOf(row.zero))
			err := raw.Unmarshal(alone.Interface())
			null := slices.Contains(strings.Fields(nothing), e.Key)
			if fit := null || slices.Contains(strings.Fields(row.types), e.Key); (err == nil) != fit {
				t.Errorf("%s into %T: %v", e.Key, row.zero, err)
			}
			if f, ok := alone.Interface().(*big.Float); null && (ok && f.Sign() != 0 || !ok && !alone.Elem().IsZero()) {
				t.Errorf("%s into %T: %v", e.Key, row.zero, alone.Elem())
			}
			if _, ok := errors.AsType[*bson.TypeError](err); err != nil && !ok && e.Key != "string" {
				t.Errorf("%s into %T: %v", e.Key, row.zero, err)
			}
			for _, p := range places {
				if p.name == "a slice" && alone.Elem().Kind() == reflect.Uint8 {
					continue // a []byte is binary data
				}
				decodeAt(t, p, raw, alone, err)
				if !null && err == nil {
					encodeAt(t, p, alone)
				}
			}
			if null || err != nil {
				continue
			}
			if again := encoded(t, bson.Doc("v", alone.Interface())).Lookup("v"); again.Type == raw.Type && !again.Equal(raw) {
				t.Errorf("%s into %T and back: %v", e.Key, row.zero, again)
			}
		}
	}
}

// decodeAt decodes a value at a place and expects what the value decodes to by itself.
func decodeAt(t *testing.T, p place, raw bson.RawValue, alone reflect.Value, aloneErr error) {
	t.Helper()
	value := any(raw)
	if p.list {
		value = bson.A{raw}
	}
	into := reflect.New(p.typ(alone.Type().Elem()))
	err := bson.Unmarshal(encoded(t, bson.Doc("v", value)), into.Interface())
	if (err == nil) != (aloneErr == nil) {
		t.Errorf("%v into %v of %v: %v, but alone %v", raw.Type, p.name, alone.Type().Elem(), err, aloneErr)
		return
	}
	if err != nil {
		e, ok := errors.AsType[*bson.TypeError](err)
		_, want := errors.AsType[*bson.TypeError](aloneErr)
		if ok != want || ok && (e.From != raw.Type || e.To != alone.Type().Elem()) {
			t.Errorf("%v into %v of %v: %v", raw.Type, p.name, alone.Type().Elem(), err)
		}
		return
	}
	if strings.HasPrefix(p.name, "a pointer") && (raw.Type == bsontype.Null || raw.Type == bsontype.Undefined) {
		if !into.Elem().IsZero() {
			t.Errorf("%v into %v of %v: %v", raw.Type, p.name, alone.Type().Elem(), into.Elem())
		}
		return
	}
	if got := p.value(into.Elem()); !reflect.DeepEqual(got.Interface(), alone.Elem().Interface()) {
		t.Errorf("%v into %v of %v: %v, but alone %v", raw.Type, p.name, alone.Type().Elem(), got, alone.Elem())
	}
}

// encodeAt encodes a value at a place and expects the bytes that it has in a D.
func encodeAt(t *testing.T, p place, alone reflect.Value) {
	t.Helper()
	v := reflect.New(p.typ(alone.Type().Elem())).Elem()
	list := bson.A{alone.Interface()}
	want := encoded(t, bson.Doc("v", alone.Interface()))
	switch p.name {
	case "a pointer":
		v.Field(0).Set(alone)
	case "a pointer to a pointer":
		outer := reflect.New(alone.Type())
		outer.Elem().Set(alone)
		v.Field(0).Set(outer)
	case "a map":
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("v"), alone.Elem())
	case "a slice":
		v.Field(0).Set(reflect.Append(v.Field(0), alone.Elem()))
		want = encoded(t, bson.Doc("v", list))
	case "an array":
		if alone.Elem().Kind() == reflect.Uint8 {
			return // an array of bytes is binary data
		}
		v.Field(0).Index(0).Set(alone.Elem())
		want = encoded(t, bson.Doc("v", list))
	default:
		v.Field(0).Set(alone.Elem())
	}
	got, err := bson.Marshal(v.Interface())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v of %v: %v, %v; want %v", p.name, alone.Type().Elem(), got, err, want)
	}
}
