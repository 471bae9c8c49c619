package emit

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// logTextMethod prints
//
//	func (m *PoolReady) Text() string {
//		b := make([]byte, 0, 256)
//		b = append(b, "Connection pool ready for "...)
//		b = append(b, m.ServerHost...)
//		if m.ServerPort != 0 {
//			b = append(b, ":"...)
//			b = strconv.AppendInt(b, int64(m.ServerPort), 10)
//		}
//		return string(b)
//	}
func logTextMethod(f *jen.File, m *model.LogMessage) {
	f.Line()
	doc(f, "Text is the unstructured form, without the parts whose keys are absent.")
	f.Func().Params(jen.Id("m").Op("*").Id(m.Name)).Id("Text").Params().String().BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Make(jen.Index().Byte(), jen.Lit(0), jen.Lit(256))
		logParts(g, m.Text)
		g.Return(jen.String().Call(jen.Id("b")))
	})
}

func logParts(g *jen.Group, parts []model.LogPart) {
	for _, p := range parts {
		switch {
		case p.Key != nil:
			logAppend(g, *p.Key)
		case p.Segment != nil:
			g.If(logPresent(*p.Segment.Key)).BlockFunc(func(g *jen.Group) { logParts(g, p.Segment.Parts) })
		case p.List != nil:
			logList(g, p.List)
		default:
			g.Id("b").Op("=").Append(jen.Id("b"), jen.Lit(p.Literal).Op("..."))
		}
	}
}

// logList prints
//
//	lead := " using options "
//	if m.MaxPoolSize != nil {
//		b = append(b, lead...)
//		lead = ", "
//		b = append(b, "maxPoolSize="...)
//		b = strconv.AppendInt(b, int64(*m.MaxPoolSize), 10)
//	}
func logList(g *jen.Group, list *model.LogList) {
	g.Id("lead").Op(":=").Lit(list.Lead)
	for i, s := range list.Segments {
		g.If(logPresent(*s.Key)).BlockFunc(func(g *jen.Group) {
			g.Id("b").Op("=").Append(jen.Id("b"), jen.Id("lead").Op("..."))
			if i < len(list.Segments)-1 {
				g.Id("lead").Op("=").Lit(list.Separator)
			}
			logParts(g, s.Parts)
		})
	}
}

// logAppend prints the statement that appends the value of a key to b.
func logAppend(g *jen.Group, k model.LogKey) {
	b, value := jen.Id("b"), logValue(k)
	convert := func(function string, args ...jen.Code) {
		g.Add(b).Op("=").Qual("strconv", function).Call(append([]jen.Code{b}, args...)...)
	}
	switch k.Kind {
	case "bool":
		convert("AppendBool", value)
	case "int", "int?":
		convert("AppendInt", jen.Int64().Call(value), jen.Lit(10))
	case "int64", "int64?":
		convert("AppendInt", value, jen.Lit(10))
	case "duration", "duration?":
		if k.Fraction {
			convert("AppendFloat", value, jen.LitByte('f'), jen.Lit(-1), jen.Lit(64))
		} else {
			convert("AppendInt", value, jen.Lit(10))
		}
	default:
		g.Add(b).Op("=").Append(b, value.Op("..."))
	}
}

// logSupport prints what all messages share and no row decides.
func logSupport() File {
	return static(logDir+"/message.go", "logs/settings.yaml", logSupportCode)
}

const logSupportCode = `package logmsg

import (
	"log/slog"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson"
)

// Message is a log message: any of the structs of this package, by pointer.
type Message interface {
	// Component is the part of the driver that logs the message.
	Component() Component
	// Level is the severity of the message.
	Level() Level
	// Message is the key message of the structured form.
	Message() string
	// AppendAttrs appends the other keys of the structured form.
	AppendAttrs(dst []slog.Attr) []slog.Attr
	// Text is the unstructured form.
	Text() string
}

// LevelsFromEnv reads the level of each component from the environment. A variable with an invalid value counts as
// unset; a component's own variable precedes EnvAll; without either the component is Off.
//
// Specification: logging/logging.md, "Per-Component Configuration of Log Levels".
func LevelsFromEnv(getenv func(string) string) [ComponentCount]Level {
	all, ok := ParseLevel(getenv(EnvAll))
	if !ok {
		all = Off
	}
	var levels [ComponentCount]Level
	for i := range levels {
		levels[i] = all
		if own, ok := ParseLevel(getenv(Component(i).Env())); ok {
			levels[i] = own
		}
	}
	return levels
}

// MaxDocumentLengthFromEnv reads how much of a document is shown from the environment; an invalid value counts as
// unset.
//
// Specification: logging/logging.md, "Configurable Max Document Length".
func MaxDocumentLengthFromEnv(getenv func(string) string) int {
	if n, err := strconv.Atoi(getenv(EnvMaxDocumentLength)); err == nil && n > 0 {
		return n
	}
	return DefaultMaxDocumentLength
}

// Truncate cuts text to at most limit bytes, never inside a code point, and marks the cut with Ellipsis. A limit of
// 0 or less means DefaultMaxDocumentLength.
func Truncate(text []byte, limit int) []byte {
	if limit <= 0 {
		limit = DefaultMaxDocumentLength
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return append(text[:limit], Ellipsis...)
}

// documentText is a document in relaxed extended JSON, cut to the limit.
func documentText(doc bson.Raw, sensitive bool, limit int) string {
	if sensitive || len(doc) == 0 {
		return RedactedDocument
	}
	text, err := bson.AppendExtJSON(nil, doc, false)
	if err != nil {
		return err.Error()
	}
	return string(Truncate(text, limit))
}

func failureText(err error, sensitive bool) string {
	if sensitive {
		return RedactedFailure
	}
	return errorText(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
`

// snake is a Go name in the form of a file name: PoolReady is pool_ready.
func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
