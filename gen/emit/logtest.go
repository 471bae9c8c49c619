package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// logTest prints a test of every message, once with all its keys and once with only the keys that are never absent.
//
//	func TestMessages(t *testing.T) {
//		tests := []struct {
//			message interface{ ... }
//			text    string
//			keys    []string
//		}{
//			{&PoolReady{ServerHost: "serverHost", ServerPort: 7}, "Connection pool ready for serverHost:7",
//				[]string{"serverHost", "serverPort"}},
//			{&PoolReady{ServerHost: "serverHost"}, "Connection pool ready for serverHost", []string{"serverHost"}},
//		}
//		for _, test := range tests {
//			t.Run(test.message.Message(), func(t *testing.T) {
//				if got := test.message.Text(); got != test.text {
//					t.Errorf("Text() = %q, want %q", got, test.text)
//				}
//				...
//			})
//		}
//	}
func logTest(m *model.Logs) File {
	const table = "logs/messages.yaml"
	f := newFile(logDir, table)
	f.ImportName("testing", "testing")
	f.Func().Id("TestMessages").Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
		jen.Id("tests").Op(":=").Index().Struct(
			jen.Id("message").Interface(
				jen.Id("Message").Params().String(),
				jen.Id("Text").Params().String(),
				jen.Id("AppendAttrs").Params(jen.Index().Qual("log/slog", "Attr")).Index().Qual("log/slog", "Attr"),
			),
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
			jen.Id("t").Dot("Run").Call(jen.Id("test").Dot("message").Dot("Message").Call(), jen.Func().
				Params(jen.Id("t").Op("*").Qual("testing", "T")).Block(
				jen.If(jen.Id("got").Op(":=").Id("test").Dot("message").Dot("Text").Call(), jen.Id("got").Op("!=").Id("test").Dot("text")).
					Block(jen.Id("t").Dot("Errorf").Call(jen.Lit("Text() = %q, want %q"), jen.Id("got"), jen.Id("test").Dot("text"))),
				jen.Var().Id("keys").Index().String(),
				jen.For(jen.List(jen.Id("_"), jen.Id("attr")).Op(":=").Range().
					Id("test").Dot("message").Dot("AppendAttrs").Call(jen.Nil())).Block(
					jen.Id("keys").Op("=").Append(jen.Id("keys"), jen.Id("attr").Dot("Key")),
				),
				jen.If(jen.Op("!").Qual("slices", "Equal").Call(jen.Id("keys"), jen.Id("test").Dot("keys"))).
					Block(jen.Id("t").Dot("Errorf").Call(jen.Lit("keys %q, want %q"), jen.Id("keys"), jen.Id("test").Dot("keys"))),
			)),
		),
	)
	return File{Path: logDir + "/message_test.go", Table: table, Content: f}
}

func logTestRow(m *model.LogMessage, text string, optional bool) *jen.Statement {
	keys := []string{}
	var shared, own []jen.Code
	for _, k := range m.Keys {
		if k.Optional && !optional {
			continue
		}
		keys = append(keys, k.Key)
		value := logExample(k)
		switch {
		case value == nil:
		case k.Shared:
			shared = append(shared, jen.Id(k.Name).Op(":").Add(value))
		default:
			own = append(own, jen.Id(k.Name).Op(":").Add(value))
		}
	}
	if shared != nil {
		own = append([]jen.Code{jen.Id(m.Struct).Op(":").Id(m.Struct).Values(shared...)}, own...)
	}
	fields := jen.Values(own...)
	return jen.Values(jen.Op("&").Id(m.Name).Add(fields), jen.Lit(text), jen.Index().String().Values(stringLits(keys)...))
}

// logExample returns an example value in Go. A document stays absent, and its text says so.
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
