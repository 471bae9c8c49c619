package bson

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// isAt compares words. It must agree with a comparison of bytes for names around the size of a word.
func TestIsAtComparesNames(t *testing.T) {
	for n := range 20 {
		name := "abcdefghijklmnopqrst"[:n]
		var e decField
		e.setName(name)
		texts := []string{name, name + "\x00", name[:n/2] + "\x00", name + "x\x00", "x" + name + "\x00"}
		for i := range n {
			texts = append(texts, name[:i]+string(name[i]^1)+name[i+1:]+"\x00")
		}
		for _, text := range texts {
			for tail := range 10 {
				b := []byte(text + "\x01tail of bytes"[:tail])
				if want := strings.HasPrefix(string(b), name+"\x00"); e.isAt(b) != want {
					t.Errorf("%q at %q: %v", name, b, !want)
				}
			}
		}
	}
}

// storeQuickly stores a value that ends with its document, and leaves truncated values and invalid text to the codec.
func TestStoreQuicklyTakesWholeValuesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		op   fieldOp
		into any
		b    string
		want any // nil: it is left to the codec
	}{
		"a text":               {opString, new(string), "\x03\x00\x00\x00ab\x00", "ab"},
		"an empty text":        {opString, new(string), "\x01\x00\x00\x00\x00", ""},
		"a text of length 0":   {opString, new(string), "\x00\x00\x00\x00\x00", nil},
		"a text without end":   {opString, new(string), "\x03\x00\x00\x00abc", nil},
		"no UTF-8":             {opString, new(string), "\x03\x00\x00\x00a\xff\x00", nil},
		"an int":               {opInt32, new(int32), "\x01\x00\x00\x00", int32(1)},
		"a long":               {opInt64, new(int64), "\x01\x00\x00\x00\x01\x00\x00\x00", int64(1<<32 + 1)},
		"a double":             {opFloat64, new(float64), "\x00\x00\x00\x00\x00\x00\xf8\x3f", 1.5},
		"true":                 {opBool, new(bool), "\x01", true},
		"a boolean of 2":       {opBool, new(bool), "\x02", nil},
		"an ObjectID":          {opObjectID, new(ObjectID), "abcdefghijkl", ObjectID([]byte("abcdefghijkl"))},
		"a date":               {opTime, new(time.Time), "\x01\x00\x00\x00\x00\x00\x00\x00", time.UnixMilli(1).UTC()},
		"a value of the codec": {opCodec, new(int32), "\x01\x00\x00\x00", nil},
	} {
		for _, tail := range []string{"", "\x00", "\x10more"} {
			d := newDecoder([]byte(tt.b+tail), nil)
			n := tt.op.storeQuickly(d, []byte(tt.b+tail), addressAt(reflect.ValueOf(tt.into)))
			d.release()
			switch got := reflect.ValueOf(tt.into).Elem().Interface(); {
			case tt.want == nil && n != -1:
				t.Errorf("%s, %q: stored %d bytes", name, tail, n)
			case tt.want != nil && (n != len(tt.b) || !reflect.DeepEqual(got, tt.want)):
				t.Errorf("%s, %q: %v after %d bytes", name, tail, got, n)
			}
		}
		d := newDecoder([]byte(tt.b), nil)
		if n := tt.op.storeQuickly(d, []byte(tt.b)[:len(tt.b)-1], addressAt(reflect.ValueOf(tt.into))); n != -1 {
			t.Errorf("%s without its last byte: stored %d bytes", name, n)
		}
		d.release()
	}
	b := wire.AppendInt64(nil, 1)
	d := newDecoder(b, []*UnmarshalOptions{{UseLocalTimeZone: true}})
	defer d.release()
	if n := opTime.storeQuickly(d, b, addressTo(new(time.Time))); n != -1 {
		t.Error("a date without its zone")
	}
}

// Only invalid input makes the reader and the writer of extended JSON go through BSON.
func TestValidExtJSONSkipsBSON(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":"b","c":[1,[],{}]}`, `{"a":{"b":{"c":null}},"d":[true,false]}`, `{"a":{"$numberInt":"1"}}`, `{"é":"é"}`,
		`{"a":{"$regularExpression":{"pattern":"p","options":""}}}`, `{"a":"\n"}`, `{"a":-1.5e3}`,
	} {
		var d D
		if !readText([]byte(text), false, &d) {
			t.Errorf("%s is read through BSON", text)
		}
	}
	for _, v := range []any{
		D(nil), M(nil), A(nil), D{}, M{}, A{}, &D{}, Doc("a", nil, "b", D(nil), "c", M(nil), "d", A(nil)), Doc("a", 1, "b", math.MaxInt, "c", int32(1), "d", int64(1)),
		Doc("a", 1.5, "b", true, "c", false, "d", ObjectID{1}, "e", DateTime(1)), M{"a": M{"b": A{"c"}}}, Doc("a", (*int)(nil)), Doc("a", []int{1}), Doc("a\n", "\n"),
	} {
		for _, canonical := range []bool{true, false} {
			if text, ok := appendTextOf(nil, v, canonical); !ok {
				t.Errorf("%v is written through BSON after %s", v, text)
			}
		}
	}
}

// A fast reader either consumes a whole number or wrapper, or leaves the position where it was.
func TestFastReadersTakeAllOrNothing(t *testing.T) {
	number := func(r *textReader) (any, bool) {
		if v, ok := r.readBareInteger(); ok {
			return v, true
		}
		return r.readBareDouble()
	}
	date := func(r *textReader) (any, bool) { return r.readDate() }
	for _, tt := range []struct {
		read func(*textReader) (any, bool)
		text string
		want any // nil: nothing
	}{
		{number, `0`, int32(0)}, {number, `-1`, int32(-1)}, {number, `2147483648`, int64(1 << 31)}, {number, `-2147483648`, int32(-1 << 31)},
		{number, `999999999999999999`, int64(999999999999999999)}, {number, `-999999999999999999`, int64(-999999999999999999)},
		{number, `9`, int32(9)}, {number, `10`, int32(10)}, {number, `-0`, int32(0)}, {number, `1e2`, 100.0}, {number, `1E2`, 100.0}, {number, `0.5`, 0.5},
		{number, `01`, nil}, {number, `-`, nil}, {number, `1e999`, nil}, {number, `1000000000000000000`, nil}, {number, `x`, nil}, {number, `0.1000000000000000055511151231257827`, 0.1},
		{(*textReader).readWrapper, `{"$numberInt":"7"}`, int32(7)}, {(*textReader).readWrapper, `{"$numberInt":"2147483648"}`, nil}, {(*textReader).readWrapper, `{"$numberInt":7}`, nil},
		{(*textReader).readWrapper, `{"$numberLong":"7"}`, int64(7)}, {(*textReader).readWrapper, `{"$numberDouble":"7.5"}`, 7.5}, {(*textReader).readWrapper, `{"$numberDouble":"x"}`, nil},
		{(*textReader).readWrapper, `{"$oid":"000000000000000000000001"}`, ObjectID{11: 1}}, {(*textReader).readWrapper, `{"$oid":"00"}`, nil},
		{(*textReader).readWrapper, `{"$date":{"$numberLong":"7"}}`, DateTime(7)}, {(*textReader).readWrapper, `{"$date":"1970-01-01T00:00:00.007Z"}`, DateTime(7)},
		{(*textReader).readWrapper, `{"$date":{"$numberInt":"7"}}`, nil}, {(*textReader).readWrapper, `{"$date":7}`, nil}, {(*textReader).readWrapper, `{"$date":{"$numberLong":7}}`, nil},
		{(*textReader).readWrapper, `{"$binary":{"base64":"AQ==","subType":"04"}}`, Binary{Subtype: 4, Data: []byte{1}}},
		{(*textReader).readWrapper, `{"$binary":{"base64":"A","subType":"04"}}`, nil}, {(*textReader).readWrapper, `{"$binary":{"base64":"AQ==","subType":"xx"}}`, nil},
		{(*textReader).readWrapper, `{"$binary":{"subType":"04","base64":"AQ=="}}`, nil}, {(*textReader).readWrapper, `{"$binary":"AQ=="}`, nil},
		{(*textReader).readWrapper, `{"$binary":{"base64":1,"subType":"04"}}`, nil}, {(*textReader).readWrapper, `{"$binary":{"base64":"AQ==","subType":4}}`, nil},
		{(*textReader).readWrapper, `{"$binary":{"base64":"AQ==","subType":"04","x":1}}`, nil}, {(*textReader).readWrapper, `{"$binary":{"base64":"AQ==","x":"04"}}`, nil},
		{(*textReader).readWrapper, `{"$timestamp":{"t":0,"i":9}}`, Timestamp{T: 0, I: 9}}, {(*textReader).readWrapper, `{"$timestamp":{"t":4294967295,"i":4294967295}}`, Timestamp{T: 1<<32 - 1, I: 1<<32 - 1}},
		{(*textReader).readWrapper, `{"$timestamp":{"t":4294967296,"i":2}}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"t":1.5,"i":2}}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"t":-1,"i":2}}`, nil},
		{(*textReader).readWrapper, `{"$timestamp":{"t":01,"i":2}}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"t":1,"i":"2"}}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"i":2,"t":1}}`, nil},
		{(*textReader).readWrapper, `{"$timestamp":1}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"t":1,"x":2}}`, nil}, {(*textReader).readWrapper, `{"$timestamp":{"t":1}}`, nil},
		{(*textReader).readWrapper, `{"$timestamp":{"t":1,"i":2,"x":3}}`, nil}, {(*textReader).readWrapper, `{"$unknown":"7"}`, nil}, {(*textReader).readWrapper, `{"$numberInt":"7","x":1}`, nil},
		{date, `"1970-01-01T00:00:00.007Z"`, int64(7)},
	} {
		for _, tail := range []string{"", ",", " }"} {
			r := &textReader{src: []byte(tt.text + tail), d: newDecoder([]byte(tt.text+tail), nil)}
			got, ok := tt.read(r)
			r.d.release()
			switch {
			case tt.want == nil && (ok || r.pos != 0):
				t.Errorf("%s is %v, and the reader at %d", tt.text, got, r.pos)
			case tt.want != nil && (!ok || !reflect.DeepEqual(got, tt.want) || r.pos != len(tt.text)):
				t.Errorf("%s is %v, %v, and the reader at %d", tt.text, got, ok, r.pos)
			}
		}
	}
}
