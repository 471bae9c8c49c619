package bson_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// scalars has a field of each type that the struct decoder stores without calling a codec.
type scalars struct {
	S string
	I int32
	L int64
	F float64
	B bool
	O bson.ObjectID
	T time.Time
}

// A truncated value is an error, never a panic, wherever the cut is.
func TestCutOffValuesAreErrors(t *testing.T) {
	for _, key := range []string{"s", "i", "l", "f", "b", "o", "t"} {
		whole := scalars{S: "text", I: 1, L: 1, F: 1, B: true, O: bson.ObjectID{1}, T: time.UnixMilli(1).UTC()}
		value := encoded(t, whole).Lookup(key)
		raw := encoded(t, bson.Doc(key, value))
		list := encoded(t, bson.Doc("a", bson.A{value}))
		for cut := range value.Value {
			end := len(raw) - 1 - len(value.Value) + cut
			short := append(append([]byte{}, raw[:end]...), 0)
			binary.LittleEndian.PutUint32(short, uint32(len(short)))
			if err := bson.Unmarshal(short, new(scalars)); err == nil {
				t.Errorf("%s is cut off after %d bytes", key, cut)
			}
		}
		if key != "s" {
			continue
		}
		raw[len(raw)-2] = 'x'
		if err := bson.Unmarshal(raw, new(scalars)); err == nil {
			t.Error("a string without its last zero byte")
		}
		if err := bson.Unmarshal(raw, new(struct{ S *string })); err == nil {
			t.Error("a pointer to a string without its last zero byte")
		}
		list[len(list)-3] = 'x'
		if err := bson.Unmarshal(list, new(struct{ A bson.A })); err == nil {
			t.Error("an array with a string without its last zero byte")
		}
		if err := bson.Unmarshal(list, new(struct{ A []string })); err == nil {
			t.Error("a slice with a string without its last zero byte")
		}
	}
}

// Numbers convert between types in elements of lists and behind pointers, too.
func TestNumbersOfAnotherTypeAreConverted(t *testing.T) {
	raw := encoded(t, bson.Doc("a", bson.A{int32(1), int64(2), 3.0}, "p", 4.0))
	var ints struct {
		A []int32
		P *int32
	}
	var doubles struct {
		A []float64
		P *int64
	}
	if err := errors.Join(bson.Unmarshal(raw, &ints), bson.Unmarshal(raw, &doubles)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ints.A, []int32{1, 2, 3}) || *ints.P != 4 || !reflect.DeepEqual(doubles.A, []float64{1, 2, 3}) || *doubles.P != 4 {
		t.Errorf("%v %v, %v %v", ints.A, *ints.P, doubles.A, *doubles.P)
	}
	if err := bson.Unmarshal(encoded(t, bson.Doc("p", bson.D{})), &ints); err == nil {
		t.Error("a document became a number")
	}
}

// Long names are compared word by word. One bit in the first letter must still make them different.
func TestLongNamesAreComparedWhole(t *testing.T) {
	for bit := range 3 {
		name := "bcdefghij"
		other := string(name[0]^1<<bit) + name[1:]
		got := struct {
			N int `bson:"bcdefghij"`
		}{}
		if err := bson.Unmarshal(encoded(t, bson.Doc(other, 1)), &got); err != nil || got.N != 0 {
			t.Errorf("%s: %+v, %v", other, got, err)
		}
		if err := bson.Unmarshal(encoded(t, bson.Doc(name, 1)), &got); err != nil || got.N != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// AnyAs applies to documents inside an array. Their strings must not share the document's memory.
func TestCodecsNameTypesInsideArrays(t *testing.T) {
	type pair struct {
		S string
		N int32
	}
	codecs, err := bson.NewCodecs(bson.AnyAs[pair](bsontype.EmbeddedDocument))
	if err != nil {
		t.Fatal(err)
	}
	want := bson.A{pair{"one", 1}, pair{"two", 2}}
	raw := encoded(t, bson.Doc("a", want))
	var got struct{ A bson.A }
	err = bson.Unmarshal(raw, &got, &bson.UnmarshalOptions{Codecs: codecs})
	clear(raw)
	if err != nil || !reflect.DeepEqual(got.A, want) {
		t.Errorf("%+v, %v", got.A, err)
	}
}

// visible is a document although it has MarshalText, because it has an exported field.
type visible struct{ N int }

func (visible) MarshalText() ([]byte, error) { return []byte("text"), nil }

func TestOnlyStructsWithoutExportedFieldsAreText(t *testing.T) {
	if got := encoded(t, bson.Doc("v", visible{1})).Lookup("v"); got.Type != bsontype.EmbeddedDocument {
		t.Errorf("got %v", got)
	}
}

func TestIsInfReturnsTheSign(t *testing.T) {
	for text, want := range map[string]int{"Infinity": 1, "-Infinity": -1, "NaN": 0, "1": 0} {
		d, err := bson.ParseDecimal128(text)
		if err != nil || d.IsInf() != want {
			t.Errorf("%s: %d, %v", text, d.IsInf(), err)
		}
	}
}

func TestEmptyRegularExpressions(t *testing.T) {
	v := encoded(t, bson.Doc("r", bson.Regex{Options: "i"})).Lookup("r")
	if pattern, options, ok := v.RegexOK(); !ok || pattern != "" || options != "i" {
		t.Errorf("%q, %q, %v", pattern, options, ok)
	}
}

// Documents decode into maps whose keys are integers.
func TestNumericMapKeysAreDecimal(t *testing.T) {
	var got struct {
		U map[uint8]int
		I map[int8]int
	}
	err := bson.Unmarshal(encoded(t, bson.Doc("u", bson.Doc("10", 1, "255", 2), "i", bson.Doc("-10", 1, "127", 2))), &got)
	if err != nil || !reflect.DeepEqual(got.U, map[uint8]int{10: 1, 255: 2}) || !reflect.DeepEqual(got.I, map[int8]int{-10: 1, 127: 2}) {
		t.Errorf("%v, %v", got, err)
	}
}

// A key must not contain a zero byte, and a double must not be larger than the largest float64.
func TestExtJSONRefusesZeroBytesAndHugeDoubles(t *testing.T) {
	for _, key := range []string{"\x00", "\x00a", "a\x00", "a\x00b"} {
		if text, err := bson.MarshalExtJSON(bson.Doc(key, 1), false); err == nil {
			t.Errorf("%q became %s", key, text)
		}
	}
	var d bson.D
	for _, text := range []string{`{"a": 1e999}`, `{"a": -1e999}`, `{"a": {"$timestamp": 1}}`, `{"a": {"$timestamp": [1, 2]}}`} {
		if err := bson.UnmarshalExtJSON([]byte(text), false, &d); err == nil {
			t.Errorf("%s became %v", text, d)
		}
	}
	if err := bson.UnmarshalExtJSON([]byte(`{"a": {"$timestamp": {"i": 2, "t": 1}}}`), false, &d); err != nil || d[0].Value != (bson.Timestamp{T: 1, I: 2}) {
		t.Errorf("the parts of a timestamp in the other order: %v, %v", d, err)
	}
}

// An invalid key is an error at each level.
func TestInvalidUTF8KeysHaveNoJSON(t *testing.T) {
	for _, d := range []bson.D{bson.Doc("\xff", 1), bson.Doc("a", bson.Doc("\xff", 1))} {
		if text, err := d.MarshalJSON(); err == nil {
			t.Errorf("%v became %q", d, text)
		}
	}
}

// The error for bytes after a value says how many there are.
func TestErrorCountsTheBytesAfterAValue(t *testing.T) {
	v := bson.RawValue{Type: bsontype.Int32, Value: make([]byte, 6)}
	if err := v.Validate(); err == nil || !strings.Contains(err.Error(), "2 bytes follow the int (") {
		t.Error(err)
	}
}

// Only a non-nil pointer in an any is decoded into. Everything else is replaced.
func TestDecodingReplacesTheValueOfAnAny(t *testing.T) {
	for _, held := range []any{5, "text", bson.D{}, (*int)(nil), nil} {
		got := struct{ V any }{held}
		if err := bson.Unmarshal(encoded(t, bson.Doc("v", "new")), &got); err != nil || got.V != "new" {
			t.Errorf("%v: %v, %v", held, got.V, err)
		}
	}
}
