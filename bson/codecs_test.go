package bson

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

// cents has a codec in the tests below: it is a string in BSON.
type cents int64

func centsToText(c cents) (string, error) { return strconv.FormatInt(int64(c), 10) + " ct", nil }

func centsFromText(s string) (cents, error) {
	n, err := strconv.ParseInt(strings.TrimSuffix(s, " ct"), 10, 64)
	return cents(n), err
}

func mustCodecs(t *testing.T, codecs ...Codec) *Codecs {
	t.Helper()
	cs, err := NewCodecs(codecs...)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

func TestCodecsReachEveryPlace(t *testing.T) {
	cs := mustCodecs(t, NewCodec(centsToText, centsFromText))
	one := cents(7)
	type fields struct {
		V cents
		P *cents
		S []cents
		A [2]cents
		M map[string]cents
		I any
		O cents `bson:",omitempty"`
		N struct{ V cents }
	}
	const want = `{"v":"7 ct","p":"7 ct","s":["7 ct"],"a":["7 ct","0 ct"],"m":{"k":"7 ct"},"i":"7 ct","n":{"v":"7 ct"}}`
	in := fields{V: one, P: &one, S: []cents{7}, A: [2]cents{7}, M: map[string]cents{"k": 7}, I: one}
	in.N.V = 7
	raw, err := Marshal(&in, &MarshalOptions{Codecs: cs})
	if err != nil || raw.String() != want {
		t.Fatalf("%v, %v, want %s", raw, err, want)
	}
	var out fields
	if err := Unmarshal(raw, &out, &UnmarshalOptions{Codecs: cs}); err != nil {
		t.Fatal(err)
	}
	in.I = "7 ct" // a value in an any has no Go type of its own
	if !reflect.DeepEqual(out, in) {
		t.Errorf("got %+v, want %+v", out, in)
	}
	for name, doc := range map[string]any{"D": D{{"v", one}}, "M": M{"v": one}, "pointer": D{{"v", &one}}, "map": map[string]cents{"v": 7}} {
		if raw, err := Marshal(doc, &MarshalOptions{Codecs: cs}); err != nil || raw.String() != `{"v":"7 ct"}` {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
	if raw, err := Marshal(D{{"a", A{one, one}}}, &MarshalOptions{Codecs: cs}); err != nil || raw.String() != `{"a":["7 ct","7 ct"]}` {
		t.Errorf("A: %v, %v", raw, err)
	}
	if raw, err := Marshal(&in); err != nil || !strings.Contains(raw.String(), `"v":7`) {
		t.Errorf("without the codec: %v, %v", raw, err)
	}
}

// A top-level document reaches its type's methods by a shorter path, which must not bypass the codecs.
func TestCodecsComeBeforeMethodsOfDocuments(t *testing.T) {
	cs := mustCodecs(t, NewCodec(func(a asAppender) (D, error) { return D{{"custom", a.n}}, nil }, nil))
	for name, v := range map[string]any{"value": asAppender{1}, "pointer": &asAppender{1}} {
		if raw, err := Marshal(v, &MarshalOptions{Codecs: cs}); err != nil || raw.String() != `{"custom":1}` {
			t.Errorf("%s: %v, %v", name, raw, err)
		}
	}
}

// Codecs come first, even for types that package bson encodes itself on its fastest path.
func TestCodecsForKnownTypes(t *testing.T) {
	cs := mustCodecs(t,
		NewCodec(func(s string) ([]byte, error) { return []byte(s), nil }, func(b []byte) (string, error) { return string(b), nil }),
		NewCodec(func(t time.Time) (int64, error) { return t.Unix(), nil }, func(n int64) (time.Time, error) { return time.Unix(n, 0).UTC(), nil }),
		NewCodec(func(id ObjectID) (RawValue, error) {
			return RawValue{Type: bsontype.Int32, Value: []byte{id[11], 0, 0, 0}}, nil
		}, func(v RawValue) (ObjectID, error) { return ObjectID{11: v.Value[0]}, nil }),
		NewCodec(func(b bool) (Null, error) { return Null{}, nil }, nil))
	type fields struct {
		S string
		L []string
		T time.Time
		I ObjectID
		B bool
	}
	in := fields{"x", []string{"y"}, time.Unix(5, 0).UTC(), ObjectID{11: 9}, true}
	raw, err := Marshal(&in, &MarshalOptions{Codecs: cs})
	const want = `{"s":{"$binary":{"base64":"eA==","subType":"00"}},"l":[{"$binary":{"base64":"eQ==","subType":"00"}}],"t":5,"i":9,"b":null}`
	if err != nil || raw.String() != want {
		t.Fatalf("%v, %v, want %s", raw, err, want)
	}
	var out fields
	in.B = false
	if err := Unmarshal(raw, &out, &UnmarshalOptions{Codecs: cs}); err != nil || !reflect.DeepEqual(out, in) {
		t.Errorf("%+v, %v, want %+v", out, err, in)
	}
	d := D{{"s", "x"}, {"t", in.T}, {"i", in.I}}
	if raw, err := Marshal(d, &MarshalOptions{Codecs: cs}); err != nil || raw.String() != `{"s":{"$binary":{"base64":"eA==","subType":"00"}},"t":5,"i":9}` {
		t.Errorf("D: %v, %v", raw, err)
	}
}

func TestCodecsNull(t *testing.T) {
	calls := 0
	byValue := mustCodecs(t, NewCodec(nil, func(s string) (cents, error) { calls++; return centsFromText(s) }))
	byRaw := mustCodecs(t, NewCodec(nil, func(v RawValue) (cents, error) { calls++; return 9, nil }))
	null := mustMarshal(t, D{{"v", nil}})
	for name, tt := range map[string]struct {
		codecs *Codecs
		want   cents
		calls  int
	}{"by value": {byValue, 0, 0}, "by RawValue": {byRaw, 9, 1}} {
		calls = 0
		out := struct{ V cents }{5}
		if err := Unmarshal(null, &out, &UnmarshalOptions{Codecs: tt.codecs}); err != nil || out.V != tt.want || calls != tt.calls {
			t.Errorf("%s: %d after %d calls, %v", name, out.V, calls, err)
		}
	}
}

func TestCodecsErrorsHaveAPath(t *testing.T) {
	bad := errors.New("no")
	cs := mustCodecs(t, NewCodec(func(cents) (string, error) { return "", bad }, func(string) (cents, error) { return 0, bad }))
	_, err := Marshal(D{{"a", A{cents(1)}}}, &MarshalOptions{Codecs: cs})
	var encode *EncodeError
	if !errors.As(err, &encode) || encode.Path != "a.0" || !errors.Is(err, bad) {
		t.Errorf("encoding: %v", err)
	}
	out := struct{ A []cents }{}
	err = Unmarshal(mustMarshal(t, D{{"a", A{"1"}}}), &out, &UnmarshalOptions{Codecs: cs})
	var decode *DecodeError
	if !errors.As(err, &decode) || decode.Path != "a.0" || !errors.Is(err, bad) {
		t.Errorf("decoding: %v", err)
	}
	err = Unmarshal(mustMarshal(t, D{{"a", A{true}}}), &out, &UnmarshalOptions{Codecs: cs})
	var mismatch *TypeError
	if !errors.As(err, &mismatch) || mismatch.To != reflect.TypeFor[string]() {
		t.Errorf("a boolean: %v", err)
	}
}

func TestAnyAs(t *testing.T) {
	cs := mustCodecs(t, AnyAs[time.Time](bsontype.DateTime), AnyAs[cents](bsontype.Int32), AnyAs[M](bsontype.EmbeddedDocument),
		AnyAs[[]byte](bsontype.Binary), NewCodec(func(c cents) (int32, error) { return int32(c), nil }, func(n int32) (cents, error) { return cents(n * 10), nil }))
	when := time.UnixMilli(5).UTC()
	raw := mustMarshal(t, D{{"t", when}, {"c", int32(3)}, {"m", D{{"a", A{int32(1)}}}}, {"b", []byte("x")}, {"s", "y"}})
	want := map[string]any{"t": when, "c": cents(30), "m": M{"a": A{cents(10)}}, "b": []byte("x"), "s": "y"}
	var d D
	var m M
	var fields struct{ T, C, M, B, S any }
	o := &UnmarshalOptions{Codecs: cs}
	for _, target := range []any{&d, &m, &fields} {
		if err := Unmarshal(raw, target, o); err != nil {
			t.Fatalf("%T: %v", target, err)
		}
	}
	if !reflect.DeepEqual(map[string]any(m), want) {
		t.Errorf("M: %#v", m)
	}
	for _, e := range d {
		if !reflect.DeepEqual(e.Value, want[e.Key]) {
			t.Errorf("D: %s is %#v", e.Key, e.Value)
		}
	}
	if !reflect.DeepEqual(fields.M, want["m"]) || fields.C != cents(30) {
		t.Errorf("struct: %#v", fields)
	}
	var v any
	if err := Unmarshal(raw, &v, o); err != nil || !reflect.DeepEqual(v, M(want)) {
		t.Errorf("any: %#v, %v", v, err)
	}
}

func TestNewCodecsRefuses(t *testing.T) {
	same := func(c cents) (cents, error) { return c, nil }
	type a struct{ X int }
	type b struct{ X int }
	tests := map[string]struct {
		codecs []Codec
		want   string
	}{
		"empty codec":       {[]Codec{{}}, "a codec is empty"},
		"no function":       {[]Codec{NewCodec[cents, string](nil, nil)}, "has no function"},
		"two codecs":        {[]Codec{NewCodec(centsToText, nil), NewCodec(nil, centsFromText)}, "two codecs for bson.cents"},
		"interface":         {[]Codec{NewCodec(func(fmt.Stringer) (string, error) { return "", nil }, nil)}, "interface or pointer"},
		"pointer":           {[]Codec{NewCodec(func(*cents) (string, error) { return "", nil }, nil)}, "interface or pointer"},
		"no BSON form":      {[]Codec{NewCodec(func(cents) (chan int, error) { return nil, nil }, nil)}, "chan int: there is no BSON type"},
		"itself":            {[]Codec{NewCodec(same, same)}, "lead from bson.cents back to bson.cents"},
		"circle":            {[]Codec{NewCodec(func(a) (b, error) { return b{}, nil }, nil), NewCodec(func(b) (a, error) { return a{}, nil }, nil)}, "back to"},
		"unknown BSON type": {[]Codec{AnyAs[cents](0x42)}, "no BSON type 0x42"},
		"any twice":         {[]Codec{AnyAs[cents](bsontype.Int32), AnyAs[int](bsontype.Int32)}, "two codecs decode int into an any"},
		"any without form":  {[]Codec{AnyAs[chan int](bsontype.Int32)}, "chan int"},
	}
	for name, tt := range tests {
		if _, err := NewCodecs(tt.codecs...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestCodecsJSONTags(t *testing.T) {
	type tagged struct {
		A int `json:"alpha,omitempty"`
		B int `json:"x" bson:"beta"`
	}
	cs := mustCodecs(t, JSONTags())
	raw, err := Marshal(tagged{B: 2}, &MarshalOptions{Codecs: cs})
	if err != nil || raw.String() != `{"beta":2}` {
		t.Errorf("%v, %v", raw, err)
	}
	var out tagged
	if err := Unmarshal(mustMarshal(t, D{{"alpha", 1}}), &out, &UnmarshalOptions{Codecs: cs}); err != nil || out.A != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

// A codec for one direction leaves the other as it was, even if the type has no BSON form.
func TestOneWayCodecLeavesTheOtherDirection(t *testing.T) {
	type pipe chan int
	cs := mustCodecs(t, NewCodec(func(pipe) (string, error) { return "pipe", nil }, nil))
	raw, err := Marshal(D{{"p", pipe(nil)}}, &MarshalOptions{Codecs: cs})
	if err != nil || raw.String() != `{"p":"pipe"}` {
		t.Errorf("%v, %v", raw, err)
	}
	var out struct{ P pipe }
	if err := Unmarshal(raw, &out, &UnmarshalOptions{Codecs: cs}); err == nil {
		t.Error("a channel was decoded")
	}
	if raw, err := Marshal(struct{ V cents }{3}, &MarshalOptions{Codecs: mustCodecs(t, NewCodec(nil, centsFromText))}); err != nil ||
		!bytes.Equal(raw, mustMarshal(t, struct{ V int64 }{3})) {
		t.Errorf("%v, %v", raw, err)
	}
}

// A codec may lead to a type with another codec, any number of times, unless they form a loop.
func TestCodecsMayChainButNotLoop(t *testing.T) {
	type (
		a struct{ N int32 }
		b struct{ N int32 }
		c struct{ N int32 }
		d struct{ N int32 }
		e struct{ N int32 }
	)
	ab := NewCodec(func(v a) (b, error) { return b(v), nil }, func(v b) (a, error) { return a(v), nil })
	bc := NewCodec(func(v b) (c, error) { return c(v), nil }, func(v c) (b, error) { return b(v), nil })
	cd := NewCodec(func(v c) (d, error) { return d(v), nil }, func(v d) (c, error) { return c(v), nil })
	de := NewCodec(func(v d) (e, error) { return e(v), nil }, func(v e) (d, error) { return d(v), nil })
	en := NewCodec(func(v e) (int32, error) { return v.N, nil }, func(n int32) (e, error) { return e{n}, nil })
	eb := NewCodec(func(v e) (b, error) { return b(v), nil }, func(v b) (e, error) { return e(v), nil })
	da := NewCodec(func(v d) (a, error) { return a(v), nil }, func(v a) (d, error) { return d(v), nil })
	cc := NewCodec(func(v c) (c, error) { return v, nil }, func(v c) (c, error) { return v, nil })
	cs := mustCodecs(t, ab, bc, cd, de, en)
	raw, err := Marshal(Doc("v", a{7}), &MarshalOptions{Codecs: cs})
	var got struct{ V a }
	if err := errors.Join(err, Unmarshal(raw, &got, &UnmarshalOptions{Codecs: cs})); err != nil || raw.String() != `{"v":7}` || got.V.N != 7 {
		t.Errorf("%v, %v, %v", raw, got, err)
	}
	for name, codecs := range map[string][]Codec{
		"a circle": {ab, bc, cd, da}, "a way into a circle": {ab, bc, cd, de, eb}, "a type and itself": {cc}, "a way to such a type": {ab, bc, cc},
	} {
		if _, err := NewCodecs(codecs...); err == nil || !strings.Contains(err.Error(), "the codecs lead from") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
