package bsonimpl

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/internal/wire"
)

// box has methods like those that bsongen writes.
type box[T any] struct {
	V      T
	decode func(*Reader, *T) error
}

var boxFields = Fields{Names: []string{"v"}}

func (b *box[T]) decodeBSON(r *Reader) error {
	rest := r.Remaining()
	if len(rest) >= 3 && string(rest[1:3]) == "v\x00" && r.Take(rest, 3) {
		if err := b.decode(r, &b.V); err != nil {
			return r.Fail(err)
		}
		rest = r.Remaining()
	}
	r.Continue(rest)
	for r.Next(&boxFields) {
		var err error
		if r.Field() == 0 {
			err = b.decode(r, &b.V)
		}
		if err != nil {
			return r.Fail(err)
		}
	}
	return r.Err()
}

// documentOf returns {"v": value} for a value in relaxed extended JSON.
func documentOf(t *testing.T, text string) bson.Raw {
	t.Helper()
	doc, err := bson.ExtJSONToRaw([]byte(`{"v":`+text+`}`), false)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// decodeCase decodes text into a T twice, with the function that generated code calls and with bson.Unmarshal, and
// compares the results.
func decodeCase[T any](t *testing.T, text string, start T, decode func(*Reader, *T) error) {
	t.Helper()
	t.Run(reflect.TypeFor[T]().String()+" from "+text, func(t *testing.T) {
		doc := documentOf(t, text)
		got, want := box[T]{start, decode}, struct{ V T }{start}
		gotErr, wantErr := Decode(&got, doc, (*box[T]).decodeBSON), bson.Unmarshal(doc, &want)
		if errorText(gotErr) != errorText(wantErr) {
			t.Fatalf("got error %v, Unmarshal says %v", gotErr, wantErr)
		}
		if !reflect.DeepEqual(got.V, want.V) && !strings.Contains(text, "NaN") {
			t.Errorf("got %v, Unmarshal says %v", got.V, want.V)
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// point has methods written by hand.
type point struct{ X, Y int32 }

var pointFields = Fields{Names: []string{"x", "y"}}

func (p *point) decodeBSON(r *Reader) error {
	b := r.Remaining()
	if len(b) >= 3 && string(b[1:3]) == "x\x00" {
		if b[0] == 0x10 && len(b) >= 7 {
			p.X, b = wire.Int32(b[3:]), b[7:]
		} else if r.Take(b, 3) {
			if err := DecodeInt(r, &p.X); err != nil {
				return r.Fail(err)
			}
			b = r.Remaining()
		}
	}
	if len(b) >= 3 && string(b[1:3]) == "y\x00" && r.Take(b, 3) {
		if err := DecodeInt(r, &p.Y); err != nil {
			return r.Fail(err)
		}
		b = r.Remaining()
	}
	if len(b) == 0 {
		return nil
	}
	r.Continue(b)
	for r.Next(&pointFields) {
		var err error
		switch r.Field() {
		case 0:
			err = DecodeInt(r, &p.X)
		case 1:
			err = DecodeInt(r, &p.Y)
		}
		if err != nil {
			return r.Fail(err)
		}
	}
	return r.Err()
}

func decodePoint(r *Reader, p *point) error { return DecodeNested(r, p, (*point).decodeBSON) }

// label reads its text as bsongen's output does.
type label struct{ S string }

var labelFields = Fields{Names: []string{"s"}}

func (l *label) decodeBSON(r *Reader) error {
	b := r.Remaining()
	if len(b) >= 3 && string(b[1:3]) == "s\x00" {
		if s, rest, ok := r.Text(b, 3); ok {
			l.S, b = s, rest
		} else if r.Take(b, 3) {
			if err := DecodeString(r, &l.S); err != nil {
				return r.Fail(err)
			}
			b = r.Remaining()
		}
	}
	r.Continue(b)
	for r.Next(&labelFields) {
		if r.Field() == 0 {
			if err := DecodeString(r, &l.S); err != nil {
				return r.Fail(err)
			}
		}
	}
	return r.Err()
}

func decodeLabel(r *Reader, p *label) error { return DecodeNested(r, p, (*label).decodeBSON) }

var texts = []string{
	`1`, `300`, `-1`, `5000000000`, `1.0`, `1.5`, `true`, `null`, `"1"`, `"é"`, `{"a":1}`, `[1,2]`, `[]`, `{}`,
	`{"$oid":"57e193d7a9cc81b4027498b5"}`, `{"$date":{"$numberLong":"1"}}`, `{"$undefined":true}`,
	`{"$numberDouble":"NaN"}`, `{"$symbol":"s"}`, `{"x":1,"y":2}`, `{"Y":3,"X":4}`, `{"y":1,"z":"?","x":"a"}`, `[{"x":1},{"x":"?"}]`,
	`{"p":{"x":1},"q":{"y":true}}`, `{"s":""}`, `{"s":"é"}`, `{"s":1}`, `{"s":"a text of more than sixteen bytes","s":"b"}`,
	`{"s":{"$symbol":"s"},"t":1}`, `{"v":{"s":"s"}}`,
}

func TestDecodersDoWhatUnmarshalDoes(t *testing.T) {
	for _, text := range texts {
		decodeCase(t, text, true, DecodeBool)
		decodeCase(t, text, int8(7), DecodeInt)
		decodeCase(t, text, int64(7), DecodeInt)
		decodeCase(t, text, uint16(7), DecodeUint)
		decodeCase(t, text, "x", DecodeString)
		decodeCase(t, text, bson.ObjectID{1}, DecodeObjectID)
		decodeCase(t, text, time.UnixMilli(7), DecodeTime)
		decodeCase(t, text, any("x"), DecodeValue)
		decodeCase(t, text, float32(7), DecodeFloat)
		decodeCase(t, text, 7.5, DecodeFloat)
		decodeCase(t, text, []int32{7, 8, 9}, func(r *Reader, p *[]int32) error { return DecodeSlice(r, p, DecodeInt) })
		decodeCase(t, text, (*string)(nil), func(r *Reader, p **string) error { return DecodePointer(r, p, DecodeString) })
		decodeCase(t, text, map[string]int(nil), func(r *Reader, p *map[string]int) error { return DecodeMap(r, p, DecodeInt) })
		decodeCase(t, text, point{7, 8}, decodePoint)
		decodeCase(t, text, label{"x"}, decodeLabel)
		decodeCase(t, text, []point{{7, 8}}, func(r *Reader, p *[]point) error { return DecodeSlice(r, p, decodePoint) })
		decodeCase(t, text, map[string]point{}, func(r *Reader, p *map[string]point) error { return DecodeMap(r, p, decodePoint) })
		decodeCase(t, text, &point{7, 8}, func(r *Reader, p **point) error { return DecodePointer(r, p, decodePoint) })
	}
}

func TestErrorsOfBrokenDocuments(t *testing.T) {
	decode := func(r *Reader, p *[]point) error { return DecodeSlice(r, p, decodePoint) }
	whole := documentOf(t, `[{"x":1,"y":2},{"x":3}]`)
	for i := range whole {
		for _, b := range []byte{0, 1, 2, 3, 0x10, 0x7F, 0xFF} {
			doc := append(bson.Raw(nil), whole...)
			doc[i] = b
			got, want := box[[]point]{decode: decode}, struct{ V []point }{}
			gotErr, wantErr := Decode(&got, doc, (*box[[]point]).decodeBSON), bson.Unmarshal(doc, &want)
			if errorText(gotErr) != errorText(wantErr) {
				t.Errorf("byte %d set to %#x: %v, Unmarshal says %v", i, b, gotErr, wantErr)
			}
		}
	}
}

func TestErrorsOfBrokenTexts(t *testing.T) {
	whole := documentOf(t, `{"s":"text","t":"é","s":"another text"}`)
	for i := range whole {
		for _, b := range []byte{0, 1, 2, 3, 0x10, 0x7F, 0xFF} {
			doc := append(bson.Raw(nil), whole...)
			doc[i] = b
			got, want := box[label]{decode: decodeLabel}, struct{ V label }{}
			gotErr, wantErr := Decode(&got, doc, (*box[label]).decodeBSON), bson.Unmarshal(doc, &want)
			if errorText(gotErr) != errorText(wantErr) || gotErr == nil && got.V != want.V {
				t.Errorf("byte %d set to %#x: %v %v, Unmarshal says %v %v", i, b, got.V, gotErr, want.V, wantErr)
			}
		}
	}
}

func TestDecodedMapsDoNotAliasTheInput(t *testing.T) {
	doc := documentOf(t, `{"key":"text"}`)
	b := box[map[string]string]{decode: func(r *Reader, p *map[string]string) error { return DecodeMap(r, p, DecodeString) }}
	if err := Decode(&b, doc, (*box[map[string]string]).decodeBSON); err != nil {
		t.Fatal(err)
	}
	clear(doc)
	if b.V["key"] != "text" {
		t.Errorf("the map aliases the input: %q", b.V)
	}
}

func TestTruncate(t *testing.T) {
	b := box[int]{decode: DecodeTruncated[int]}
	if err := Decode(&b, documentOf(t, `1.75`), (*box[int]).decodeBSON); err != nil || b.V != 1 {
		t.Errorf("%d, %v", b.V, err)
	}
}

func TestAppend(t *testing.T) {
	if out, valid := AppendText([]byte{9}, "\xff"); valid {
		t.Errorf("AppendText: %x", out)
	}
	for _, key := range []string{"\xff", "a\x00"} {
		if out, err := AppendMapHeader([]byte{9}, 0x10, key); err == nil || len(out) != 1 {
			t.Errorf("AppendMapHeader(%q): %x, %v", key, out, err)
		}
	}
	if n, err := Signed(uint64(math.MaxUint64)); err == nil {
		t.Errorf("Signed: %d", n)
	}
	var e *bson.EncodeError
	if err := EncodeErrorIn("a", EncodeErrorIn(3, errors.New("x"))); !errors.As(err, &e) || e.Path != "a.3" {
		t.Errorf("EncodeErrorIn: %v", err)
	}
}

type mask struct {
	_ [0]func()
	n int
}

func (m mask) IsZero() bool { return m.n < 5 }

func TestEmptyAndZero(t *testing.T) {
	tests := map[string]struct {
		pointer     any
		empty, zero bool
	}{
		"nil slice":              {new([]int), true, true},
		"empty slice":            {&[]int{}, true, false},
		"slice":                  {&[]int{1}, false, false},
		"empty array":            {new([0]int), true, true},
		"array of zeros":         {new([2]int), false, true},
		"zero":                   {new(float64), true, true},
		"number":                 {new(1.5), false, false},
		"struct":                 {new(struct{ A int }), false, true},
		"nil interface":          {new(any), true, true},
		"interface":              {func() any { var v any = 0; return &v }(), false, false},
		"nil pointer":            {new(*int), true, true},
		"pointer to zero":        {new(new(0)), false, false},
		"IsZero":                 {&mask{n: 3}, true, true},
		"IsZero says no":         {&mask{n: 5}, false, false},
		"pointer whose IsZero":   {new(&mask{n: 3}), true, false},
		"zero ObjectID":          {new(bson.ObjectID), true, true},
		"zero time":              {new(time.Time), true, true},
		"CodeWithScope is there": {new(bson.CodeWithScope), false, true},
	}
	for name, tt := range tests {
		if got := IsEmpty(tt.pointer); got != tt.empty {
			t.Errorf("%s: empty %v", name, got)
		}
		if got := IsZero(tt.pointer); got != tt.zero {
			t.Errorf("%s: zero %v", name, got)
		}
		// Reflection must agree: if its only field is left out, a struct is the empty document of 5 bytes.
		for tag, want := range map[string]bool{`bson:"v,omitempty"`: tt.empty, `bson:"v,omitzero"`: tt.zero} {
			typ := reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.TypeOf(tt.pointer).Elem(), Tag: reflect.StructTag(tag)}})
			v := reflect.New(typ)
			v.Elem().Field(0).Set(reflect.ValueOf(tt.pointer).Elem())
			if raw, err := bson.Marshal(v.Interface()); (err == nil && len(raw) == 5) != want && name != "IsZero says no" {
				t.Errorf("%s, %s: Marshal says %v, %v", name, tag, raw, err)
			}
		}
	}
}
