package bson

import (
	"errors"
	"testing"

	"github.com/specdrivers/onion/generated/bsontype"
)

// Valid text and documents of every type are converted directly. Only errors go through BSON.
func TestEveryTypeSkipsBSON(t *testing.T) {
	for _, tt := range extJSONTypes {
		for canonical, text := range map[bool]string{true: tt.canonical, false: tt.relaxed} {
			if text == "" {
				text = tt.canonical
			}
			var d D
			for _, whole := range []string{`{"v":` + text + `}`, ` { "w" : [ ` + text + ` , ` + text + ` ], "v" : ` + text + ` } `} {
				if !readText([]byte(whole), canonical, &d) {
					t.Errorf("%s: %s is read through BSON", tt.name, whole)
				}
			}
			values := M{}
			for _, e := range d {
				values[e.Key] = e.Value
			}
			for _, v := range []any{d, &d, values, A{d, values}} {
				if out, ok := appendTextOf(nil, v, canonical); !ok || len(out) == 0 {
					t.Errorf("%s: %T is written through BSON", tt.name, v)
				}
			}
		}
	}
}

// The most common wrappers have a fast reader.
func TestCommonWrappersHaveAFastReader(t *testing.T) {
	for _, text := range []string{
		`{"$numberInt":"-7"}`, `{ "$numberLong" : "7" }`, `{"$numberDouble":"0.5"}`, `{"$oid":"57e193d7a9cc81b4027498b5"}`,
		`{"$date":{"$numberLong":"-5"}}`, `{"$date":"2020-01-02T03:04:05Z"}`, `{"$binary":{"base64":"AQID","subType":"80"}}`,
		`{"$timestamp":{"t":1,"i":2}}`,
	} {
		r := &textReader{src: []byte(text), format: formatOf(false), d: newDecoder(nil, nil)}
		if !r.mayBeWrapper() || r.pos != 0 {
			t.Errorf("%s is not recognized as a wrapper", text)
		}
		if v, ok := r.readWrapper(); !ok || v == nil || r.pos != len(text) {
			t.Errorf("%s: %v, %t, at %d", text, v, ok, r.pos)
		}
	}
}

// A timestamp's seconds come before its increment, whatever writes it.
func TestTimestampsAreWrittenInOrder(t *testing.T) {
	ts := Timestamp{T: 3, I: 4}
	want := string(mustMarshal(t, Doc("ts", ts)))
	for _, v := range []any{struct{ TS Timestamp }{ts}, struct{ TS *Timestamp }{&ts}, M{"ts": &ts}, map[string]Timestamp{"ts": ts}} {
		if got := mustMarshal(t, v); string(got) != want {
			t.Errorf("%T: %v", v, got)
		}
	}
	var got struct{ TS Timestamp }
	if err := Unmarshal(Raw(want), &got); err != nil || got.TS != ts {
		t.Errorf("%v, %v", got.TS, err)
	}
	for other, before := range map[Timestamp]bool{{3, 4}: false, {3, 5}: true, {4, 0}: true, {2, 9}: false} {
		if ts.Before(other) != before {
			t.Errorf("%v is before %v: %t", ts, other, !before)
		}
	}
}

// Fields of embedded structs are found at their offset, behind pointers too.
func TestFieldsOfEmbeddedStructs(t *testing.T) {
	type In struct{ C, D int64 }
	type Mid struct {
		B   int64
		*In `bson:",inline"`
	}
	type outer struct {
		A   int64
		Mid `bson:",inline"`
		Z   int64
	}
	in := outer{1, Mid{2, &In{3, 4}}, 5}
	raw := mustMarshal(t, in)
	if want := mustMarshal(t, Doc("a", int64(1), "b", int64(2), "c", int64(3), "d", int64(4), "z", int64(5))); string(raw) != string(want) {
		t.Fatalf("%v", raw)
	}
	var got outer
	if err := Unmarshal(raw, &got); err != nil || got.A != 1 || got.B != 2 || got.In == nil || *got.In != *in.In || got.Z != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

type appendsText struct {
	err error
	cut bool
}

func (a appendsText) AppendText(dst []byte) ([]byte, error) {
	if a.cut {
		return nil, nil
	}
	return append(dst, "text"...), a.err
}

// An error of AppendText is returned, and removing bytes that stood before is an error, too.
func TestFailingAppendTextIsAnError(t *testing.T) {
	if raw := mustMarshal(t, Doc("s", struct{ T appendsText }{})); raw.Lookup("s", "t").String() != `"text"` {
		t.Errorf("%v", raw)
	}
	failed := errors.New("no text")
	if _, err := Marshal(struct{ T appendsText }{appendsText{err: failed}}); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if _, err := Marshal(struct{ T appendsText }{appendsText{cut: true}}); err == nil {
		t.Error("a type removed what stood before it")
	}
}

// Values that a type must refuse: text in a byte array, a document without an end, a number as a collection's name.
func TestTypesRefuseWrongValues(t *testing.T) {
	nan, err := ParseDecimal128("NaN")
	if one, _ := ParseDecimal128("1"); err != nil || !nan.IsNaN() || one.IsNaN() {
		t.Errorf("NaN: %v", err)
	}
	var array struct{ A [3]byte }
	if err := Unmarshal(mustMarshal(t, Doc("a", "x")), &array); err == nil {
		t.Error("text was decoded into an array of bytes")
	}
	if err := Unmarshal(mustMarshal(t, Doc("a", Binary{Data: []byte{1, 2, 3}})), &array); err != nil || array.A != [3]byte{1, 2, 3} {
		t.Errorf("%v, %v", array, err)
	}
	if _, err := (Raw{5, 0, 0, 0, 1}).LookupErr("a"); err == nil {
		t.Error("a document without an end has fields")
	}
	var ref DBRef
	if err := Unmarshal(mustMarshal(t, Doc("$ref", 1, "$id", 2)), &ref); err == nil {
		t.Errorf("a number names a collection: %+v", ref)
	}
	if err := (RawValue{Type: bsontype.String, Value: []byte{9, 0, 0, 0, 'a', 0}}).Unmarshal(new(string)); err == nil {
		t.Error("text that is longer than its value was decoded")
	}
}
