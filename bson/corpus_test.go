package bson_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

type corpusFile struct {
	BSONType     string `json:"bson_type"`
	Valid        []corpusCase
	DecodeErrors []struct{ Description, BSON string }
	ParseErrors  []struct{ Description, String string }
}

type corpusCase struct {
	Description       string
	CanonicalBSON     string  `json:"canonical_bson"`
	CanonicalExtJSON  string  `json:"canonical_extjson"`
	RelaxedExtJSON    *string `json:"relaxed_extjson"`
	DegenerateBSON    string  `json:"degenerate_bson"`
	DegenerateExtJSON *string `json:"degenerate_extjson"`
	ConvertedBSON     string  `json:"converted_bson"`
	ConvertedExtJSON  string  `json:"converted_extjson"`
	Lossy             bool
}

// TestCorpus runs the BSON corpus. BSON Corpus, "Testing validity": the assertions for codecs without an intermediate
// representation apply to Raw, the others to D.
func TestCorpus(t *testing.T) {
	cases := 0
	for name, file := range readSuite[corpusFile](t, "source/bson-corpus/tests") {
		cases += len(file.Valid) + len(file.DecodeErrors) + len(file.ParseErrors)
		for _, tt := range file.Valid {
			t.Run(name+"/"+tt.Description, tt.run)
		}
		for _, tt := range file.DecodeErrors {
			t.Run(name+"/"+tt.Description, func(t *testing.T) { wantDecodeError(t, unhex(t, tt.BSON)) })
		}
		for _, tt := range file.ParseErrors {
			t.Run(name+"/"+tt.Description, func(t *testing.T) { wantParseError(t, file.BSONType, tt.String) })
		}
	}
	t.Logf("%d cases", cases)
}

func (tt corpusCase) run(t *testing.T) {
	canonical := unhex(t, tt.CanonicalBSON)
	if err := canonical.Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
	wantExtJSON(t, canonical, true, tt.CanonicalExtJSON)
	wantRoundTrip(t, canonical, canonical)
	for _, only := range []bool{true, false} {
		parsed := wantParsed(t, tt.CanonicalExtJSON, only)
		wantExtJSON(t, parsed, true, tt.CanonicalExtJSON)
		if !tt.Lossy {
			wantBytes(t, "the canonical text", parsed, canonical)
		}
	}
	if tt.RelaxedExtJSON != nil {
		wantExtJSON(t, canonical, false, *tt.RelaxedExtJSON)
		wantExtJSON(t, wantParsed(t, *tt.RelaxedExtJSON, false), false, *tt.RelaxedExtJSON)
	}
	if tt.DegenerateBSON != "" {
		degenerate := unhex(t, tt.DegenerateBSON)
		wantExtJSON(t, degenerate, true, tt.CanonicalExtJSON)
		if tt.RelaxedExtJSON != nil {
			wantExtJSON(t, degenerate, false, *tt.RelaxedExtJSON)
		}
		wantRoundTrip(t, degenerate, canonical)
	}
	if tt.DegenerateExtJSON != nil {
		parsed := wantParsed(t, *tt.DegenerateExtJSON, false)
		wantExtJSON(t, parsed, true, tt.CanonicalExtJSON)
		if !tt.Lossy {
			wantBytes(t, "the degenerate text", parsed, canonical)
		}
	}
	if tt.ConvertedBSON != "" { // the corpus does not test the conversion itself; its result is one more document
		converted := unhex(t, tt.ConvertedBSON)
		wantExtJSON(t, converted, true, tt.ConvertedExtJSON)
		wantBytes(t, "the converted text", wantParsed(t, tt.ConvertedExtJSON, true), converted)
		wantRoundTrip(t, converted, converted)
	}
}

func unhex(t *testing.T, s string) bson.Raw {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantExtJSON writes doc as extended JSON and compares it with text as JSON values. The corpus does not fix white
// space, escapes or the digits of bare numbers.
func wantExtJSON(t *testing.T, doc bson.Raw, canonical bool, text string) {
	t.Helper()
	got, err := bson.AppendExtJSON(nil, doc, canonical)
	if err != nil {
		t.Errorf("writing %x: %v", doc, err)
		return
	}
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s is not JSON: %v", got, err)
	}
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(g, w) {
		t.Errorf("canonical %t: got %s, want %s", canonical, got, text)
	}
}

func wantParsed(t *testing.T, text string, canonical bool) bson.Raw {
	t.Helper()
	doc, err := bson.ExtJSONToRaw([]byte(text), canonical)
	if err != nil {
		t.Fatalf("parsing %s: %v", text, err)
	}
	if err := doc.Validate(); err != nil {
		t.Errorf("%s becomes %x: %v", text, doc, err)
	}
	return doc
}

func wantBytes(t *testing.T, what string, got, want bson.Raw) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s becomes %x, want %x", what, got, want)
	}
}

// wantRoundTrip decodes into a D and encodes the D again.
func wantRoundTrip(t *testing.T, doc, want bson.Raw) {
	t.Helper()
	var d bson.D
	if err := bson.Unmarshal(doc, &d); err != nil {
		t.Errorf("decoding %x: %v", doc, err)
		return
	}
	got, err := bson.Marshal(d)
	if err != nil {
		t.Errorf("encoding %v: %v", d, err)
		return
	}
	wantBytes(t, "the decoded document", got, want)
}

func wantDecodeError(t *testing.T, doc bson.Raw) {
	if err := doc.Validate(); err == nil {
		t.Error("Validate accepts it")
	}
	if out, err := bson.AppendExtJSON(nil, doc, true); err == nil {
		t.Errorf("it is written as %s", out)
	}
	var d bson.D
	if err := bson.Unmarshal(doc, &d); err == nil {
		t.Errorf("it decodes into %v", d)
	}
}

// wantParseError follows BSON Corpus, "Testing parsing errors".
func wantParseError(t *testing.T, bsonType, text string) {
	if bsonType == "0x13" {
		if d, err := bson.ParseDecimal128(text); err == nil {
			t.Errorf("%q parses as %v", text, d)
		}
		quoted, _ := json.Marshal(text)
		text = `{"d": {"$numberDecimal": ` + string(quoted) + `}}`
	}
	if !json.Valid([]byte(text)) {
		t.Fatalf("the case is not JSON: %s", text)
	}
	for _, canonical := range []bool{true, false} {
		if doc, err := bson.ExtJSONToRaw([]byte(text), canonical); err == nil {
			t.Errorf("%s parses as %x", text, doc)
		}
	}
	if doc, err := bson.LegacyExtJSONToRaw([]byte(text)); err == nil && !legacyForm(text) {
		t.Errorf("%s parses as %x", text, doc)
	}
}

// legacyForm reports whether text that version 2 of the format rejects was valid before.
func legacyForm(text string) bool { return strings.Contains(text, `{"$date" : 42}`) }
