package bson

import (
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// nestDocuments returns a document of the given number of levels, whose keys are key.
func nestDocuments(levels int, key string) Raw {
	doc := Raw{5, 0, 0, 0, 0}
	for range levels - 1 {
		dst, start := AppendDocumentStart(nil)
		doc = AppendDocumentEnd(AppendDocumentElement(dst, key, doc), start)
	}
	return doc
}

func TestErrorsOfDeepDocumentsAreShort(t *testing.T) {
	loop := M{}
	loop["loop"] = loop
	var d D
	var m M
	var v any
	type list struct{ Next *list }
	_, marshalErr := Marshal(loop)
	_, jsonErr := D{{"a", loop}}.MarshalJSON()
	_, extErr := ExtJSONToRaw([]byte(strings.Repeat(`{"a":`, 2000)), false)
	_, writeErr := AppendExtJSON(nil, nestDocuments(1100, "level"), true)
	for name, err := range map[string]error{
		"encoding":              marshalErr,
		"JSON":                  jsonErr,
		"reading extended JSON": extErr,
		"writing extended JSON": writeErr,
		"D":                     Unmarshal(nestDocuments(1100, "level"), &d),
		"M":                     Unmarshal(nestDocuments(1100, "level"), &m),
		"any":                   Unmarshal(nestDocuments(1100, "level"), &v),
		"struct":                Unmarshal(nestDocuments(1100, "next"), new(list)),
		"validate":              nestDocuments(1100, "level").Validate(),
		"long keys":             Unmarshal(nestDocuments(1100, strings.Repeat("é", 200)), &d),
	} {
		if !errors.Is(err, ErrMaxDepth) || len(err.Error()) >= 200 {
			t.Errorf("%s: %d characters: %v", name, len(errorText(err)), err)
		}
	}
	var path *DecodeError
	if err := Unmarshal(nestDocuments(1100, "level"), &d); !errors.As(err, &path) || strings.Count(path.Path, "level") != DefaultMaxDepth {
		t.Errorf("the path is not whole")
	}
}

// TestErrorsNameThePackageOnce wraps an error that already begins with the package's name, such as ObjectIDFromHex's.
func TestErrorsNameThePackageOnce(t *testing.T) {
	var target struct {
		ID ObjectID `bson:"id"`
		U  UUID     `bson:"u"`
	}
	_, cause := ObjectIDFromHex("x")
	for name, err := range map[string]error{
		"ObjectID":         Unmarshal(mustMarshal(t, Doc("id", "x")), &target),
		"UUID":             Unmarshal(mustMarshal(t, Doc("u", "x")), &target),
		"decoding":         &DecodeError{Path: "a", Offset: -1, Err: cause},
		"encoding":         &EncodeError{Err: cause},
		"encoding a field": &EncodeError{Path: "a", Err: cause},
	} {
		if text := errorText(err); strings.Count(text, "bson: ") != 1 || !strings.HasPrefix(text, "bson: ") {
			t.Errorf("%s: got %q, want one prefix %q", name, text, "bson: ")
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Each level adds its key to the path of an error. Building the path must not cost more than the document.
func TestLongKeysInErrorsAreCheap(t *testing.T) {
	doc := nestDocuments(300, strings.Repeat("k", 4_000))
	doc[len(doc)/2] = 0xFF // in a key
	var before, after runtime.MemStats
	var d D
	runtime.ReadMemStats(&before)
	err := Unmarshal(doc, &d)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("the document decodes")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 20*uint64(len(doc)) {
		t.Errorf("an error about %d bytes took %d", len(doc), n)
	}
}

func TestUnknownTagOptionsAreRefused(t *testing.T) {
	tests := map[string]struct {
		value any
		json  bool
		want  string
	}{
		"misspelled": {struct {
			A int `bson:"a,omitemtpy"`
		}{}, false, `the tag of field A has the unknown option "omitemtpy"`},
		"of a tag that is all ours": {reflect.Zero(reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: "a,inlin"},
		})).Interface(), false, `unknown option "inlin"`},
		"of encoding/json": {struct {
			A int `json:"a,string"`
		}{}, true, ""},
		"empty": {struct {
			A int `bson:"a,"`
		}{}, false, ""},
	}
	for name, tt := range tests {
		_, err := Marshal(tt.value, &MarshalOptions{UseJSONStructTags: tt.json})
		if tt.want == "" && err != nil || !strings.Contains(errorText(err), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
