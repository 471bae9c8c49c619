package bson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// refusingEncoder fails in every method that encodes it.
type refusingEncoder struct{}

var errRefusedToEncode = errors.New("no")

func (refusingEncoder) MarshalBSON() ([]byte, error)            { return nil, errRefusedToEncode }
func (refusingEncoder) MarshalBSONValue() (byte, []byte, error) { return 0, nil, errRefusedToEncode }

// acceptsAll decodes any document without looking at it.
type acceptsAll struct{}

func (*acceptsAll) DecodeBSON(bson.Raw) error { return nil }

// blob encodes as binary data and fails if it is empty.
type blob []byte

func (b blob) AppendBinary(dst []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errRefusedToEncode
	}
	return append(dst, b...), nil
}

type blobs struct{ inner blob }

func (b blobs) AppendBinary(dst []byte) ([]byte, error) { return b.inner.AppendBinary(dst) }

// Encoding a document fails if a value in it fails, wherever the value is.
func TestErrorOfAValueFailsTheDocument(t *testing.T) {
	for _, bad := range []any{
		refusingEncoder{}, bson.Doc("a", refusingEncoder{}), bson.A{refusingEncoder{}}, struct{ A refusingEncoder }{}, map[string]any{"a": refusingEncoder{}},
		struct{ A blobs }{}, bson.DBRef{Ref: "c", ID: refusingEncoder{}}, bson.DBRef{Ref: "c", ID: 1, Extra: bson.Doc("a", refusingEncoder{})},
		struct{ A bson.DBRef }{bson.DBRef{Ref: "c", ID: refusingEncoder{}}},
	} {
		if _, ok := bad.(bson.A); ok {
			bad = bson.Doc("a", bad)
		}
		if out, err := bson.Marshal(bad); !errors.Is(err, errRefusedToEncode) {
			t.Errorf("%T: %v, %v", bad, out, err)
		}
	}
	var out struct{ A bson.Binary }
	if err := bson.Unmarshal(encoded(t, struct{ A blobs }{blobs{blob("abc")}}), &out); err != nil || string(out.A.Data) != "abc" {
		t.Errorf("%+v, %v", out, err)
	}
}

// A value that does not fit its type, or is malformed, is an error everywhere, in lists too.
func TestMalformedValuesAreErrorsEverywhere(t *testing.T) {
	invalid := func(t bsontype.Type, value ...byte) bson.Raw {
		doc := bson.AppendRawValueElement(nil, "a", bson.RawValue{Type: t, Value: value})
		return append(append([]byte{byte(len(doc) + 5), 0, 0, 0}, doc...), 0)
	}
	for name, tt := range map[string]struct {
		doc bson.Raw
		dst any
	}{
		"a boolean of 7":               {invalid(bsontype.Boolean, 7), &struct{ A bool }{}},
		"booleans of 7":                {encodedList(bsontype.Boolean, 7), &struct{ A []bool }{}},
		"strings that are not UTF-8":   {encodedList(bsontype.String, textOf("ab\xff")...), &struct{ A []string }{}},
		"strings without an end":       {encodedList(bsontype.String, 2, 0, 0, 0, 'a', 'b'), &struct{ A []string }{}},
		"a text among numbers":         {encoded(t, bson.Doc("a", bson.A{1, "x", 2})), &struct{ A []int }{}},
		"a fraction among numbers":     {encoded(t, bson.Doc("a", bson.A{1, 2.5})), &struct{ A []int64 }{}},
		"a document that is too short": {invalid(bsontype.EmbeddedDocument, 6, 0, 0, 0, 0), &struct{ A struct{ B int } }{}},
		"a document without its end":   {invalid(bsontype.EmbeddedDocument, 5, 0, 0, 0, 1), &struct{ A struct{ B int } }{}},
		"an array without its end":     {invalid(bsontype.Array, 5, 0, 0, 0, 1), &struct{ A []int }{}},
		"a list of an unknown type":    {encodedList(0x55, 1), &struct{ A []int64 }{}},
		"a number for bytes":           {encoded(t, bson.Doc("a", 1)), &struct{ A []byte }{}},
		"a short number":               {invalid(bsontype.Double, 1, 2, 3), &struct{ A float64 }{}},
		"a short whole number":         {invalid(bsontype.Int64, 1, 2, 3), &struct{ A int64 }{}},
		"half a document, for a hook":  {bson.Raw{5, 0, 0, 0}, new(acceptsAll)},
		"no end, for a hook":           {bson.Raw{5, 0, 0, 0, 1}, new(acceptsAll)},
		"a document for a hook":        {invalid(bsontype.EmbeddedDocument, 5, 0, 0, 0, 1), &struct{ A acceptsAll }{}},
		"code that is not UTF-8":       {invalid(bsontype.CodeWithScope, append(append([]byte{17, 0, 0, 0}, textOf("ab\xff")...), 5, 0, 0, 0, 0)...), new(bson.D)},
		"binary that is not UTF-8":     {encoded(t, bson.Doc("a", bson.Binary{Data: []byte("ab\xff")})), &struct{ A string }{}},
		"a subtype for an array":       {encoded(t, bson.Doc("a", bson.Binary{Subtype: 5, Data: []byte{1, 2}})), &struct{ A [2]byte }{}},
		"too much for an array":        {encoded(t, bson.Doc("a", bson.Binary{Data: []byte{1, 2, 3}})), &struct{ A [2]byte }{}},
	} {
		if err := bson.Unmarshal(tt.doc, tt.dst); err == nil {
			t.Errorf("%s: %+v", name, tt.dst)
		}
	}
	for _, good := range []bson.Binary{{Data: []byte{1, 2}}, {Subtype: 2, Data: []byte{1, 2}}} {
		var out struct{ A [2]byte }
		if err := bson.Unmarshal(encoded(t, bson.Doc("a", good)), &out); err != nil || out.A != [2]byte{1, 2} {
			t.Errorf("%+v: %v, %v", good, out, err)
		}
	}
}

// The fast path for lists must not depend on their keys, and options that it does not know must bypass it.
func TestListKeysAndOptionsKeepTheirMeaning(t *testing.T) {
	list := append([]byte{}, 0, 0, 0, 0)
	for _, key := range []string{"", "1"} {
		list = bson.AppendDateTimeElement(list, key, 86_400_000)
	}
	list[0] = byte(len(list) + 1)
	doc := bson.AppendArrayElement([]byte{0, 0, 0, 0}, "a", bson.RawArray(append(list, 0)))
	doc[0] = byte(len(doc) + 1)
	want := []time.Time{time.UnixMilli(86_400_000), time.UnixMilli(86_400_000)}
	for _, o := range []*bson.UnmarshalOptions{{}, {UseLocalTimeZone: true}} {
		var out struct{ A []time.Time }
		err := bson.Unmarshal(append(doc, 0), &out, o)
		if err != nil || !slices.EqualFunc(out.A, want, time.Time.Equal) {
			t.Errorf("%+v: %v, %v", o, out.A, err)
		}
	}
}

// The IsZero of neverZero always returns false, and that of alwaysZero true.
type (
	neverZero  struct{ N int }
	alwaysZero struct{ N int }
)

func (neverZero) IsZero() bool  { return false }
func (alwaysZero) IsZero() bool { return true }

// A codec changes how a value is encoded, not whether omitempty leaves it out: that is still up to IsZero.
func TestOmitEmptyAsksIsZeroDespiteACodec(t *testing.T) {
	codecs, err := bson.NewCodecs(
		bson.NewCodec(func(v neverZero) (int, error) { return v.N, nil }, func(n int) (neverZero, error) { return neverZero{n}, nil }),
		bson.NewCodec(func(v alwaysZero) (int, error) { return v.N, nil }, func(n int) (alwaysZero, error) { return alwaysZero{n}, nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	out, err := bson.Marshal(struct {
		A neverZero  `bson:"a,omitempty"`
		B alwaysZero `bson:"b,omitempty"`
	}{B: alwaysZero{7}}, &bson.MarshalOptions{Codecs: codecs})
	if err != nil || out.String() != `{"a":0}` {
		t.Errorf("%v, %v", out, err)
	}
}

// A Decimal128 holds 34 digits. A big.Int with more digits becomes a string.
func TestBigIntBeyond34DigitsIsAString(t *testing.T) {
	most, _ := new(big.Int).SetString(strings.Repeat("9", 34), 10)
	more, _ := new(big.Int).SetString("1"+strings.Repeat("0", 33)+"1", 10)
	for n, want := range map[*big.Int]bsontype.Type{most: bsontype.Decimal128, more: bsontype.String} {
		doc := encoded(t, bson.Doc("a", n))
		if got := doc.Lookup("a").Type; got != want {
			t.Errorf("%v is a %v, want %v", n, got, want)
		}
	}
}

// A chain of pointers in an any is as deep as nested documents.
func TestPointersInAnAnyCountAsLevels(t *testing.T) {
	deep := new(any)
	for range 10_000 {
		next := any(deep)
		deep = &next
	}
	if err := bson.Unmarshal(encoded(t, bson.Doc("a", 1)), &struct{ A any }{deep}); !errors.Is(err, bson.ErrMaxDepth) {
		t.Errorf("err = %v", err)
	}
}

// Where a method returns false, its value is zero.
func TestValuesOfAnotherTypeReadAsZero(t *testing.T) {
	v := bson.RawValue{Type: bsontype.Null}
	if n, ok := v.Int32OK(); ok || n != 0 {
		t.Errorf("Int32OK: %d, %t", n, ok)
	}
	if n, ok := v.Int64OK(); ok || n != 0 {
		t.Errorf("Int64OK: %d, %t", n, ok)
	}
	if x, ok := v.DoubleOK(); ok || x != 0 {
		t.Errorf("DoubleOK: %v, %t", x, ok)
	}
	if s, ok := v.StringOK(); ok || s != "" {
		t.Errorf("StringOK: %q, %t", s, ok)
	}
}

// For omitempty and OmitZeroStruct only the exported fields of a struct count.
func TestStructsWithOnlyHiddenValuesAreEmpty(t *testing.T) {
	type inner struct {
		A      int
		hidden int
	}
	type outer struct {
		In inner `bson:"in,omitempty"`
	}
	for in, want := range map[inner]string{{}: `{}`, {hidden: 1}: `{}`, {A: 1}: `{"in":{"a":1}}`} {
		out, err := bson.Marshal(outer{in}, &bson.MarshalOptions{OmitZeroStruct: true})
		if err != nil || out.String() != want {
			t.Errorf("%+v: %v, %v", in, out, err)
		}
	}
}

// String of a value that cannot be printed returns the error in parentheses.
func TestUnprintableValuesPrintTheirError(t *testing.T) {
	for _, v := range []interface{ String() string }{
		bson.Doc("a", make(chan int)), bson.M{"a": make(chan int)}, bson.Raw{1, 2, 3}, bson.RawValue{Type: bsontype.Double, Value: []byte{1}},
	} {
		if s := v.String(); !strings.HasPrefix(s, "(bson: ") || !strings.HasSuffix(s, ")") {
			t.Errorf("%T is %s", v, s)
		}
	}
	if (bson.RawValue{Type: bsontype.Null}).IsZero() || (bson.RawValue{Value: []byte{1}}).IsZero() || !(bson.RawValue{}).IsZero() {
		t.Error("only a value without type and bytes is zero")
	}
	one, other := bson.RawValue{Type: bsontype.Boolean, Value: []byte{1}}, bson.RawValue{Type: bsontype.Boolean, Value: []byte{0}}
	if strange := (bson.RawValue{Type: bsontype.MinKey, Value: []byte{1}}); !one.Equal(one) || one.Equal(other) || one.Equal(strange) {
		t.Error("two values are equal if type and bytes are")
	}
	if text, err := (bson.ObjectID{0xab}).AppendText([]byte("id ")); err != nil || string(text) != "id ab"+strings.Repeat("0", 22) {
		t.Errorf("%s, %v", text, err)
	}
}

// Maps need commas between keys, and none before the first or after the last.
func TestMapsAreValidExtJSON(t *testing.T) {
	for _, m := range []bson.M{{}, {"a": 1}, {"a": 1, "b": "x", "c": bson.M{"d": 1, "e": nil}}} {
		out, err := bson.MarshalExtJSON(bson.Doc("m", m), false)
		if err != nil || !json.Valid(out) {
			t.Errorf("%s, %v", out, err)
		}
	}
}

// A Decimal128 without a fraction decodes into a big.Int, whatever its exponent.
func TestWholeDecimalsDecodeToBigInt(t *testing.T) {
	for text, want := range map[string]int64{"70": 70, "70.0": 70, "-7.00E1": -70, "7E1": 70, "0.0": 0} {
		d, err := bson.ParseDecimal128(text)
		if err != nil {
			t.Fatal(err)
		}
		out := struct{ A big.Int }{*big.NewInt(3)}
		if err := bson.Unmarshal(encoded(t, bson.Doc("a", d)), &out); err != nil || out.A.Int64() != want {
			t.Errorf("%s is %v, %v", text, &out.A, err)
		}
	}
}

// Only a longer path is shortened in the error's text.
func TestPathsUpTo113BytesAreWhole(t *testing.T) {
	for size, whole := range map[int]bool{113: true, 114: false} {
		path := strings.Repeat("k", size)
		err := &bson.EncodeError{Path: path, Err: errRefusedToEncode}
		if strings.Contains(err.Error(), path) != whole {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// encodedList encodes {a: [value, value]}.
func encodedList(of bsontype.Type, value ...byte) bson.Raw {
	var list []byte
	for _, key := range []string{"0", "1"} {
		list = bson.AppendRawValueElement(list, key, bson.RawValue{Type: of, Value: value})
	}
	list = append(append([]byte{byte(len(list) + 5), 0, 0, 0}, list...), 0)
	doc := bson.AppendArrayElement(nil, "a", bson.RawArray(list))
	return append(append([]byte{byte(len(doc) + 5), 0, 0, 0}, doc...), 0)
}

func TestNullClearsMaps(t *testing.T) {
	v := struct {
		M map[string]int
		L []map[string]int
	}{map[string]int{"x": 1}, []map[string]int{{"y": 2}}}
	if err := bson.Unmarshal(encoded(t, bson.Doc("m", nil, "l", bson.A{nil})), &v); err != nil || v.M != nil || v.L[0] != nil {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestBitVectorsRoundTrip(t *testing.T) {
	for n := range 26 {
		bits := make([]bool, n)
		for i := range bits {
			bits[i] = i%3 == 0 || i%7 == 1
		}
		if got, ok := bson.NewBitVector(bits).BitOK(); !ok || !slices.Equal(got, bits) {
			t.Errorf("%v is %v", bits, got)
		}
	}
}

func TestObjectIDReadsOnlyWholeJSON(t *testing.T) {
	const digits = "5f0000000000000000000001"
	for text, good := range map[string]bool{
		`"` + digits + `"`: true, `{"$oid":"` + digits + `"}`: true, `"` + digits: false, digits + `"`: false, digits: false, `"`: false, `""`: false,
		`"` + digits[:22] + `\u"`: false, `"` + digits[:23] + `""`: false, `"` + digits + `x`: false, `x` + digits + `"`: false, `{"$oid":` + digits + `"}`: false, `{"$oid":"` + digits + `}`: false,
	} {
		var id bson.ObjectID
		if err := id.UnmarshalJSON([]byte(text)); (err == nil) != good && text != `""` || good && id.Hex() != digits {
			t.Errorf("%s is %v, %v", text, id, err)
		}
	}
	out, err := json.Marshal(bson.NilObjectID)
	if err != nil || !bytes.Contains(out, []byte("000000000000000000000000")) {
		t.Errorf("%s, %v", out, err)
	}
}
