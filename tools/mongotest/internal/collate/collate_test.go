package collate_test

import (
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func document(t testing.TB, s string) bson.Raw {
	t.Helper()
	d, err := bson.ExtJSONToRaw([]byte(strings.ReplaceAll(s, "'", `"`)), false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name, spec, a, b string
		want             int
	}{
		{"binary order", `{}`, "a", "B", 1},
		{"simple is binary", `{'locale':'simple'}`, "a", "B", 1},
		{"letters before case", `{'locale':'en'}`, "a", "B", -1},
		{"lower case first", `{'locale':'en'}`, "a", "A", -1},
		{"strength 2 folds case", `{'locale':'en','strength':2}`, "a", "A", 0},
		{"strength 2 keeps accents", `{'locale':'en','strength':2}`, "e", "é", -1},
		{"strength 1 folds accents", `{'locale':'en','strength':1}`, "É", "e", 0},
		{"strength 1 with case", `{'locale':'en','strength':1,'caseLevel':true}`, "É", "e", 1},
		{"digits as characters", `{'locale':'en'}`, "10", "9", -1},
		{"digits as numbers", `{'locale':'en','numericOrdering':true}`, "10", "9", 1},
		{"punctuation counts", `{'locale':'en'}`, "a b", "ab", -1},
		{"punctuation shifted", `{'locale':'en','alternate':'shifted'}`, "a b", "ab", 0},
		{"accents forwards", `{'locale':'fr'}`, "cote\u0301", "co\u0302te", -1},
		{"accents backwards", `{'locale':'fr','backwards':true}`, "cote\u0301", "co\u0302te", 1},
		{"upper case first", `{'locale':'en','caseFirst':'upper'}`, "a", "A", 1},
		{"upper case first, letters before", `{'locale':'en','caseFirst':'upper'}`, "a", "B", -1},
		{"upper case first, accents before", `{'locale':'en','caseFirst':'upper'}`, "e", "É", -1},
		{"upper case first, the longer word", `{'locale':'en','caseFirst':'upper'}`, "a", "AB", -1},
		{"lower case first by name", `{'locale':'en','caseFirst':'lower'}`, "a", "A", -1},
		{"upper case first with a level of its own", `{'locale':'en','caseFirst':'upper','strength':1,'caseLevel':true}`, "é", "E", 1},
		{"a case first and the same text", `{'locale':'en','caseFirst':'upper'}`, "aB", "aB", 0},
		{"white space shifted", `{'locale':'en','alternate':'shifted','maxVariable':'space'}`, "a b", "ab", 0},
		{"white space alone shifted", `{'locale':'en','alternate':'shifted','maxVariable':'space'}`, "a-b", "ab", -1},
		{"swedish", `{'locale':'sv'}`, "z", "ö", -1},
		{"german", `{'locale':'de'}`, "z", "ö", 1},
		{"german phone book", `{'locale':'de@collation=phonebook'}`, "öa", "of", -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := collate.New(document(t, test.spec))
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Compare(test.a, test.b); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
			if got := strings.Compare(string(c.AppendKey(nil, test.a)), string(c.AppendKey(nil, test.b))); got != test.want {
				t.Errorf("the keys compare as %d, want %d", got, test.want)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name, spec string
		code       int32
		text       string
	}{
		{"no locale", `{'strength':1}`, 40414, "BSON field 'collation.locale' is missing but a required field"},
		{"unknown field", `{'locale':'en','foo':1}`, 40415, "BSON field 'collation.foo' is an unknown field."},
		{"unknown locale", `{'locale':'not a locale'}`, 2, `Field 'locale' is invalid in: { locale: "not a locale" }`},
		{"locale of another type", `{'locale':1}`, 14, "BSON field 'collation.locale' is the wrong type 'int', expected type 'string'"},
		{"strength out of range", `{'locale':'en','strength':6}`, 2, "Enumeration value '6' for field 'collation.strength' is not a valid value."},
		{"unknown caseFirst", `{'locale':'en','caseFirst':'none'}`, 2, "Enumeration value 'none' for field 'collation.caseFirst'"},
		{"caseFirst without case", `{'locale':'en','caseFirst':'upper','strength':2}`, 2, "'caseFirst' is invalid unless"},
		{"backwards without accents", `{'locale':'en','backwards':true,'strength':1}`, 2, "'backwards' is invalid with 'strength' of 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := collate.New(document(t, test.spec))
			e := status.From(err)
			if e == nil || int32(e.Code) != test.code || !strings.Contains(e.Message, test.text) {
				t.Errorf("got %v, want %d %s", err, test.code, test.text)
			}
		})
	}
}

func TestSpecIsComplete(t *testing.T) {
	c, err := collate.New(document(t, `{'strength':2,'locale':'en'}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{'locale':'en','caseLevel':false,'caseFirst':'off','strength':2,'numericOrdering':false,'alternate':'non-ignorable','maxVariable':'punct','normalization':false,'backwards':false,'version':'57.1'}`
	if got := c.Spec().String(); got != document(t, want).String() {
		t.Errorf("got %s", got)
	}
	other, err := collate.New(document(t, `{'locale':'en','strength':2.0,'caseLevel':false}`))
	if err != nil || !collate.Same(c, other) || collate.Same(c, nil) {
		t.Errorf("Same: %v", err)
	}
}
