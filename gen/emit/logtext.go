package emit

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// printLogTextMethod prints
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
func printLogTextMethod(f *jen.File, m *model.LogMessage) {
	f.Line()
	addDoc(f, "Text is the unstructured form, without the parts whose keys are absent.")
	f.Func().Params(jen.Id("m").Op("*").Id(m.Name)).Id("Text").Params().String().BlockFunc(func(g *jen.Group) {
		g.Id("b").Op(":=").Make(jen.Index().Byte(), jen.Lit(0), jen.Lit(256))
		printLogParts(g, m.Text)
		g.Return(jen.String().Call(jen.Id("b")))
	})
}

func printLogParts(g *jen.Group, parts []model.LogPart) {
	for _, p := range parts {
		switch {
		case p.Key != nil:
			printLogAppend(g, *p.Key)
		case p.Segment != nil:
			g.If(logPresent(*p.Segment.Key)).BlockFunc(func(g *jen.Group) { printLogParts(g, p.Segment.Parts) })
		case p.List != nil:
			printLogList(g, p.List)
		default:
			g.Id("b").Op("=").Append(jen.Id("b"), jen.Lit(p.Literal).Op("..."))
		}
	}
}

// printLogList prints
//
//	lead := " using options "
//	if m.MaxPoolSize != nil {
//		b = append(b, lead...)
//		lead = ", "
//		b = append(b, "maxPoolSize="...)
//		b = strconv.AppendInt(b, int64(*m.MaxPoolSize), 10)
//	}
func printLogList(g *jen.Group, list *model.LogList) {
	g.Id("lead").Op(":=").Lit(list.Lead)
	for i, s := range list.Segments {
		g.If(logPresent(*s.Key)).BlockFunc(func(g *jen.Group) {
			g.Id("b").Op("=").Append(jen.Id("b"), jen.Id("lead").Op("..."))
			if i < len(list.Segments)-1 {
				g.Id("lead").Op("=").Lit(list.Separator)
			}
			printLogParts(g, s.Parts)
		})
	}
}

// printLogAppend prints the statement that appends the value of a key to b.
func printLogAppend(g *jen.Group, k model.LogKey) {
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

// snakeCase turns a Go name into a file name: PoolReady becomes pool_ready.
func snakeCase(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
