package bson_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// read lists what each method returns for the values of oneOfEach that it accepts.
var read = map[string]map[string]string{
	"DoubleOK": {"double": "[3]"}, "StringOK": {"string": "[7]"}, "JavaScriptOK": {"code": "[f]"}, "SymbolOK": {"symbol": "[s]"},
	"DocumentOK": {"document": `[{"n":1}]`}, "ArrayOK": {"array": "[[1]]"}, "BinaryOK": {"binary": "[0 [98]]"},
	"ObjectIDOK": {"id": `[ObjectID("010000000000000000000000")]`}, "BooleanOK": {"bool": "[true]"}, "DateTimeOK": {"date": "[5]"},
	"TimeOK": {"date": "[1970-01-01 00:00:00.005 +0000 UTC]"}, "RegexOK": {"regex": "[p i]"},
	"DBPointerOK": {"pointer": `[{d ObjectID("020000000000000000000000")}]`}, "CodeWithScopeOK": {"scope": `[f {"n":1}]`}, "Int32OK": {"int": "[7]"},
	"TimestampOK": {"timestamp": "[1 2]"}, "Int64OK": {"long": "[9]"}, "Decimal128OK": {"decimal": "[4]"},
	"AsInt64OK": {"double": "[3]", "int": "[7]", "long": "[9]"}, "AsFloat64OK": {"double": "[3]", "int": "[7]", "long": "[9]"},
	"AsBoolOK": {"bool": "[true]", "double": "[true]", "int": "[true]", "long": "[true]", "decimal": "[true]"},
}

// Each method returns values of the type that it names, and zero for other types and for truncated values.
func TestRawValueMethodsReturnOnlyTheirType(t *testing.T) {
	typ, seen := reflect.TypeFor[bson.RawValue](), 0
	for i := range typ.NumMethod() {
		method := typ.Method(i)
		if !strings.HasSuffix(method.Name, "OK") {
			continue
		}
		seen++
		for _, e := range oneOfEach() {
			raw := encoded(t, bson.Doc("v", e.Value)).Lookup("v")
			want := read[method.Name][e.Key]
			if got, ok := callMethod(method, raw); ok != (want != "") || ok && got != want {
				t.Errorf("%s of a %s: %s, %v; want %s", method.Name, e.Key, got, ok, want)
			}
			short := raw
			short.Value = raw.Value[:max(0, len(raw.Value)-1)]
			if got, ok := callMethod(method, short); ok && len(raw.Value) > 0 {
				t.Errorf("%s of a %s that is cut off: %s", method.Name, e.Key, got)
			}
			if raw.IsNull() != (e.Key == "null") || !raw.Equal(raw) || raw.IsZero() {
				t.Errorf("a %s is null %v, equal to itself %v, zero %v", e.Key, raw.IsNull(), raw.Equal(raw), raw.IsZero())
			}
		}
		for _, broken := range []bson.RawValue{
			{}, {Type: bsontype.Boolean, Value: []byte{2}}, {Type: bsontype.Binary, Value: []byte{1, 0, 0, 0, 2, 1}},
		} {
			got, ok := callMethod(method, broken)
			if ok && method.Name != "CodeWithScopeOK" {
				t.Errorf("%s of %v: %s", method.Name, broken.Type, got)
			}
		}
	}
	if seen != len(read) {
		t.Errorf("%d methods, and %d are listed", seen, len(read))
	}
}

// callMethod calls a method. If it returns false, its other results must be zero, except the subtype of broken binary
// data.
func callMethod(method reflect.Method, v bson.RawValue) (text string, ok bool) {
	out := method.Func.Call([]reflect.Value{reflect.ValueOf(v)})
	var values []string
	for _, one := range out[:len(out)-1] {
		values = append(values, fmt.Sprint(one))
		ok = ok || (method.Name != "BinaryOK" || v.Type != bsontype.Binary) && !one.IsZero()
	}
	return fmt.Sprint(values), out[len(out)-1].Bool() || ok
}

// Zero is false, and any other number is true.
func TestNumbersAsBooleans(t *testing.T) {
	zero, _ := bson.ParseDecimal128("0.00")
	for _, tt := range []struct {
		v    any
		want bool
	}{{0, false}, {int64(0), false}, {0.0, false}, {zero, false}, {-1, true}, {int64(1) << 40, true}, {0.5, true}, {false, false}} {
		if got, ok := encoded(t, bson.Doc("v", tt.v)).Lookup("v").AsBoolOK(); got != tt.want || !ok {
			t.Errorf("%v: %v, %v", tt.v, got, ok)
		}
	}
}
