package bson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// Users read these messages, so they are compared whole.
func TestErrorMessages(t *testing.T) {
	decode := func(value, into any) error { return bson.Unmarshal(encoded(t, bson.Doc("v", value)), into) }
	read := func(data ...byte) error { return bson.NewDecoder(bytes.NewReader(data)).Decode(new(bson.D)) }
	for want, err := range map[string]error{
		"bson: v: cannot store array in string: a slice holds it (at byte 7)":                       decode(bson.A{}, new(struct{ V string })),
		"bson: v: cannot store object in []int32: a struct, a map or a bson.D holds it (at byte 7)": decode(bson.D{}, new(struct{ V []int32 })),
		"bson: v: cannot store date in string: a time.Time holds it (at byte 7)":                    decode(bson.DateTime(1), new(struct{ V string })),
		"bson: v: cannot store regex in string (at byte 7)":                                         decode(bson.Regex{}, new(struct{ V string })),
		"bson: v: 300 does not fit into int8 (at byte 7)":                                           decode(300, new(struct{ V int8 })),
		"bson: v: -1 does not fit into uint8 (at byte 7)":                                           decode(-1, new(struct{ V uint8 })),
		"bson: v: 1e+300 does not fit into int64 (at byte 7)":                                       decode(1e300, new(struct{ V int64 })),
		"bson: the document states a length of 4 bytes (at byte 0)":                                 read(4, 0, 0, 0),
		"unexpected EOF": read(5, 0, 0, 0),
		"bson: a document of 4 bytes is too short (at byte 0)":                                          bson.Unmarshal([]byte{4, 0, 0, 0}, new(bson.D)),
		"bson: the document states a length of 6 bytes and has 5 (at byte 0)":                           bson.Unmarshal([]byte{6, 0, 0, 0, 0}, new(bson.D)),
		"bson: the document does not end in a zero byte (at byte 0)":                                    bson.Unmarshal([]byte{5, 0, 0, 0, 1}, new(bson.M)),
		"bson: cannot decode into nil: pass a pointer to a variable":                                    bson.Unmarshal(bson.EmptyDocument(), nil),
		"bson: cannot decode into a int, which is neither pointer nor map: pass a pointer to it":        bson.Unmarshal(bson.EmptyDocument(), 5),
		"bson: cannot decode into a nil *int: pass a pointer to a variable":                             bson.Unmarshal(bson.EmptyDocument(), (*int)(nil)),
		"bson: int encodes to int, not to a document":                                                   marshalError(5),
		"bson: v.1: the string is not UTF-8":                                                            marshalError(bson.Doc("v", []string{"a", "\xff"})),
		"bson: v.n: the string is not UTF-8":                                                            marshalError(bson.Doc("v", map[string]string{"n": "\xff"})),
		"bson: v.n: there is no BSON type for chan int: leave the field out, with the tag `bson:\"-\"`": marshalError(bson.Doc("v", map[string]chan int{"n": nil})),
	} {
		if got := fmt.Sprint(err); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func marshalError(v any) error {
	_, err := bson.Marshal(v)
	if err == nil {
		return fmt.Errorf("%v was encoded", v)
	}
	return err
}

// failingReader returns an error instead of io.EOF.
type failingReader struct {
	text io.Reader
	err  error
}

func (h failingReader) Read(p []byte) (int, error) {
	n, err := h.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = h.err
	}
	return n, err
}

// The end of a stream is io.EOF between documents and io.ErrUnexpectedEOF inside one. Other errors are returned as they
// are.
func TestStreamEndsOnlyBetweenDocuments(t *testing.T) {
	other := errors.New("unplugged")
	whole := encoded(t, bson.Doc("a", 1))
	for size := range len(whole) + 1 {
		for end, want := range map[error]error{
			io.EOF: io.ErrUnexpectedEOF, other: other, fmt.Errorf("wrapped: %w", io.EOF): io.ErrUnexpectedEOF,
		} {
			d := bson.NewDecoder(failingReader{bytes.NewReader(whole[:size]), end})
			var got bson.D
			err := d.Decode(&got)
			switch {
			case size == len(whole):
				if err != nil || len(got) != 1 {
					t.Errorf("a whole document: %v, %v", got, err)
				}
			case size < 4 && end != other:
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%d bytes, then %v: %v", size, end, err)
				}
			case !errors.Is(err, want):
				t.Errorf("%d bytes, then %v: %v", size, end, err)
			}
		}
	}
	var out bytes.Buffer
	e := bson.NewEncoder(&out)
	if err := e.Encode(5); err == nil || out.Len() != 0 {
		t.Errorf("a number was written as %v: %v", out.Bytes(), err)
	}
}

// A function that appends returns its input unchanged with an error.
func TestNothingIsAppendedOnErrors(t *testing.T) {
	before := []byte("before")
	check := func(name string, out []byte, err error) {
		if err == nil || !bytes.Equal(out, before) {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	bad := bson.Doc("v", make(chan int))
	out, err := bson.MarshalAppend(before, bad)
	check("a document", out, err)
	out, err = bson.MarshalAppend(before, 5)
	check("a number", out, err)
	_, out, err = bson.AppendValue(before, bad)
	check("a value", out, err)
	out, err = bson.AppendValueElement(before, "k", bad)
	check("an element", out, err)
	out, err = bson.AppendValueElement(before, "k\x00", 1)
	check("a key with a zero byte", out, err)
	out, err = bson.AppendExtJSON(before, bson.Raw{5, 0, 0, 0, 1}, false)
	check("a text", out, err)
	out, err = bson.AppendExtJSONLimit(before, bson.Raw{5, 0, 0, 0, 1}, false, 10)
	check("a text with a limit", out, err)
	if t, out, err := bson.AppendValue(before, "x"); err != nil || t != bsontype.String || len(out) != len(before)+6 {
		panic(fmt.Sprint(t, out, err))
	}
}

// Null, nil and zero values in BSON's text and in JSON.
func TestNullAndMissingValuesAsText(t *testing.T) {
	for want, got := range map[string]string{
		"":                  bson.RawArray(nil).String() + bson.RawValue{}.String() + bson.Raw{}.String(),
		"[1]":               bson.RawArray(encoded(t, bson.Doc("0", int32(1)))).String(),
		"null":              bson.RawValue{Type: bsontype.Null}.String(),
		`{"a":null,"b":[]}`: asJSON(t, bson.Doc("a", bson.A(nil), "b", bson.A{})),
		`{"c":null,"d":{}}`: asJSON(t, bson.Doc("c", bson.D(nil), "d", bson.D{})),
		`{"e":null,"f":{}}`: asJSON(t, bson.Doc("e", bson.M(nil), "f", bson.M{})),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	d := bson.Doc("old", 1)
	if err := json.Unmarshal([]byte(" null "), &d); err != nil || d != nil {
		t.Errorf("null is %v, %v", d, err)
	}
	if err := json.Unmarshal([]byte(`{"a":{"b":[1,"x",null]}}`), &d); err != nil || d.String() != `{"a":{"b":[1,"x",null]}}` {
		t.Errorf("%v, %v", d, err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Numbers of package big either keep their value exactly or are an error.
func TestBigNumbersKeepTheirValue(t *testing.T) {
	for value, want := range map[any]string{
		int32(-5): "-5", int64(1) << 40: "1099511627776", 3.0: "3", "12345678901234567890": "12345678901234567890",
		"x": "", 1.5: "", bson.NewDecimal128(0x7800<<48, 0): "", bson.NewDecimal128(0x7c00<<48, 0): "",
		bson.NewDecimal128(0x3042<<48, 7): "70", bson.NewDecimal128(0x3040<<48, 7): "7", bson.NewDecimal128(0x303e<<48, 70): "7", bson.NewDecimal128(0x303e<<48, 7): "",
	} {
		var got struct{ V big.Int }
		err := bson.Unmarshal(encoded(t, bson.Doc("v", value)), &got)
		if (err == nil) != (want != "") || err == nil && got.V.String() != want {
			t.Errorf("%v is %v, %v; want %s", value, &got.V, err, want)
		}
	}
	for value, want := range map[any]string{
		int32(-5): "-5", int64(1) << 40: "1.099511628e+12", 1.5: "1.5", math.NaN(): "", math.Inf(-1): "-Inf", true: "", "": "", "2.5": "2.5", "x": "", bson.NewDecimal128(0x303e<<48, 75): "7.5",
		bson.NewDecimal128(0x7c00<<48, 0): "", bson.Timestamp{}: "",
	} {
		var got struct{ V big.Float }
		err := bson.Unmarshal(encoded(t, bson.Doc("v", value)), &got)
		if (err == nil) != (want != "") || err == nil && got.V.String() != want {
			t.Errorf("%v is %v, %v; want %s", value, &got.V, err, want)
		}
	}
	bits := new(big.Int).Lsh(big.NewInt(1), 113)
	for n, want := range map[*big.Int]bsontype.Type{
		big.NewInt(1<<31 - 1): bsontype.Int32, big.NewInt(1 << 31): bsontype.Int64, bits: bsontype.String, new(big.Int).Rsh(bits, 1): bsontype.Decimal128,
	} {
		if got := encoded(t, bson.Doc("v", n)).Lookup("v"); got.Type != want && want != bsontype.Int32 {
			t.Errorf("%v is a %v, want %v", n, got.Type, want)
		}
	}
}

// A time decodes from dates, numbers, text and timestamps, in UTC unless an option asks for another zone.
func TestTimesFromOtherTypes(t *testing.T) {
	for value, want := range map[any]string{
		bson.DateTime(1500): "1970-01-01T00:00:01.5Z", int64(1500): "1970-01-01T00:00:01.5Z", "2020-01-02T03:04:05.25+01:00": "2020-01-02T02:04:05.25Z",
		bson.Timestamp{T: 7, I: 9}: "1970-01-01T00:00:07Z", "yesterday": "", "\xff": "", bson.Null{}: "0001-01-01T00:00:00Z",
	} {
		raw := bson.AppendDocumentEnd(appendAny(t, value), 0)
		var got struct{ V time.Time }
		err := bson.Unmarshal(raw, &got)
		if (err == nil) != (want != "") || err == nil && got.V.Format(time.RFC3339Nano) != want {
			t.Errorf("%v is %v, %v; want %s", value, got.V, err, want)
		}
	}
}

// appendAny starts a document and appends a value, which may be invalid UTF-8.
func appendAny(t *testing.T, value any) []byte {
	t.Helper()
	dst, _ := bson.AppendDocumentStart(nil)
	dst, err := bson.AppendValueElement(dst, "v", value, &bson.MarshalOptions{AllowInvalidUTF8: true})
	if err != nil {
		t.Fatal(err)
	}
	return dst
}
