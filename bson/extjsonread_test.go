package bson

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// compareReads compares UnmarshalExtJSON's direct conversion with the one through BSON.
func compareReads(t *testing.T, text string) {
	t.Helper()
	for _, canonical := range []bool{true, false} {
		got, want := Doc("old", 1), Doc("old", 1)
		data := []byte(text)
		err := UnmarshalExtJSON(data, canonical, &got)
		wantErr := unmarshalExtJSON([]byte(text), canonical, &want, nil)
		clear(data) // decoded values must not depend on it
		a, b := fmt.Sprintf("%#v, %v", got, err), fmt.Sprintf("%#v, %v", want, wantErr)
		if a != b {
			t.Fatalf("%s (canonical: %v):\n%s, but through BSON\n%s", text, canonical, a, b)
		}
	}
}

func TestExtJSONRead(t *testing.T) {
	nest := func(levels int, before, inside, after string) string {
		return strings.Repeat(before, levels) + inside + strings.Repeat(after, levels)
	}
	values := []string{
		`"text"`, `"\n\u00e9\ud83d\ude00"`, `"é"`, `true`, `false`, `null`, `{}`, `[]`, `[ 1 , "a" , [ ] , { } ]`, `0`, `-1`, `12345678901`,
		`1e3`, `-0.5`, `123456789012345678901`, `999999999999999999`, `-1000000000000000000`, `-2147483648`, `2147483648`, `-0`, `00`, `-01`, `5E1`, `1a`, `{"$gt":1}`, `{"$gt":{"$oid":"57e193d7a9cc81b4027498b5"}}`, `{"a":{"$numberInt":"-5"}}`,
		`{"$uuid":"c8edabc3-f738-4ca3-b68d-ab92a91478a3"}`, `{ "$numberInt" : "7" }`, `{"$numberInt" :"7"}`, `{"$date":"2020-01-02T03:04:05Z"}`,
		`{"$date":{"$numberLong":"-5"}}`, `{"$numberDouble":"NaN"}`, `{"$numberDouble":"-0.0"}`, `{"$numberDouble":"1E400"}`,
		`{"\u0024numberInt":"3"}`, `{"$code":"f","$scope":{"x":{"$numberLong":"5"}}}`, `{"$scope":{},"$code":""}`,
		// and those that are wrong
		``, `tru`, `nulll`, `truefalse`, `"open`, "\"\xff\"", "\"a\x01\"", `"\x"`, `01`, `-`, `1.`, `+1`, `{`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{"$gt" 1}`, `{ }`, `{"b":1,"$":2}`, `{"b":1,"$x":2}`, `{"b":{"$gt":{"$oid":"57e193d7a9cc81b4027498b5"}}}`,
		`{"$binary":{"base64":"AQ==" "subType":"00"}}`, `{"$binary":{"base64":"AQ==","subtype":"00"}}`, `{"$binary":{"base64":"AQ==","subType":"0x"}}`,
		`{"$binary":{"base64":"AQ==","subType":"00"`, `{"$binary":{"base64":7,"subType":"00"}}`, `{"$date":"yesterday"}`, `{"\\u0024oid":"57e193d7a9cc81b4027498b5"}`, `{"a":1,}`, `{a:1}`,
		`[`, `[1,]`, `[1 2]`, `]`, `{"$numberInt":"2147483648"}`, `{"$numberInt":""}`, `{"$numberInt":"1","x":1}`, `{"x":1,"$numberInt":"1"}`,
		`{"$numberInt":1}`, `{"$numberInt":"1"`, `{"$numberInt":"1"]`, `{"$number`, `{"$numberX":"1"}`, `{"$numberLong":"9223372036854775808"}`,
		`{"$numberLong":"1}`, `{"$numberDouble":"x"}`, `{"$oid":"57e193d7a9cc81b4027498b"}`, `{"$oid":"57e193d7a9cc81b4027498bg"}`,
		`{"$oid":"57e193d7a9cc81b4027498b5`, `{"$oid":"57e193d7a9cc81b4027498b5"`, `{"$oid":"57e193d7a9cc81b4027498b5",`, `{"$date":{"$numberLong":"1"}`,
		`{"$date":{"$numberInt":"1"}}`, `{"a\u0000":1}`, `{"$binary":{"base64":"AQ=","subType":"00"}}`, `{"$regularExpression":{"pattern":"a","x":""}}`,
	}
	for _, tt := range extJSONTypes {
		values = append(values, tt.canonical, tt.relaxed)
	}
	for _, v := range values {
		for _, text := range []string{
			`{"a":%s}`, ` { "a" : %s , "b" : [ %[1]s, %[1]s ] } `, `{"$a":%s}`, `{"a":{"b":%s}}`, `{"a":[%s,1]}`, `{"a":%s}x`, "{\"a\":%s}\x00", `%s`,
		} {
			compareReads(t, fmt.Sprintf(text, v))
		}
	}
	for _, text := range []string{
		`{"$oid":"57e193d7a9cc81b4027498b5"}`, `{"$numberInt":"1"}`, `{"a":1,"a":2}`, `{"":""}`, "\t\r\n{}\n", "\v{}", `{}{}`,
		nest(DefaultMaxDepth, `{"k":`, `1`, `}`), nest(DefaultMaxDepth+1, `{"k":`, `1`, `}`), nest(DefaultMaxDepth-1, `{"k":`, `[1]`, `}`),
		nest(DefaultMaxDepth, `{"k":`, `[1]`, `}`), nest(DefaultMaxDepth-2, `{"k":`, `{"$gt":{"a":1}}`, `}`),
		nest(DefaultMaxDepth-1, `{"k":`, `{"$gt":{"a":1}}`, `}`), `{"k":` + nest(DefaultMaxDepth-1, `[`, ``, `]`) + `}`,
		`{"k":` + nest(DefaultMaxDepth, `[`, ``, `]`) + `}`, nest(DefaultMaxDepth-1, `{"k":`, `{"$code":"","$scope":{}}`, `}`),
		nest(DefaultMaxDepth, `{"k":`, `{"$code":"","$scope":{}}`, `}`),
	} {
		compareReads(t, text)
	}
}

func TestExtJSONReadAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 23))
		raw := mustMarshal(t, randomDocument(r, 3))
		for _, canonical := range []bool{true, false} {
			text, err := AppendExtJSON(nil, raw, canonical)
			if err != nil {
				t.Fatal(err)
			}
			compareReads(t, string(text))
			spaced, err := IndentExtJSON(nil, text, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			compareReads(t, string(spaced))
			text[r.IntN(len(text))] ^= byte(1 << r.IntN(8))
			compareReads(t, string(text))
			compareReads(t, string(text[:r.IntN(len(text))]))
		}
	}
}

// FuzzExtJSONRead compares both ways of reading text.
func FuzzExtJSONRead(f *testing.F) {
	for _, tt := range extJSONTypes {
		f.Add(`{"v":` + tt.canonical + `}`)
		f.Add(`{"v":[` + tt.relaxed + `,{"w" : ` + tt.canonical + `}]}`)
	}
	f.Add(`{"\u0061":"\ud83d\ude00\n","b":[1,-2.5e3,{"$scope":{},"$code":""}]}`)
	f.Fuzz(func(t *testing.T, text string) { compareReads(t, text) })
}
