package bson

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/internal/wire"
	"github.com/specdrivers/onion/generated/bsontype"
)

// mustMarshal encodes documents that are valid by construction.
func mustMarshal(t testing.TB, v any) Raw {
	t.Helper()
	raw, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestRawWalksInOrder(t *testing.T) {
	raw := mustMarshal(t, Doc("a", 1, "", "x", "a", nil))
	var keys []string
	var types []Type
	for key, v := range raw.All() {
		keys = append(keys, key)
		types = append(types, v.Type)
	}
	if want := []string{"a", "", "a"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if want := []Type{bsontype.Int32, bsontype.String, bsontype.Null}; !slices.Equal(types, want) {
		t.Errorf("types %v, want %v", types, want)
	}
	if n := raw.Len(); n != 3 {
		t.Errorf("length %d, want 3", n)
	}
	if e, ok := raw.Index(1); !ok || e.Key != "" || !e.Value.Equal(RawValue{bsontype.String, []byte("\x02\x00\x00\x00x\x00")}) {
		t.Errorf("element 1 is %v, %v", e, ok)
	}
	if e, ok := raw.Index(3); ok {
		t.Errorf("there is an element 3: %v", e)
	}
}

func TestRawWalkStopsWhenAsked(t *testing.T) {
	raw := mustMarshal(t, Doc("a", 1, "b", 2))
	n := 0
	for range raw.All() {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d elements after break, want 1", n)
	}
}

func TestRawLookup(t *testing.T) {
	raw := mustMarshal(t, Doc("a", Doc("b", A{"x", Doc("c", 7)}), "a", 2, "s", "text"))
	tests := map[string]struct {
		path []string
		want any
	}{
		"nothing":             {nil, raw},
		"first of duplicates": {[]string{"a", "b", "0"}, "x"},
		"through an array":    {[]string{"a", "b", "1", "c"}, int32(7)},
		"missing":             {[]string{"z"}, nil},
		"missing below":       {[]string{"a", "z", "c"}, nil},
		"index out of range":  {[]string{"a", "b", "2"}, nil},
		"below a string":      {[]string{"s", "x"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := raw.Lookup(test.path...)
			again, err := raw.LookupErr(test.path...)
			if test.want == nil {
				if !got.IsZero() || !again.IsZero() || !errors.Is(err, ErrNotFound) {
					t.Fatalf("got %v, %v, error %v; want nothing", got, again, err)
				}
				if path := strings.Join(test.path, "."); !strings.HasPrefix(path, err.(*DecodeError).Path) {
					t.Errorf("the error %q is not about the path %s", err, path)
				}
				return
			}
			typ, data, e := AppendValue(nil, test.want)
			if want := (RawValue{typ, data}); e != nil || err != nil || !got.Equal(want) || !again.Equal(want) {
				t.Errorf("got %v, %v (%v), want %v (%v)", got, again, err, want, e)
			}
		})
	}
}

func TestRawLookupErrTellsMalformedFromMissing(t *testing.T) {
	raw := mustMarshal(t, Doc("a", Doc("b", "text")))
	raw[len(raw)-8] = 0x55 // the first letter of "text"
	raw[11] = 0x77         // the type byte of b
	if _, err := raw.LookupErr("a", "b"); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("error %v, want one about malformed BSON", err)
	}
}

func TestValidate(t *testing.T) {
	doc := func(elements string) string {
		dst, start := AppendDocumentStart(nil)
		return string(AppendDocumentEnd(append(dst, elements...), start))
	}
	tests := map[string]struct {
		in     string
		want   string // part of the error
		path   string
		offset int
	}{
		"empty document":         {in: "\x05\x00\x00\x00\x00"},
		"nothing":                {in: "", want: "too short"},
		"four bytes":             {in: "\x05\x00\x00\x00", want: "too short"},
		"length too long":        {in: "\x06\x00\x00\x00\x00", want: "states a length of 6 bytes and has 5"},
		"length too short":       {in: "\x05\x00\x00\x00\x00\x00", want: "states a length of 5 bytes and has 6"},
		"negative length":        {in: "\xff\xff\xff\xff\x00", want: "states a length of -1"},
		"no zero at the end":     {in: "\x05\x00\x00\x00\x01", want: "zero byte"},
		"key without end":        {in: doc("\x0akey"), want: "key has no end", offset: 4},
		"unknown type":           {in: doc("\x20a\x00"), want: "unknown type 0x20", path: "a", offset: 7},
		"zero type":              {in: doc("\x00a\x00"), want: "unknown type 0x00", path: "a", offset: 7},
		"key is not UTF-8":       {in: doc("\x0a\xff\x00"), want: "key is not UTF-8", path: "\uFFFD", offset: 5},
		"text is not UTF-8":      {in: doc("\x02a\x00\x02\x00\x00\x00\xff\x00"), want: "text is not UTF-8", path: "a", offset: 7},
		"surrogate in text":      {in: doc("\x02a\x00\x04\x00\x00\x00\xed\xa0\x80\x00"), want: "not UTF-8", path: "a", offset: 7},
		"string of length 0":     {in: doc("\x02a\x00\x00\x00\x00\x00\x00"), want: "string is cut off", path: "a", offset: 7},
		"string without zero":    {in: doc("\x02a\x00\x01\x00\x00\x00x"), want: "string is cut off", path: "a", offset: 7},
		"string is too long":     {in: doc("\x02a\x00\x09\x00\x00\x00x\x00"), want: "string is cut off", path: "a", offset: 7},
		"bool is 2":              {in: doc("\x08a\x00\x02"), want: "neither 0 nor 1", path: "a", offset: 7},
		"double cut off":         {in: doc("\x01a\x00\x01\x02"), want: "double is cut off", path: "a", offset: 7},
		"binary cut off":         {in: doc("\x05a\x00\x09\x00\x00\x00\x00x"), want: "binData is cut off", path: "a", offset: 7},
		"negative binary":        {in: doc("\x05a\x00\xff\xff\xff\xff\x00x"), want: "binData is cut off", path: "a", offset: 7},
		"old binary is longer":   {in: doc("\x05a\x00\x05\x00\x00\x00\x02\x02\x00\x00\x00x"), want: "inner length", path: "a", offset: 7},
		"regex without end":      {in: doc("\x0ba\x00x\x00y"), want: "regex is cut off", path: "a", offset: 7},
		"pattern is not UTF-8":   {in: doc("\x0ba\x00\xff\x00\x00"), want: "not UTF-8", path: "a", offset: 7},
		"pointer cut off":        {in: doc("\x0ca\x00\x01\x00\x00\x00\x00123"), want: "dbPointer is cut off", path: "a", offset: 7},
		"scope states too much":  {in: doc("\x0fa\x00\x0e\x00\x00\x00\x01\x00\x00\x00\x00\x06\x00\x00\x00\x00"), want: "states a length", path: "a", offset: 7},
		"code states too much":   {in: doc("\x0fa\x00\x0e\x00\x00\x00\xff\x00\x00\x00\x00\x05\x00\x00\x00\x00"), want: "code", path: "a", offset: 7},
		"document in a document": {in: doc("\x03a\x00\x06\x00\x00\x00\x00\x00"), want: "key has no end", path: "a", offset: 11},
		"error in an array":      {in: doc("\x04a\x00" + doc("\x0a0\x00\x081\x00\x03")), want: "neither 0 nor 1", path: "a.1", offset: 17},
		"array keys are free":    {in: doc("\x04a\x00" + doc("\x0a\x00\x0a5\x00\x0a\xff\x00"))},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := Raw(test.in).Validate()
			if test.want == "" {
				if err != nil {
					t.Errorf("error %v", err)
				}
				return
			}
			var e *DecodeError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), test.want) || e.Path != test.path {
				t.Fatalf("error %v, want %q at %q", err, test.want, test.path)
			}
			if !errors.Is(err, wire.ErrMalformed) {
				t.Errorf("%v does not match ErrMalformed", err)
			}
			if test.offset != 0 && e.Offset != test.offset {
				t.Errorf("%v: offset %d, want %d", err, e.Offset, test.offset)
			}
		})
	}
}
