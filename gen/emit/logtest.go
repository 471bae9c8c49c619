package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// logTest prints a test of every message, with all its keys and with those alone that are never absent.
//
//	func TestMessages(t *testing.T) {
//		tests := []struct {
//			message Message
//			text    string
//			keys    []string
//		}{
//			{&PoolReady{ServerHost: "serverHost", ServerPort: 7}, "Connection pool ready for serverHost:7", []string{"serverHost", "serverPort"}},
//			{&PoolReady{ServerHost: "serverHost"}, "Connection pool ready for serverHost", []string{"serverHost"}},
//		}
//		...
//	}
func logTest(m *model.Logs) File {
	const table = "logs/messages.yaml"
	f := newFile(logDir, table)
	f.ImportName("testing", "testing")
	f.Func().Id("TestMessages").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("tests").Op(":=").Index().Struct(
			jen.Id("message").Id("Message"),
			jen.Id("text").String(),
			jen.Id("keys").Index().String(),
		).Add(rowsOf(func(g *jen.Group) {
			for i := range m.Messages {
				r := &m.Messages[i]
				g.Add(logTestRow(r, r.Full, true))
				if r.Bare != r.Full {
					g.Add(logTestRow(r, r.Bare, false))
				}
			}
		})),
		jen.For(jen.List(jen.Id("_"), jen.Id("test")).Op(":=").Range().Id("tests")).Block(
			jen.Id("t").Dot("Run").Call(jen.Id("test").Dot("message").Dot("Message").Call(), jen.Func().Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
				jen.Add(sourceOf(logTestCode)),
			)),
		),
	)
	return File{Path: logDir + "/message_test.go", Table: table, Content: f}
}

const logTestCode = `if text := test.message.Text(); text != test.text {
	t.Errorf("Text() = %q, want %q", text, test.text)
}
var keys []string
for _, attr := range test.message.AppendAttrs(nil) {
	keys = append(keys, attr.Key)
}
if !slices.Equal(keys, test.keys) {
	t.Errorf("keys %q, want %q", keys, test.keys)
}`

func logTestRow(m *model.LogMessage, text string, optional bool) *jen.Statement {
	keys := []string{}
	fields := jen.ValuesFunc(func(g *jen.Group) {
		for _, k := range m.Keys {
			if k.Optional && !optional {
				continue
			}
			keys = append(keys, k.Key)
			if value := logExample(k); value != nil {
				g.Id(k.Name).Op(":").Add(value)
			}
		}
	})
	return jen.Values(jen.Op("&").Id(m.Name).Add(fields), jen.Lit(text), jen.Index().String().Values(literals(keys)...))
}

// logExample is an example value in Go; a document stays absent, which its text says.
func logExample(k model.LogKey) *jen.Statement {
	number, pause := jen.Id(model.LogExampleNumber), jen.Id(model.LogExampleMilliseconds).Op("*").Qual("time", "Millisecond")
	id := jen.Qual(pkg("bson"), "ObjectID").Values(number)
	switch k.Kind {
	case "bool":
		return jen.True()
	case "document":
		return nil
	case "duration":
		return pause
	case "duration?":
		return jen.New(pause)
	case "error":
		return jen.Qual("errors", "New").Call(jen.Lit(k.Key))
	case "int", "int64":
		return number
	case "int?":
		return jen.New(number)
	case "int64?":
		return jen.New(jen.Int64().Call(number))
	case "objectid":
		return id
	case "objectid?":
		return jen.Op("&").Add(id)
	case "ClosedReason", "CheckOutFailedReason":
		return jen.Qual(pkg("generated/event"), k.Example)
	}
	return jen.Lit(k.Key)
}

const logSupportTestCode = `package logmsg

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
)

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
`
