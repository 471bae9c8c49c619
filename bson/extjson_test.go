package bson

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// extJSONTypes has every BSON type once, with all the formats it has.
var extJSONTypes = []struct {
	name      string
	value     string // the element's type and value in hexadecimal digits
	canonical string
	relaxed   string // empty: the same
}{
	{"double", "01 0000000000000440", `{"$numberDouble":"2.5"}`, `2.5`},
	{"integral double", "01 0000000000001440", `{"$numberDouble":"5.0"}`, `5.0`},
	{"large double", "01 00a138149b39df43", `{"$numberDouble":"9E+18"}`, `9E+18`},
	{"small double", "01 fca9f1d24d62503f", `{"$numberDouble":"0.001"}`, `0.001`},
	{"negative zero", "01 0000000000000080", `{"$numberDouble":"-0.0"}`, `-0.0`},
	{"infinity", "01 000000000000f07f", `{"$numberDouble":"Infinity"}`, ``},
	{"negative infinity", "01 000000000000f0ff", `{"$numberDouble":"-Infinity"}`, ``},
	{"not a number", "01 010000000000f87f", `{"$numberDouble":"NaN"}`, ``},
	{"string", "02 04000000 c3a922 00", `"é\""`, ``},
	{"string with a zero byte", "02 04000000 610062 00", `"a\u0000b"`, ``},
	{"document", "03 0c000000 10 6100 01000000 00", `{"a":{"$numberInt":"1"}}`, `{"a":1}`},
	{"empty document", "03 05000000 00", `{}`, ``},
	{"array", "04 0f000000 0a 3000 0a 3100 08 3200 01 00", `[null,null,true]`, ``},
	{"empty array", "04 05000000 00", `[]`, ``},
	{"binary", "05 03000000 80 010203", `{"$binary":{"base64":"AQID","subType":"80"}}`, ``},
	{"binary subtype 2", "05 06000000 02 02000000 0102", `{"$binary":{"base64":"AQI=","subType":"02"}}`, ``},
	{"undefined", "06", `{"$undefined":true}`, ``},
	{"ObjectID", "07 57e193d7a9cc81b4027498b5", `{"$oid":"57e193d7a9cc81b4027498b5"}`, ``},
	{"false", "08 00", `false`, ``},
	{"date", "09 f5d8d6cc3b010000", `{"$date":{"$numberLong":"1356351330549"}}`, `{"$date":"2012-12-24T12:15:30.549Z"}`},
	{"date without milliseconds", "09 d0d6d6cc3b010000", `{"$date":{"$numberLong":"1356351330000"}}`, `{"$date":"2012-12-24T12:15:30Z"}`},
	{"leap day", "09 00e0a69add000000", `{"$date":{"$numberLong":"951782400000"}}`, `{"$date":"2000-02-29T00:00:00Z"}`},
	{"first date", "09 0000000000000000", `{"$date":{"$numberLong":"0"}}`, `{"$date":"1970-01-01T00:00:00Z"}`},
	{"last date", "09 ffdb1fd277e60000", `{"$date":{"$numberLong":"253402300799999"}}`, `{"$date":"9999-12-31T23:59:59.999Z"}`},
	{"date after 9999", "09 00dc1fd277e60000", `{"$date":{"$numberLong":"253402300800000"}}`, ``},
	{"date before 1970", "09 ffffffffffffffff", `{"$date":{"$numberLong":"-1"}}`, ``},
	{"null", "0a", `null`, ``},
	{"regular expression", "0b 5e2200 697800", `{"$regularExpression":{"pattern":"^\"","options":"ix"}}`, ``},
	{"DBPointer", "0c 02000000 6200 57e193d7a9cc81b4027498b5", `{"$dbPointer":{"$ref":"b","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}`, ``},
	{"JavaScript", "0d 02000000 7800", `{"$code":"x"}`, ``},
	{"symbol", "0e 02000000 7800", `{"$symbol":"x"}`, ``},
	{"JavaScript with scope", "0f 16000000 02000000 7800 0c000000 10 6100 01000000 00",
		`{"$code":"x","$scope":{"a":{"$numberInt":"1"}}}`, `{"$code":"x","$scope":{"a":1}}`},
	{"int32", "10 ffffffff", `{"$numberInt":"-1"}`, `-1`},
	{"timestamp", "11 02000000 ffffffff", `{"$timestamp":{"t":4294967295,"i":2}}`, ``},
	{"int64", "12 0000000001000000", `{"$numberLong":"4294967296"}`, `4294967296`},
	{"Decimal128", "13 96000000000000000000000000003cb0", `{"$numberDecimal":"-1.50"}`, ``},
	{"minKey", "ff", `{"$minKey":1}`, ``},
	{"maxKey", "7f", `{"$maxKey":1}`, ``},
}

// element returns the document {v: value} for hexadecimal digits of extJSONTypes.
func element(t *testing.T, digits string) Raw {
	t.Helper()
	v, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	doc, start := AppendDocumentStart(nil)
	return AppendDocumentEnd(append(AppendHeader(doc, Type(v[0]), "v"), v[1:]...), start)
}

func TestExtJSONTypes(t *testing.T) {
	for _, tt := range extJSONTypes {
		t.Run(tt.name, func(t *testing.T) {
			doc := element(t, tt.value)
			relaxed := tt.relaxed
			if relaxed == "" {
				relaxed = tt.canonical
			}
			for _, f := range []struct {
				canonical bool
				text      string
			}{{true, tt.canonical}, {false, relaxed}} {
				want := `{"v":` + f.text + `}`
				got, err := AppendExtJSON([]byte("# "), doc, f.canonical)
				if err != nil || string(got) != "# "+want {
					t.Errorf("canonical %t: wrote %s, %v, want %s", f.canonical, got, err, want)
				}
				parsed, err := ExtJSONToRaw([]byte(want), f.canonical)
				if err != nil {
					t.Errorf("canonical %t: parsing %s: %v", f.canonical, want, err)
				} else if tt.name != "not a number" && !bytes.Equal(parsed, doc) {
					t.Errorf("canonical %t: %s parses as %x, want %x", f.canonical, want, parsed, doc)
				}
				legacy, err := LegacyExtJSONToRaw([]byte(want))
				if err != nil || !bytes.Equal(legacy, parsed) {
					t.Errorf("%s parses as %x in the legacy formats, %v", want, legacy, err)
				}
			}
		})
	}
}

func TestExtJSONParserAccepts(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"white space", " \n{\t\"a\" :\r[ 1 , { } ] } ", `{"a":[1,{}]}`},
		{"escapes", `{"\u0061\/":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, `{"a/":"\"\\/\b\f\n\r\té😀"}`},
		{"duplicate keys", `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"smallest integers", `{"a":[2147483647,2147483648,-2147483648,-2147483649]}`,
			`{"a":[2147483647,2147483648,-2147483648,-2147483649]}`},
		{"largest integers", `{"a":[9223372036854775807,-9223372036854775808]}`, `{"a":[9223372036854775807,-9223372036854775808]}`},
		{"integers too large", `{"a":[9223372036854775808,1000000000000000000000]}`, `{"a":[9.223372036854776E+18,1E+21]}`},
		{"exponents", `{"a":[1e2,1E+2,1.5e-1,-0]}`, `{"a":[100.0,100.0,0.15,0]}`},
		{"keys reversed: binary", `{"a":{"$binary":{"subType":"2","base64":"AQI="}}}`, `{"a":{"$binary":{"base64":"AQI=","subType":"02"}}}`},
		{"keys reversed: regular expression", `{"a":{"$regularExpression":{"options":"xi","pattern":"p"}}}`,
			`{"a":{"$regularExpression":{"pattern":"p","options":"ix"}}}`},
		{"keys reversed: timestamp", `{"a":{"$timestamp":{"i":1,"t":2}}}`, `{"a":{"$timestamp":{"t":2,"i":1}}}`},
		{"keys reversed: scope", `{"a":{"$scope":{"b":1},"$code":"c"}}`, `{"a":{"$code":"c","$scope":{"b":1}}}`},
		{"keys reversed: DBPointer", `{"a":{"$dbPointer":{"$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$ref":"b"}}}`,
			`{"a":{"$dbPointer":{"$ref":"b","$id":{"$oid":"57e193d7a9cc81b4027498b5"}}}}`},
		{"escaped key of a wrapper", `{"a":{"\u0024numberInt":"1"}}`, `{"a":1}`},
		{"upper-case digits", `{"a":{"$oid":"57E193D7A9CC81B4027498B5"},"b":{"$binary":{"base64":"","subType":"fF"}}}`,
			`{"a":{"$oid":"57e193d7a9cc81b4027498b5"},"b":{"$binary":{"base64":"","subType":"ff"}}}`},
		{"UUID", `{"a":{"$uuid":"00112233-4455-6677-8899-AABBCCDDEEFF"}}`,
			`{"a":{"$binary":{"base64":"ABEiM0RVZneImaq7zN3u/w==","subType":"04"}}}`},
		{"mixed formats", `{"a":{"$numberInt":"1"},"b":1}`, `{"a":1,"b":1}`},
		{"dates with an offset", `{"a":[{"$date":"2012-12-24T13:15:30.5+01:00"},{"$date":"2012-12-24t07:45:30.501999-0430"}]}`,
			`{"a":[{"$date":"2012-12-24T12:15:30.500Z"},{"$date":"2012-12-24T12:15:30.501Z"}]}`},
		{"date before 1970 as text", `{"a":{"$date":"1969-12-31T23:59:59.999Z"}}`, `{"a":{"$date":{"$numberLong":"-1"}}}`},
		{"double with an exponent", `{"a":{"$numberDouble":"1e2"}}`, `{"a":100.0}`},
		{"wrapper at the top is a document", `{"$oid":"x"}`, `{"$oid":"x"}`},
		{"wrapper at the top with other keys", `{"$numberInt":1,"b":{"$numberInt":"1"}}`, `{"$numberInt":1,"b":1}`},
		{"unknown $-keys", `{"a":{"$gt":1,"$foo":{"$bar":2},"$":3}}`, `{"a":{"$gt":1,"$foo":{"$bar":2},"$":3}}`},
		{"$type operator", `{"a":{"$type":2},"b":{"$type":"string"}}`, `{"a":{"$type":2},"b":{"$type":"string"}}`},
		{"$regex operator of text", `{"a":{"$regex":"b","$options":"i"}}`, `{"a":{"$regex":"b","$options":"i"}}`},
		{"$regex operator of a regular expression", `{"a":{"$regex":{"$regularExpression":{"pattern":"b","options":""}},"$options":"i"}}`,
			`{"a":{"$regex":{"$regularExpression":{"pattern":"b","options":""}},"$options":"i"}}`},
		{"DBRef", `{"a":{"$ref":"b","$id":1,"$db":"c","d":2}}`, `{"a":{"$ref":"b","$id":1,"$db":"c","d":2}}`},
		{"what resembles a DBRef", `{"a":{"$ref":1},"b":{"$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$ref":"c"}}`,
			`{"a":{"$ref":1},"b":{"$id":{"$oid":"57e193d7a9cc81b4027498b5"},"$ref":"c"}}`},
		{"200 levels", strings.Repeat(`{"a":`, 200) + `{"$numberInt":"1"}` + strings.Repeat("}", 200),
			strings.Repeat(`{"a":`, 200) + `1` + strings.Repeat("}", 200)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := ExtJSONToRaw([]byte(tt.text), false)
			if err != nil {
				t.Fatal(err)
			}
			if err := doc.Validate(); err != nil {
				t.Fatalf("%x: %v", doc, err)
			}
			got, err := AppendExtJSON(nil, doc, false)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestExtJSONParserRejects(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", ``, `expected a value, found the end of the text (at byte 0)`},
		{"white space only", " \n", `found the end of the text (at byte 2)`},
		{"not an object", `[1]`, `expected an object, found array`},
		{"open object", `{"a":1`, `expected a comma or }, found the end of the text (at byte 6)`},
		{"open array", `{"a":[1`, `a.0: expected a comma or ]`},
		{"open string", `{"a":"x`, `a: expected a quote`},
		{"open escape", `{"a":"x\`, `a: expected an escape sequence`},
		{"comma at the end", `{"a":1,}`, `expected a key in double quotes, found '}' (at byte 7)`},
		{"comma at the end of an array", `{"a":[1,]}`, `a.1: expected a value, found ']'`},
		{"no colon", `{"a" 1}`, `a: expected a colon, found '1'`},
		{"key without quotes", `{a:1}`, `expected a key in double quotes, found 'a' (at byte 1)`},
		{"more text", `{} x`, `more text follows the value (at byte 3)`},
		{"zero byte behind", "{}\x00", `expected the end, found '\x00'`},
		{"misspelled literal", `{"a":nul}`, `a: expected null (at byte 5)`},
		{"leading zero", `{"a":01}`, `a: expected a digit`},
		{"no digits", `{"a":-}`, `a: expected a digit, found '}'`},
		{"no fraction", `{"a":1.}`, `a: expected a digit`},
		{"no exponent", `{"a":1e}`, `a: expected a digit`},
		{"plus sign", `{"a":+1}`, `a: expected a value, found '+'`},
		{"number out of range", `{"a":1e400}`, `out of the range of a double`},
		{"unknown escape", `{"a":"\x"}`, `unknown escape sequence`},
		{"short unicode escape", `{"a":"\u00g0"}`, `four hexadecimal digits`},
		{"lone surrogate", `{"a":"\ud800x"}`, `half of a surrogate pair`},
		{"reversed surrogates", `{"a":"\ude00\ud83d"}`, `half of a surrogate pair`},
		{"control character", "{\"a\":\"\n\"}", `control character`},
		{"not UTF-8", "{\"a\":\"\xff\"}", `not UTF-8`},
		{"not UTF-8 next to an escape", "{\"a\":\"\xff\\n\"}", `not UTF-8`},
		{"key not UTF-8", "{\"\xff\":1}", `not UTF-8`},
		{"zero byte in a key", `{"a\u0000b":1}`, `U+0000`},
		{"zero byte in an embedded key", `{"a":{"\u0000":1}}`, `U+0000`},
		{"zero byte in a pattern", `{"a":{"$regularExpression":{"pattern":"b\u0000","options":"i"}}}`, `a.pattern: a key or regular`},
		{"zero byte in options", `{"a":{"$regularExpression":{"pattern":"b","options":"i\u0000"}}}`, `a.options: a key or regular`},
		{"extra key", `{"a":{"$oid":"57e193d7a9cc81b4027498b5","b":1}}`, `a: a type wrapper has no other keys (at byte 39)`},
		{"extra key in front", `{"a":{"b":1,"$oid":"57e193d7a9cc81b4027498b5"}}`, `a: an object with the key $oid has no other keys (at byte 12)`},
		{"extra key next to code", `{"a":{"$code":"b","c":1}}`, `expected the key $scope, found "c"`},
		{"extra key next to scope", `{"a":{"$code":"b","$scope":{},"c":1}}`, `no other keys`},
		{"scope alone", `{"a":{"$scope":{}}}`, `expected a comma and $code`},
		{"scope not a document", `{"a":{"$code":"b","$scope":1}}`, `expected the document of $scope`},
		{"scope that is a wrapper", `{"a":{"$code":"b","$scope":{"$oid":"57e193d7a9cc81b4027498b5"}}}`, `$scope`},
		{"short ObjectID", `{"a":{"$oid":"57e193"}}`, `a: "57e193" is not an ObjectID of 24 hexadecimal digits (at byte 13)`},
		{"ObjectID not a string", `{"a":{"$oid":1}}`, `a: expected a string, found '1'`},
		{"int32 not a string", `{"a":{"$numberInt":1}}`, `expected a string`},
		{"int32 out of range", `{"a":{"$numberInt":"2147483648"}}`, `is not a 32-bit integer`},
		{"int32 with a fraction", `{"a":{"$numberInt":"1.0"}}`, `is not a 32-bit integer`},
		{"int32 empty", `{"a":{"$numberInt":""}}`, `is not a 32-bit integer`},
		{"int64 out of range", `{"a":{"$numberLong":"9223372036854775808"}}`, `is not a 64-bit integer`},
		{"double not a number", `{"a":{"$numberDouble":"inf"}}`, `is not a double`},
		{"double in hexadecimal digits", `{"a":{"$numberDouble":"0x1p2"}}`, `is not a double`},
		{"Decimal128 not a number", `{"a":{"$numberDecimal":"x"}}`, `is not a numeric string of Decimal128`},
		{"Decimal128 inexact", `{"a":{"$numberDecimal":"1E-6177"}}`, `underflows Decimal128`},
		{"UUID without hyphens", `{"a":{"$uuid":"00112233445566778899aabbccddeeff"}}`, `is not a UUID`},
		{"UUID with a prefix", `{"a":{"$uuid":"urn:uuid:00112233-4455-6677-8899-aabbccddeeff"}}`, `is not a UUID`},
		{"UUID with braces", `{"a":{"$uuid":"{00112233-4455-6677-8899-aabbccddeeff}"}}`, `is not a UUID`},
		{"UUID with misplaced hyphens", `{"a":{"$uuid":"001122334455-6677-8899-AABB-CCDDEEFF"}}`, `is not a UUID`},
		{"binary without subtype", `{"a":{"$binary":{"base64":"AQI="}}}`, `expected a comma and the keys base64 and subType`},
		{"binary with a key twice", `{"a":{"$binary":{"base64":"AQI=","base64":"AQI="}}}`, `expected the keys base64 and subType`},
		{"binary with an extra key", `{"a":{"$binary":{"base64":"AQI=","subType":"00","c":1}}}`, `no other keys`},
		{"binary without padding", `{"a":{"$binary":{"base64":"AQI","subType":"00"}}}`, `a.base64: not padded base64`},
		{"binary with a long subtype", `{"a":{"$binary":{"base64":"AQI=","subType":"001"}}}`, `a.subType: "001" is not a subtype`},
		{"binary with a number as subtype", `{"a":{"$binary":{"base64":"AQI=","subType":0}}}`, `a.subType: expected a string`},
		{"legacy binary", `{"a":{"$binary":"AQI=","$type":"00"}}`, `expected an object`},
		{"legacy date", `{"a":{"$date":0}}`, `a: expected {"$numberLong": "..."} or a string`},
		{"date of another type", `{"a":{"$date":{"$numberInt":"0"}}}`, `expected {"$numberLong"`},
		{"date of a day that does not exist", `{"a":{"$date":"2011-02-29T00:00:00Z"}}`, `is not a date`},
		{"date of an hour that does not exist", `{"a":{"$date":"2011-02-28T24:00:00Z"}}`, `is not a date`},
		{"date without a zone", `{"a":{"$date":"2011-02-28T00:00:00"}}`, `is not a date`},
		{"date of a month that does not exist", `{"a":{"$date":"2011-13-01T00:00:00Z"}}`, `is not a date`},
		{"timestamp with a negative number", `{"a":{"$timestamp":{"t":-1,"i":1}}}`, `a.t: expected an unsigned 32-bit integer`},
		{"timestamp out of range", `{"a":{"$timestamp":{"t":4294967296,"i":1}}}`, `expected an unsigned 32-bit integer`},
		{"timestamp with a string", `{"a":{"$timestamp":{"t":1,"i":"1"}}}`, `a.i: expected an unsigned 32-bit integer`},
		{"timestamp with a fraction", `{"a":{"$timestamp":{"t":1.0,"i":1}}}`, `expected an unsigned 32-bit integer`},
		{"DBPointer to a string", `{"a":{"$dbPointer":{"$ref":"b","$id":"57e193d7a9cc81b4027498b5"}}}`, `a.$id: expected an ObjectID`},
		{"minKey of 2", `{"a":{"$minKey":2}}`, `expected the number 1`},
		{"maxKey of true", `{"a":{"$maxKey":true}}`, `expected 1`},
		{"undefined of false", `{"a":{"$undefined":false}}`, `expected true`},
		{"symbol not a string", `{"a":{"$symbol":1}}`, `expected the string of $symbol`},
		{"nested too deeply", strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001), `nested too deeply`},
		{"arrays nested too deeply", `{"a":` + strings.Repeat(`[`, 100000), `nested too deeply`},
		{"scopes nested too deeply", `{"a":` + strings.Repeat(`{"$code":"","$scope":{"a":`, 100000), `nested too deeply`},
		{"path", `{"a":{"b":[0,{"c":x}]}}`, `a.b.1.c: expected a value, found 'x' (at byte 18)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := ExtJSONToRaw([]byte(tt.text), false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %x, %v, want an error with %q", doc, err, tt.want)
			}
			var e *DecodeError
			if !errors.As(err, &e) || !errors.Is(err, ErrInvalidExtJSON) && !errors.Is(err, ErrMaxDepth) {
				t.Errorf("the error is %T, %v", err, err)
			}
		})
	}
}

func TestCanonicalExtJSONOnly(t *testing.T) {
	for _, text := range []string{`{"a":1}`, `{"a":1.5}`, `{"a":{"$date":"1970-01-01T00:00:00Z"}}`} {
		if doc, err := ExtJSONToRaw([]byte(text), true); !errors.Is(err, ErrInvalidExtJSON) {
			t.Errorf("%s parses as canonical: %x, %v", text, doc, err)
		}
	}
}
