package bson

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// value returns the value of the relaxed extended JSON text.
func value(t *testing.T, text string) RawValue {
	t.Helper()
	doc, err := ExtJSONToRaw([]byte(`{"v":`+text+`}`), false)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Lookup("v")
}

// decodeCase decodes text into a T, once by the function of generated code and once by Unmarshal.
func decodeCase[T any](t *testing.T, text string, start T, decode func(*T, SharedValue) error) {
	t.Helper()
	t.Run(reflect.TypeFor[T]().String()+" from "+text, func(t *testing.T) {
		got, want := start, start
		v := value(t, text)
		gotErr, wantErr := decode(&got, SharedValue{RawValue: v}), v.Unmarshal(&want)
		if (gotErr == nil) != (wantErr == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, Unmarshal says %v, %v", got, gotErr, want, wantErr)
		}
		if gotErr != nil && !strings.Contains(wantErr.Error(), strings.TrimPrefix(gotErr.Error(), "bson: ")) {
			t.Errorf("got error %v, Unmarshal says %v", gotErr, wantErr)
		}
	})
}

func TestStaticDecodersAreUnmarshal(t *testing.T) {
	id := `{"$oid":"57e193d7a9cc81b4027498b5"}`
	for _, text := range []string{`1`, `300`, `-1`, `5000000000`, `1.0`, `1.5`, `true`, `null`, `"1"`, `"é"`, `{"a":1}`, `[1,2]`, id,
		`{"$date":{"$numberLong":"1"}}`, `{"$undefined":true}`, `{"$numberDouble":"NaN"}`, `{"$symbol":"s"}`} {
		decodeCase(t, text, true, DecodeBool)
		decodeCase(t, text, int8(7), DecodeInt)
		decodeCase(t, text, int64(7), DecodeInt)
		decodeCase(t, text, uint16(7), DecodeUint)
		decodeCase(t, text, "x", DecodeString)
		decodeCase(t, text, ObjectID{1}, DecodeObjectID)
		decodeCase(t, text, time.UnixMilli(7), DecodeTime)
		if !strings.Contains(text, "NaN") { // which differs from itself
			decodeCase(t, text, any("x"), DecodeValue)
			decodeCase(t, text, float32(7), DecodeFloat)
			decodeCase(t, text, 7.5, DecodeFloat)
		}
		decodeCase(t, text, []int32{7, 8, 9}, func(p *[]int32, v SharedValue) error { return DecodeSlice(p, v, DecodeInt) })
		decodeCase(t, text, (*string)(nil), func(p **string, v SharedValue) error { return DecodePointer(p, v, DecodeString) })
		decodeCase(t, text, map[string]int(nil), func(p *map[string]int, v SharedValue) error { return DecodeMap(p, v, DecodeInt) })
		if text[0] != '[' { // an array is refused before the type is asked
			decodeCase(t, text, DBRef{Ref: "x"}, decodeRef)
		}
	}
	var f float64
	if err := DecodeFloat(&f, SharedValue{RawValue: value(t, `{"$numberDouble":"NaN"}`)}); err != nil || !math.IsNaN(f) {
		t.Errorf("NaN decodes as %v, %v", f, err)
	}
}

func decodeRef(p *DBRef, v SharedValue) error {
	return DecodeNested(p, v, func(p *DBRef, r Reader) error { return p.DecodeBSON(r.doc) })
}

func TestStaticDecodersCopy(t *testing.T) {
	v := value(t, `{"key":"text"}`)
	m := map[string]string{}
	if err := DecodeMap(&m, SharedValue{v, new(texts)}, DecodeString); err != nil {
		t.Fatal(err)
	}
	clear(v.Value)
	if m["key"] != "text" {
		t.Errorf("the map aliases the input: %q", m)
	}
}

func TestStaticDecodersTrustNothing(t *testing.T) {
	for _, typ := range []byte{0x01, 0x02, 0x03, 0x04, 0x07, 0x08, 0x09, 0x10, 0x12} {
		for _, data := range [][]byte{nil, {1}, {9, 0, 0, 0, 0}, {5, 0, 0, 0, 1}} {
			v := SharedValue{RawValue: RawValue{Type: Type(typ), Value: data}}
			_ = DecodeBool(new(bool), v)
			_ = DecodeInt(new(int), v)
			_ = DecodeFloat(new(float64), v)
			_ = DecodeString(new(string), v)
			_ = DecodeObjectID(new(ObjectID), v)
			_ = DecodeTime(new(time.Time), v)
			_ = DecodeNested(new(DBRef), v, func(p *DBRef, r Reader) error { return p.DecodeBSON(r.doc) })
			_ = DecodeSlice(new([]int), v, DecodeInt)
			_ = DecodeMap(new(map[string]int), v, DecodeInt)
		}
	}
}

func TestStaticEncoders(t *testing.T) {
	if out, err := AppendText([]byte{9}, "\xff"); err == nil || len(out) != 1 {
		t.Errorf("AppendText: %x, %v", out, err)
	}
	for _, key := range []string{"\xff", "a\x00"} {
		if out, err := AppendMapHeader([]byte{9}, 0x10, key); err == nil || len(out) != 1 {
			t.Errorf("AppendMapHeader(%q): %x, %v", key, out, err)
		}
	}
	if n, err := Signed(uint64(math.MaxUint64)); err == nil {
		t.Errorf("Signed: %d", n)
	}
	if !IsEmpty(new([]int)) || IsEmpty(&[]int{1}) || !IsZero(new(float64)) || IsZero(new(1.5)) {
		t.Error("IsEmpty or IsZero is wrong")
	}
	var e *EncodeError
	if err := EncodeErrorIn("a", EncodeErrorIn(3, errors.New("x"))); !errors.As(err, &e) || e.Path != "a.3" {
		t.Errorf("EncodeErrorIn: %v", err)
	}
	for key, want := range map[string]string{"Ab": "ab", "ab": "", "É": ""} {
		if got, changed := LowerKey(key); changed != (want != "") || changed && got != want {
			t.Errorf("LowerKey(%q) = %q, %t", key, got, changed)
		}
	}
}
