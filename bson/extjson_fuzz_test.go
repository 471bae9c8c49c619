package bson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzExtJSONWrite writes documents and reads the text back.
func FuzzExtJSONWrite(f *testing.F) {
	for _, tt := range extJSONTypes {
		f.Add([]byte(tt.value))
	}
	for _, tt := range extJSONTypes {
		if doc, err := ExtJSONToRaw([]byte(`{"v":[`+tt.canonical+`],"w":{"x":`+tt.canonical+`}}`), true); err == nil {
			f.Add([]byte(doc))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc := Raw(data)
		valid := doc.Validate() == nil
		for _, canonical := range []bool{true, false} {
			out, err := AppendExtJSON(nil, doc, canonical)
			if valid && err != nil { // not the reverse: writing does not look at the keys of arrays
				t.Fatalf("the document is valid, but writing says %v", err)
			}
			if err != nil {
				continue
			}
			if !json.Valid(out) {
				t.Fatalf("%x is written as %s, which is not JSON", data, out)
			}
			again, err := ExtJSONToRaw(out, canonical)
			if err != nil {
				continue // the keys look like a wrapper
			}
			second, err := AppendExtJSON(nil, again, canonical)
			if err != nil {
				t.Fatalf("%s becomes %x: %v", out, again, err)
			}
			third, err := ExtJSONToRaw(second, canonical)
			if err != nil || !bytes.Equal(third, again) {
				t.Fatalf("%s becomes %s: %v", out, second, err)
			}
		}
	})
}

// FuzzExtJSONParse parses any text. Text that it accepts must be JSON and make a valid document.
func FuzzExtJSONParse(f *testing.F) {
	for _, tt := range extJSONTypes {
		f.Add(`{"v":` + tt.canonical + `}`)
		f.Add(`{"v":[` + tt.relaxed + `]}`)
	}
	f.Add(`{"a":{"$binary":"AQI=","$type":"80"},"b":{"$regex":"b","$options":"xi"},"c":{"$date":0}}`)
	f.Add(`{"\u0061":"\ud83d\ude00\n","b":[1,-2.5e3,{"$scope":{},"$code":""}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		relaxed, err := ExtJSONToRaw([]byte(text), false)
		strict, strictErr := ExtJSONToRaw([]byte(text), true)
		legacy, legacyErr := LegacyExtJSONToRaw([]byte(text))
		for _, doc := range []Raw{relaxed, strict, legacy} {
			if doc != nil && doc.Validate() != nil {
				t.Fatalf("%q becomes %x: %v", text, doc, doc.Validate())
			}
		}
		if err == nil && !json.Valid([]byte(text)) {
			t.Fatalf("%q is accepted and is not JSON", text)
		}
		if strictErr == nil && (err != nil || !bytes.Equal(strict, relaxed)) {
			t.Fatalf("%q is canonical, but otherwise %x, %v", text, relaxed, err)
		}
		if err == nil && legacyErr != nil {
			t.Fatalf("%q is not accepted with the legacy formats: %v", text, legacyErr)
		}
		if indented, e := IndentExtJSON(nil, []byte(text), "", " "); err == nil {
			again, err := ExtJSONToRaw(indented, false)
			if e != nil || err != nil || !bytes.Equal(again, relaxed) {
				t.Fatalf("%q is indented as %q: %v, %v", text, indented, e, err)
			}
		}
	})
}
