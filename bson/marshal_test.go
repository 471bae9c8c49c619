package bson

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/generated/bsontype"
)

// opaque can be encoded only as text.
type opaque struct{ text string }

func (o opaque) MarshalText() ([]byte, error) { return []byte(o.text), nil }

func (o *opaque) UnmarshalText(text []byte) error { o.text = string(text); return nil }

// blob can be encoded only as binary data.
type blob struct{ data string }

func (b blob) MarshalBinary() ([]byte, error) { return []byte(b.data), nil }

func (b *blob) UnmarshalBinary(data []byte) error { b.data = string(data); return nil }

// level is an integer with methods for text.
type level int

func (l level) MarshalText() ([]byte, error) { return []byte(strings.Repeat("!", int(l))), nil }

func (l *level) UnmarshalText(text []byte) error { *l = level(len(text)); return nil }

// TestMarshalValues lists Go values and their encoding.
func TestMarshalValues(t *testing.T) {
	id := ObjectID{1}
	at := time.Date(2024, 5, 6, 7, 8, 9, 10_999_999, time.FixedZone("x", 3600))
	link, _ := url.Parse("https://example.com/a?b=c")
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	endless := new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)
	seven, wide := 7, int64(math.MaxInt32+1)
	var nilMap map[string]int
	tests := map[string]struct {
		in   any
		want any // a value of a type that documents consist of
	}{
		"int fits 32 bits":          {int(5), int32(5)},
		"int least 32 bits":         {int(math.MinInt32), int32(math.MinInt32)},
		"int needs 64 bits":         {int(wide), wide},
		"int8":                      {int8(-5), int32(-5)},
		"int16":                     {int16(-5), int32(-5)},
		"uint8":                     {uint8(255), int32(255)},
		"uint16":                    {uint16(65535), int32(65535)},
		"uint":                      {uint(5), int64(5)},
		"uint32":                    {uint32(math.MaxUint32), int64(math.MaxUint32)},
		"uint64":                    {uint64(5), int64(5)},
		"duration":                  {time.Second, int64(1e9)},
		"float32":                   {float32(0.5), 0.5},
		"named string":              {bsontypeName("x"), "x"},
		"time":                      {at, DateTime(at.UnixMilli())},
		"bytes":                     {[]byte{1}, Binary{0, []byte{1}}},
		"nil bytes":                 {[]byte(nil), nil},
		"byte array":                {[2]byte{1, 2}, Binary{0, []byte{1, 2}}},
		"slice":                     {[]string{"a", "b"}, A{"a", "b"}},
		"empty slice":               {[]string{}, A{}},
		"nil slice":                 {[]string(nil), nil},
		"nil D":                     {D(nil), nil},
		"array":                     {[2]bool{true, false}, A{true, false}},
		"slice of E":                {[]E{{"a", 1}}, D{{"a", int32(1)}}},
		"map":                       {map[string]uint8{"a": 1}, D{{"a", int32(1)}}},
		"nil map":                   {nilMap, nil},
		"map of ints":               {map[int]string{-1: "a"}, D{{"-1", "a"}}},
		"map of text":               {map[netip.Addr]bool{netip.MustParseAddr("::1"): true}, D{{"::1", true}}},
		"pointer":                   {&seven, int32(7)},
		"nil pointer":               {(*int)(nil), nil},
		"pointer to pointer":        {new(&seven), int32(7)},
		"struct":                    {struct{ A, B int }{1, 2}, D{{"a", int32(1)}, {"b", int32(2)}}},
		"struct of one pointer":     {struct{ P *int }{&seven}, D{{"p", int32(7)}}},
		"array of one pointer":      {[1]*int{&seven}, A{int32(7)}},
		"struct of one int":         {struct{ N int }{7}, D{{"n", int32(7)}}},
		"embedded struct":           {struct{ Inner }{Inner{3}}, D{{"inner", D{{"x", int32(3)}}}}},
		"URL":                       {*link, "https://example.com/a?b=c"},
		"pointer to URL":            {link, "https://example.com/a?b=c"},
		"json integer":              {json.Number("12"), int64(12)},
		"json fraction":             {json.Number("1.5"), 1.5},
		"big.Int":                   {big.NewInt(7), int64(7)},
		"big.Int above 64 bits":     {huge, mustDecimal(t, "123456789012345678901234567890")},
		"big.Int above 34 digits":   {endless, endless.String()},
		"big.Float":                 {big.NewFloat(1.5), "1.5"},
		"text of opaque struct":     {opaque{"x"}, "x"},
		"text of netip.Addr":        {netip.MustParseAddr("10.0.0.1"), "10.0.0.1"},
		"text of regexp.Regexp":     {regexp.MustCompile("a+"), "a+"},
		"bytes of opaque struct":    {blob{"x"}, Binary{0, []byte("x")}},
		"integer with text":         {level(3), int32(3)},
		"Binary":                    {Binary{0x80, []byte{9}}, Binary{0x80, []byte{9}}},
		"ObjectID":                  {id, id},
		"DateTime":                  {DateTime(5), DateTime(5)},
		"Timestamp":                 {Timestamp{1, 2}, Timestamp{1, 2}},
		"Decimal128":                {NewDecimal128(1, 2), NewDecimal128(1, 2)},
		"Regex":                     {Regex{"a", "xi"}, Regex{"a", "ix"}},
		"JavaScript":                {JavaScript("f"), JavaScript("f")},
		"Symbol":                    {Symbol("s"), Symbol("s")},
		"CodeWithScope":             {CodeWithScope{"f", M{"a": 1}}, CodeWithScope{"f", D{{"a", int32(1)}}}},
		"CodeWithScope, no scope":   {CodeWithScope{"f", nil}, CodeWithScope{"f", D{}}},
		"DBPointer":                 {DBPointer{"a.b", id}, DBPointer{"a.b", id}},
		"MinKey":                    {MinKey{}, MinKey{}},
		"MaxKey":                    {MaxKey{}, MaxKey{}},
		"Undefined":                 {Undefined{}, Undefined{}},
		"Null":                      {Null{}, nil},
		"Raw":                       {mustMarshal(t, Doc("a", 1)), D{{"a", int32(1)}}},
		"nil Raw":                   {Raw(nil), nil},
		"RawArray":                  {RawArray("\x05\x00\x00\x00\x00"), A{}},
		"RawValue":                  {RawValue{bsontype.Boolean, []byte{1}}, true},
		"zero RawValue":             {RawValue{}, nil},
		"interface with methods":    {struct{ E interface{ String() string } }{netip.MustParseAddr("::1")}, D{{"e", "::1"}}},
		"nil interface with method": {struct{ E error }{}, D{{"e", nil}}},
	}
	if strconv.IntSize == 32 {
		delete(tests, "int needs 64 bits")
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := mustMarshal(t, D{{"v", test.want}})
			for how, in := range map[string]any{"in D": D{{"v", test.in}}, "in M": M{"v": test.in}, "in a field": struct{ V any }{test.in}} {
				got, err := Marshal(in)
				if err != nil || string(got) != string(want) {
					t.Errorf("%s: got %v (%v), want %v", how, got, err, want)
				}
			}
			typ, value, err := AppendValue([]byte("before"), test.in)
			if w := want.Lookup("v"); err != nil || typ != w.Type || string(value) != "before"+string(w.Value) {
				t.Errorf("as a value: got %v %x (%v), want %v %x", typ, value, err, w.Type, w.Value)
			}
		})
	}
}

type bsontypeName string

type Inner struct{ X int }

func mustDecimal(t *testing.T, s string) Decimal128 {
	t.Helper()
	d, err := ParseDecimal128(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMarshalErrors(t *testing.T) {
	type cyclic *cyclic
	var loop cyclic
	loop = &loop
	var self any
	self = &self
	deep := D{}
	for range DefaultMaxDepth {
		deep = D{{"d", deep}}
	}
	tests := map[string]struct {
		in   any
		want string
	}{
		"nil":                     {nil, "bson: <nil> encodes to null, not to a document"},
		"nil pointer":             {(*Inner)(nil), "bson: *bson.Inner encodes to null, not to a document"},
		"string":                  {"x", "bson: string encodes to string, not to a document"},
		"array":                   {A{}, "bson: bson.A encodes to array, not to a document"},
		"channel":                 {D{{"a", make(chan int)}}, "bson: a: there is no BSON type for chan int: leave the field out, with the tag `bson:\"-\"`"},
		"function in a struct":    {struct{ F func() }{}, "bson: f: there is no BSON type for func(): leave the field out, with the tag `bson:\"-\"`"},
		"complex in a slice":      {D{{"a", []complex64{1}}}, "bson: a.0: there is no BSON type for complex64: leave the field out, with the tag `bson:\"-\"`"},
		"uint64 is too large":     {D{{"a", A{1, uint64(math.MaxUint64)}}}, "bson: a.1: 18446744073709551615 does not fit into 64 bits with a sign"},
		"zero byte in a key":      {D{{"a", D{{"b\x00", 1}}}}, "bson: a.b\x00: the text has a zero byte, which BSON cannot write here"},
		"zero byte in a long key": {M{"a long key\x00x": 1}, "bson: a long key\x00x: the text has a zero byte, which BSON cannot write here"},
		"key is not UTF-8":        {D{{"\xff", 1}}, "bson: \uFFFD: the string is not UTF-8"},
		"string is not UTF-8":     {struct{ S string }{"\xff"}, "bson: s: the string is not UTF-8"},
		"long string, not UTF-8":  {D{{"a", "12345678901\xff"}}, "bson: a: the string is not UTF-8"},
		"zero byte in a pattern":  {D{{"a", Regex{"\x00", ""}}}, "bson: a: the text has a zero byte, which BSON cannot write here"},
		"Raw with a wrong length": {D{{"a", Raw{6, 0, 0, 0, 0}}}, "bson: a: the document states a length of 6 bytes and has 5"},
		"RawValue with more":      {D{{"a", RawValue{bsontype.Boolean, []byte{1, 2}}}}, "bson: a: 1 bytes follow the bool"},
		"RawValue with less":      {D{{"a", RawValue{bsontype.Int32, []byte{1}}}}, "bson: a: the int is cut off or states a wrong length"},
		"scope is not a document": {D{{"a", CodeWithScope{"f", 1}}}, "bson: a: a scope must be a document, not int"},
		"json.Number is none":     {D{{"a", json.Number("x")}}, `bson: a: "x" is not a number`},
		"pointer to itself":       {D{{"a", loop}}, "bson: a: nested too deeply"},
		"any in itself":           {D{{"a", self}}, "bson: a: nested too deeply"},
		"too deep":                {deep, "nested too deeply"},
		"map key":                 {map[float64]int{1: 1}, "bson: float64 cannot become a key: the keys of a map are strings, integers, or types with MarshalText"},
		"Doc with odd arguments":  {Doc("a", 1, "b"), "bson: b: the last key of Doc has no value"},
		"Doc without key":         {Doc("a", 1, 2, 3), "argument 2 of Doc is a int, want a string key"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dst := []byte("before")
			out, err := MarshalAppend(dst, test.in)
			var e *EncodeError
			if !errors.As(err, &e) || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if string(out) != "before" {
				t.Errorf("the buffer became %q", out)
			}
		})
	}
}

func TestAppendValueElement(t *testing.T) {
	got, err := AppendValueElement([]byte("x"), "key", []int{1}, nil)
	want := append([]byte("x"), mustMarshal(t, Doc("key", A{1}))[4:]...)
	if err != nil || string(got)+"\x00" != string(want) {
		t.Errorf("got %x (%v), want %x", got, err, want)
	}
	if _, err := AppendValueElement(nil, "key", func() {}); err == nil || !strings.HasPrefix(err.Error(), "bson: key: ") {
		t.Errorf("error %v does not name the key", err)
	}
}
