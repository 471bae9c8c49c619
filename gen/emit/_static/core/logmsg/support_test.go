package logmsg

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// checkMessage compares both forms of a message with what its row says.
func checkMessage(t *testing.T, m Message, text string, keys []string) {
	t.Helper()
	if got := m.Text(); got != text {
		t.Errorf("Text() = %q, want %q", got, text)
	}
	var got []string
	for _, attr := range m.AppendAttrs(nil) {
		got = append(got, attr.Key)
	}
	if !slices.Equal(got, keys) {
		t.Errorf("keys %q, want %q", got, keys)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"short enough", "four", 4, "four"},
		{"too long", "longer", 4, "long" + Ellipsis},
		{"inside a code point", "a\u00e9\u00e9", 4, "a\u00e9" + Ellipsis},
		{"the default", strings.Repeat("x", DefaultMaxDocumentLength+1), 0, strings.Repeat("x", DefaultMaxDocumentLength) + Ellipsis},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(Truncate([]byte(test.text), test.limit)); got != test.want {
				t.Errorf("Truncate() = %q, want %q", got, test.want)
			}
		})
	}
}

func TestDocumentText(t *testing.T) {
	doc, err := bson.Marshal(bson.D{{Key: "a", Value: "secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := documentText(doc, false, 0); !strings.Contains(text, "secret") {
		t.Errorf("documentText() = %q", text)
	}
	if text := documentText(doc, false, 3); text == "" || !strings.HasSuffix(text, Ellipsis) || len(text) != 3+len(Ellipsis) {
		t.Errorf("documentText() with a limit = %q", text)
	}
	if text := documentText(doc, true, 0); text != RedactedDocument {
		t.Errorf("documentText() of a sensitive command = %q", text)
	}
	if text := failureText(errors.New("secret"), true); text != RedactedFailure {
		t.Errorf("failureText() of a sensitive command = %q", text)
	}
}

// The part of a document that a message does not show is not converted. A mistake in it shows that.
func TestAbbreviateStopsAtTheLimit(t *testing.T) {
	doc, err := bson.Marshal(bson.D{{Key: "a", Value: "\u00e9\u00e9\u00e9\u00e9"}, {Key: "b", Value: true}})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bson.AppendExtJSON(nil, doc, false)
	if err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit < len(whole)+2; limit++ {
		want := string(Truncate(slices.Clone(whole), limit))
		if got, err := Abbreviate(doc, limit); got != want || err != nil {
			t.Errorf("limit %d: Abbreviate() = %q, %v, want %q", limit, got, err, want)
		}
	}
	doc[len(doc)-2] = 7 // no boolean
	if text := documentText(doc, false, 9); text != "{\"a\":\"\u00e9"+Ellipsis {
		t.Errorf("documentText() = %q", text)
	}
	if text, err := Abbreviate(doc, 100); err == nil {
		t.Errorf("Abbreviate() = %q, want an error", text)
	}
}

func TestLevelsFromEnv(t *testing.T) {
	variables := map[string]string{}
	getenv := func(name string) string { return variables[name] }
	want := func(first, others Level) {
		t.Helper()
		for c, l := range LevelsFromEnv(getenv) {
			if w := map[bool]Level{true: first, false: others}[c == 0]; l != w {
				t.Errorf("%v: level of %v is %v, want %v", variables, Component(c), l, w)
			}
		}
	}
	want(Off, Off)
	variables[EnvAll] = "DEBUG"
	want(Debug, Debug)
	variables[Component(0).Env()] = "off"
	want(Off, Debug)
	variables[Component(0).Env()] = "loud"
	want(Debug, Debug)
	if Off.Slog() <= slog.LevelError || Debug.Slog() != slog.LevelDebug {
		t.Errorf("Off.Slog() = %v, Debug.Slog() = %v", Off.Slog(), Debug.Slog())
	}
}

func TestMaxDocumentLengthFromEnv(t *testing.T) {
	for value, want := range map[string]int{"": DefaultMaxDocumentLength, "5": 5, "-1": DefaultMaxDocumentLength, "all": DefaultMaxDocumentLength} {
		if got := MaxDocumentLengthFromEnv(func(string) string { return value }); got != want {
			t.Errorf("MaxDocumentLengthFromEnv() of %q = %d, want %d", value, got, want)
		}
	}
}
