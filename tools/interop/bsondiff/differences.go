package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
)

// difference is a deliberate difference from the official driver.
type difference struct {
	name    string
	reason  string
	what    string                  // the step where the two differ
	applies func(input []byte) bool // whether the input may show the difference
}

var differences = []difference{
	{"text that is not UTF-8", "BSON strings and keys are UTF-8: decoding reports others instead of passing them on",
		"decoding", decodingSays("UTF-8")},
	{"inner length of binary subtype 2", "an inner length that contradicts the outer one is an error, not a part of the data",
		"decoding", decodingSays("inner length of binary subtype 2")},
	{"length of binary data", "the length of subtype 2 counts the inner length, so one below 4 or beyond the value is an error",
		"decoding", decodingSays("the binData is cut off")},
	{"length of JavaScript with scope", "the code must fit into the value that holds it",
		"decoding", decodingSays("javascriptWithScope")},
	{"empty binary data of subtype 2", "the official driver takes the inner length of empty data for data and writes it with another",
		"encoding", contains("\x04\x00\x00\x00\x02\x00\x00\x00\x00")},
	{"empty binary data of subtype 2", "as above, in the text",
		"writing canonical", contains("\x04\x00\x00\x00\x02\x00\x00\x00\x00")},
	{"empty binary data of subtype 2", "as above, in the text",
		"writing relaxed", contains("\x04\x00\x00\x00\x02\x00\x00\x00\x00")},
	{"escapes in the namespace of a DBPointer", "the official driver writes the namespace without escapes",
		"writing canonical", writes(`\$dbPointer":\{"\$ref":"[^"]*\\`)},
	{"escapes in the namespace of a DBPointer", "the official driver writes the namespace without escapes",
		"writing relaxed", writes(`\$dbPointer":\{"\$ref":"[^"]*\\`)},
	{"milliseconds of a date",
		"a fraction of a second has exactly three digits, as the specification wants; the official driver cuts zeros",
		"writing relaxed", writes(`"\$date":"[^"]*\.[0-9]*0Z"`)},
	{"exponents of many digits", "a zero is clamped whatever its exponent; the official driver gives up on exponents beyond its int",
		"Decimal128", matches(`[eE][+-]?[0-9]{9,}$`)},
	{"coefficients beyond 34 digits",
		"such an encoding of Decimal128 is not canonical and counts as zero; the official driver prints 35 digits",
		"writing canonical", writes(`"\$numberDecimal":"-?0`)},
	{"coefficients beyond 34 digits", "as above",
		"writing relaxed", writes(`"\$numberDecimal":"-?0`)},
	{"options that are not ASCII", "no option of a regular expression is, so they stay in their order",
		"encoding", writes(`"options":"(\\.|[^"\\])*[^\x00-\x7F]`)},
	{"options that are not ASCII", "as above, in the text",
		"writing canonical", writes(`"options":"(\\.|[^"\\])*[^\x00-\x7F]`)},
	{"options that are not ASCII", "as above, in the text",
		"writing relaxed", writes(`"options":"(\\.|[^"\\])*[^\x00-\x7F]`)},
	{"options that are not ASCII", "as above, in the text",
		"reading", matches(`"options" *: *"[^"]*([^\x00-\x7F]|\\u)`)},
	{"text that is not JSON", "the official driver lets control characters, bytes that are not UTF-8 and the like pass",
		"reading", func(text []byte) bool { return !json.Valid(text) || !utf8.Valid(text) }},
	{"half of a surrogate pair", "it has no UTF-8 form: an error instead of a replacement character",
		"reading", readingSays("surrogate")},
	{"U+0000 in keys and regular expressions", "BSON cannot write it, and the specification demands an error",
		"reading", readingSays("U+0000")},
	{"key of a type wrapper behind other keys", "the order of keys means nothing, so that it is an error as in front of them",
		"reading", readingSays("has no other keys")},
	{"dates that are not RFC 3339", "the official driver reads hours of one digit",
		"reading", readingSays("is not a date like")},
	{"t and z in lower case", "RFC 3339 allows them in dates",
		"reading", matches(`[0-9]t[0-9]|[0-9]z"`)},
	{"subtype of three digits", "the specification has one or two",
		"reading", readingSays("is not a subtype")},
	{"$id of a DBPointer", "it is an ObjectID by its wrapper, not by the look of its text",
		"reading", matches(`"\$dbPointer"`)},
	{"numbers in $date", "a format from before version 2, which has to be asked for: see LegacyExtJSONToRaw",
		"reading", readingSays(`expected {"$numberLong": "..."} or a string`)},
}

// decodingSays reports whether this driver's error about decoding a document has the given words.
func decodingSays(words string) func([]byte) bool {
	return func(doc []byte) bool {
		var d bson.D
		err := bson.Unmarshal(doc, &d)
		return err != nil && strings.Contains(err.Error(), words)
	}
}

// readingSays reports whether this driver's error about parsing extended JSON has the given words.
func readingSays(words string) func([]byte) bool {
	return func(text []byte) bool {
		_, err := bson.ExtJSONToRaw(text, false)
		return err != nil && strings.Contains(err.Error(), words)
	}
}

func matches(pattern string) func([]byte) bool {
	return regexp.MustCompile(pattern).Match
}

func contains(part string) func([]byte) bool {
	return func(input []byte) bool { return bytes.Contains(input, []byte(part)) }
}

// writes reports whether the relaxed extended JSON of a document matches.
func writes(pattern string) func([]byte) bool {
	compiled := regexp.MustCompile(pattern)
	return func(doc []byte) bool {
		text, err := bson.AppendExtJSON(nil, doc, false)
		return err == nil && compiled.Match(text)
	}
}
