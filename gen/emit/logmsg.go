package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const logDir = "generated/core/logmsg"

// Logs prints package logmsg: a file per message and per struct that messages embed, and one each for components,
// levels and settings.
func Logs(m *model.Logs) []File {
	out := []File{logComponents(m), logLevels(m), logSettings(m)}
	for i := range m.Structs {
		out = append(out, logStruct(&m.Structs[i]))
	}
	for i := range m.Messages {
		out = append(out, logMessage(&m.Messages[i]))
	}
	return append(out, logTest(m))
}

func logComponents(m *model.Logs) File {
	const table = "logs/components.yaml"
	f := newFile(logDir, table)
	addDoc(f, "Component is a part of the driver that logs; each has a minimum level of its own.")
	f.Type().Id("Component").Uint8().Line()
	var members []member
	for _, c := range m.Components {
		members = append(members, member{Name: c.Name, Doc: c.Doc, Text: c.Text})
	}
	printConstants(f, "Component", members)
	f.Line()
	addDoc(f, "ComponentCount is the number of components; arrays indexed by Component have this length.")
	f.Const().Id("ComponentCount").Op("=").Lit(len(m.Components))
	printStringer(f, "c", "Component", "String is the name that the specification gives the component.", members)
	printLogComponentEnv(f, m)
	return File{Path: logDir + "/component.go", Table: table, Content: f}
}

// printLogComponentEnv prints
//
//	func (c Component) Env() string {
//		switch c {
//		case Command:
//			return "MONGODB_LOG_COMMAND"
//		}
//		return ""
//	}
func printLogComponentEnv(f *jen.File, m *model.Logs) {
	f.Line()
	addDoc(f, "Env names the environment variable that sets the level of the component.")
	f.Func().Params(jen.Id("c").Id("Component")).Id("Env").Params().String().Block(
		jen.Switch(jen.Id("c")).BlockFunc(func(g *jen.Group) {
			for _, c := range m.Components {
				g.Case(jen.Id(c.Name)).Block(jen.Return(jen.Lit(c.Env)))
			}
		}),
		jen.Return(jen.Lit("")),
	)
}

func logLevels(m *model.Logs) File {
	const table = "logs/levels.yaml"
	f := newFile(logDir, table)
	addDoc(f, "Level is the severity of a message, or the least severe level that is still logged. Smaller is more severe.")
	f.Type().Id("Level").Int8().Line()
	var members []member
	for _, l := range m.Levels {
		members = append(members, member{Name: l.Name, Doc: l.Doc, Value: jen.Lit(l.Code), Text: l.Env})
	}
	printConstants(f, "Level", members)
	printStringer(f, "l", "Level", "String is the value that stands for the level in environment variables.", members)
	printLogLevelSlog(f, m)
	printLogParseLevel(f, m)
	return File{Path: logDir + "/level.go", Table: table, Content: f}
}

// printLogLevelSlog prints
//
//	func (l Level) Slog() slog.Level {
//		switch l {
//		case Debug:
//			return slog.Level(-4)
//		}
//		return slog.LevelError
//	}
func printLogLevelSlog(f *jen.File, m *model.Logs) {
	f.Line()
	addDoc(f, "Slog is the level of package log/slog that stands for l.")
	f.Func().Params(jen.Id("l").Id("Level")).Id("Slog").Params().Qual("log/slog", "Level").Block(
		jen.Switch(jen.Id("l")).BlockFunc(func(g *jen.Group) {
			for _, l := range m.Levels {
				g.Case(jen.Id(l.Name)).Block(jen.Return(jen.Qual("log/slog", "Level").Call(jen.Lit(l.Slog))))
			}
		}),
		jen.Return(jen.Qual("log/slog", "LevelError")),
	)
}

// printLogParseLevel prints
//
//	func ParseLevel(value string) (Level, bool) {
//		switch strings.ToLower(value) {
//		case "debug":
//			return Debug, true
//		}
//		return Off, false
//	}
func printLogParseLevel(f *jen.File, m *model.Logs) {
	f.Line()
	addDoc(f, "ParseLevel reads the value of an environment variable, in any letter case.")
	f.Func().Id("ParseLevel").Params(jen.Id("value").String()).Params(jen.Id("Level"), jen.Bool()).Block(
		jen.Switch(jen.Qual("strings", "ToLower").Call(jen.Id("value"))).BlockFunc(func(g *jen.Group) {
			for _, l := range m.Levels {
				g.Case(jen.Lit(l.Env)).Block(jen.Return(jen.Id(l.Name), jen.True()))
			}
		}),
		jen.Return(jen.Id("Off"), jen.False()),
	)
}

func logSettings(m *model.Logs) File {
	const table = "logs/settings.yaml"
	f := newFile(logDir, table)
	addDoc(f, "Settings of logging, and what stands in for what must not be logged.")
	var members []member
	for _, s := range m.Settings {
		value := jen.Lit(s.Number)
		if s.Value != nil {
			value = jen.Lit(*s.Value)
		}
		members = append(members, member{Name: s.Name, Doc: s.Doc, Value: value})
	}
	printConstants(f, "", members)
	return File{Path: logDir + "/setting.go", Table: table, Content: f}
}

// logMessage prints the struct of a message and its methods.
//
//	type PoolReady struct {
//		ServerKeys
//		// The time ...
//		Duration time.Duration
//	}
//
//	func (m *PoolReady) Component() Component { return Connection }
func logMessage(m *model.LogMessage) File {
	const table = "logs/messages.yaml"
	f := newFile(logDir, table)
	addDoc(f, m.Doc)
	addCitation(f, m.Spec)
	f.Type().Id(m.Name).StructFunc(func(g *jen.Group) {
		if m.Struct != "" {
			g.Id(m.Struct)
		}
		for _, k := range m.Keys {
			if !k.Shared {
				addDocIn(g, k.Doc)
				g.Id(k.Name).Add(eventType(k.Kind))
			}
		}
		if m.Sensitive {
			addDocIn(g, "Sensitive hides what a sensitive command says.")
			g.Id("Sensitive").Bool()
		}
		if m.Documents {
			addDocIn(g, "MaxDocumentLength is how many bytes of a document are shown; 0 means DefaultMaxDocumentLength.")
			g.Id("MaxDocumentLength").Int()
		}
	})
	method := func(comment, name string, result, body jen.Code) {
		f.Line()
		addDoc(f, comment)
		f.Func().Params(jen.Op("*").Id(m.Name)).Id(name).Params().Add(result).Block(jen.Return(body))
	}
	method("Component returns "+m.Component+".", "Component", jen.Id("Component"), jen.Id(m.Component))
	method("Level returns "+m.Level+".", "Level", jen.Id("Level"), jen.Id(m.Level))
	method("Message is the key message of the structured form.", "Message", jen.String(), jen.Lit(m.Message))
	printLogAttrs(f, m)
	printLogTextMethod(f, m)
	return File{Path: logDir + "/" + snakeCase(m.Name) + ".go", Table: table, Content: f}
}

// printLogAttrs prints
//
//	func (m *PoolReady) AppendAttrs(dst []slog.Attr) []slog.Attr {
//		dst = emitted.AppendString(dst, "serverHost", m.ServerHost)
//		if m.ServerPort != 0 {
//			dst = emitted.AppendInt(dst, "serverPort", int64(m.ServerPort))
//		}
//		return dst
//	}
func printLogAttrs(f *jen.File, m *model.LogMessage) {
	f.Line()
	addDoc(f, "AppendAttrs appends the keys of the structured form, without those that are absent.")
	f.Func().Params(jen.Id("m").Op("*").Id(m.Name)).Id("AppendAttrs").Params(jen.Id("dst").Index().Qual("log/slog", "Attr")).
		Index().Qual("log/slog", "Attr").BlockFunc(func(g *jen.Group) {
		for _, k := range m.Keys {
			add := jen.Id("dst").Op("=").Add(logAttr(k))
			if k.Optional {
				g.If(logPresent(k)).Block(add)
			} else {
				g.Add(add)
			}
		}
		g.Return(jen.Id("dst"))
	})
}

// logPresent returns the condition under which an optional key is logged.
func logPresent(k model.LogKey) *jen.Statement {
	field := jen.Id("m").Dot(k.Name)
	switch k.Kind {
	case "int", "int64", "duration":
		return field.Op("!=").Lit(0)
	case "string", "ClosedReason", "CheckOutFailedReason":
		return field.Op("!=").Lit("")
	case "bool":
		return field
	}
	return field.Op("!=").Nil()
}

// logAttr returns the call that appends the slog attribute of a key.
func logAttr(k model.LogKey) *jen.Statement {
	call := func(kind string, value jen.Code) *jen.Statement {
		return jen.Qual(emittedPkg, "Append"+kind).Call(jen.Id("dst"), jen.Lit(k.Key), value)
	}
	switch value := logValue(k); k.Kind {
	case "bool":
		return call("Bool", value)
	case "int", "int?":
		return call("Int", jen.Int64().Call(value))
	case "int64", "int64?":
		return call("Int", value)
	case "duration", "duration?":
		if k.Fraction {
			return call("Float", value)
		}
		return call("Int", value)
	default:
		return call("String", value)
	}
}

// logValue returns the expression for a key's value: a Go string, integer, float or bool.
func logValue(k model.LogKey) *jen.Statement {
	field := jen.Id("m").Dot(k.Name)
	switch k.Kind {
	case "document":
		sensitive := jen.False()
		if k.Redact {
			sensitive = jen.Id("m").Dot("Sensitive")
		}
		return jen.Qual(emittedPkg, "Shown").Values(
			jen.Id("Limit").Op(":").Id("m").Dot("MaxDocumentLength"), jen.Id("Otherwise").Op(":").Id("DefaultMaxDocumentLength"),
			jen.Id("Ellipsis").Op(":").Id("Ellipsis"), jen.Id("Hidden").Op(":").Id("RedactedDocument"),
		).Dot("Document").Call(field, sensitive)
	case "error":
		if k.Redact {
			return jen.Qual(emittedPkg, "FailureText").Call(field, jen.Id("m").Dot("Sensitive"), jen.Id("RedactedFailure"))
		}
		return jen.Qual(emittedPkg, "ErrorText").Call(field)
	case "duration", "duration?":
		if k.Fraction {
			return jen.Qual(emittedPkg, "Milliseconds").Call(field)
		}
		return field.Dot("Milliseconds").Call()
	case "objectid", "objectid?":
		return field.Dot("Hex").Call()
	case "int?", "int64?":
		return jen.Op("*").Add(field)
	case "ClosedReason", "CheckOutFailedReason":
		return field.Dot("Text").Call()
	}
	return field
}
