package main

import (
	"testing"

	"github.com/specdrivers/onion/bson"
)

// texts are extended JSON of every type, the seeds of the fuzz targets.
var texts = []string{
	`{"a":{"$numberDouble":"1.5"},"b":{"$numberDouble":"Infinity"},"c":1.0,"d":-0.0}`,
	`{"a":"text","b":"é☆😀\n\u0000","":"x"}`,
	`{"a":{"b":{"c":[1,[2,{"d":null}]]}},"e":[],"f":{}}`,
	`{"a":{"$binary":{"base64":"AQIDBA==","subType":"80"}},"b":{"$binary":{"base64":"","subType":"02"}}}`,
	`{"a":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"},"b":{"$undefined":true}}`,
	`{"a":{"$oid":"57e193d7a9cc81b4027498b5"},"b":true,"c":false,"d":null}`,
	`{"a":{"$date":{"$numberLong":"1356351330549"}},"b":{"$date":"2012-12-24T12:15:30.549Z"}}`,
	`{"a":{"$regularExpression":{"pattern":"^a","options":"ix"}}}`,
	`{"a":{"$dbPointer":{"$ref":"b","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}}`,
	`{"a":{"$code":"x"},"b":{"$code":"x","$scope":{"c":1}},"d":{"$symbol":"s"}}`,
	`{"a":{"$numberInt":"1"},"b":{"$numberLong":"-9223372036854775808"},"c":2147483648}`,
	`{"a":{"$timestamp":{"t":4294967295,"i":1}},"b":{"$minKey":1},"c":{"$maxKey":1}}`,
	`{"a":{"$numberDecimal":"-1.50E+10"},"b":{"$ref":"c","$id":1,"$db":"d"}}`,
}

func FuzzDocument(f *testing.F) {
	for _, text := range texts {
		doc, err := bson.ExtJSONToRaw([]byte(text), false)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if err := compareDocument(doc); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := compareText(text); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecimal128(f *testing.F) {
	for _, text := range []string{"0", "-1.50", "1E+6144", "1E-6176", "10E-6177", "Infinity", "-inf", "NaN", "1e", ".5", "1.", "00.0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 100 { // the official driver takes long on these
			return
		}
		if err := compareDecimal(text); err != nil {
			t.Fatal(err)
		}
	})
}

func TestEveryDifferenceHasAReason(t *testing.T) {
	steps := map[string]bool{"decoding": true, "encoding": true, "writing canonical": true, "writing relaxed": true, "reading": true, "Decimal128": true}
	for _, d := range differences {
		if d.name == "" || d.reason == "" || !steps[d.what] || d.applies == nil {
			t.Errorf("difference %q of step %q is not complete", d.name, d.what)
		}
	}
}
