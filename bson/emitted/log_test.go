package emitted

import (
	"errors"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// The part of a document behind the limit is not even converted: a mistake in it goes unnoticed.
func TestDocumentsAreCutAtTheLimit(t *testing.T) {
	doc, err := bson.Marshal(bson.D{{Key: "a", Value: "\u00e9\u00e9\u00e9\u00e9"}, {Key: "b", Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bson.AppendExtJSON(nil, doc, false)
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit < len(whole)+2; limit++ {
		got, err := Shown{Limit: limit, Ellipsis: "..."}.Abbreviate(doc)
		start, cut := strings.CutSuffix(got, "...")
		if err != nil || !strings.HasPrefix(string(whole), start) || cut != (limit < len(whole)) || len(start) > limit ||
			cut && len(start) < limit-1 || strings.ToValidUTF8(start, "") != start {
			t.Errorf("limit %d: %q, %v", limit, got, err)
		}
	}
	if got, err := (Shown{Otherwise: 3, Ellipsis: "..."}).Abbreviate(doc); got != string(whole[:3])+"..." || err != nil {
		t.Errorf("without a limit: %q, %v", got, err)
	}
	doc[len(doc)-2] = 7 // not a boolean
	if text := (Shown{Limit: 9, Ellipsis: "..."}).Document(doc, false); text != "{\"a\":\"\u00e9..." {
		t.Errorf("a mistake behind the limit: %q", text)
	}
	if text, err := (Shown{Limit: 100}).Abbreviate(doc); err == nil {
		t.Errorf("a mistake that is shown: %q, want an error", text)
	}
}

func TestSensitiveTextsAreHidden(t *testing.T) {
	doc, err := bson.Marshal(bson.D{{Key: "a", Value: "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	s := Shown{Otherwise: 1000, Hidden: "{}"}
	if text := s.Document(doc, false); !strings.Contains(text, "secret") {
		t.Errorf("the document is %q", text)
	}
	for _, text := range []string{s.Document(doc, true), s.Document(nil, false), FailureText(errors.New("secret"), true, "{}")} {
		if text != "{}" {
			t.Errorf("hidden is %q", text)
		}
	}
	if FailureText(errors.New("plain"), false, "{}") != "plain" || ErrorText(nil) != "" {
		t.Error("an error that is not sensitive is hidden")
	}
}
