package emit

import (
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Client prints options.Client and its merge.
func Client(m *model.Client) []File {
	const table = "options/client.yaml"
	f := newFile(optionsDir, table)
	addDoc(f, "Client says how a client connects and behaves. A nil field is unset: a connection string, or else the default, "+
		"decides.\n\nWhat a field points to must not change while a client uses it.")
	f.Type().Id("Client").StructFunc(func(g *jen.Group) {
		for i, field := range m.Fields {
			if i > 0 {
				g.Line()
			}
			addDocIn(g, clientDoc(field))
			g.Id(field.Field).Add(goType(field.Go))
		}
	})
	printMethods(f, "Client", m.Secret)
	printClientMerge(f, m)
	printClientDefaults(f, m)
	return []File{{Path: optionsDir + "/client.go", Table: table, Content: f}}
}

// clientDoc adds the default and the options of a connection string to the sentence of a field.
func clientDoc(f model.ClientField) string {
	text := f.Doc
	if f.Default != "" {
		text += " Default: " + f.Default + "."
	}
	if len(f.URI) > 0 {
		text += " URI: " + strings.Join(f.URI, ", ") + "."
	}
	if f.Document != "" {
		text += "\n\n" + f.Document
	}
	return text
}

// printClientMerge prints Merge; see printMergeFunc for its form.
func printClientMerge(f *jen.File, m *model.Client) {
	var fields []string
	deep := map[string]string{}
	for _, field := range m.Fields {
		fields = append(fields, field.Field)
		if field.Merge != "" {
			deep[field.Field] = field.Merge
		}
	}
	f.Line()
	addDoc(f, "Merge returns the options in which the fields set in over replace those in base. Neither is changed; the "+
		"result may be one of them.")
	f.Func().Id("Merge").Params(jen.List(jen.Id("base"), jen.Id("over")).Op("*").Id("Client")).Op("*").Id("Client").
		BlockFunc(func(g *jen.Group) {
			printMergeBody(g, fields, deep)
		})
}

// printClientDefaults prints
//
//	const (
//		// DefaultConnectTimeout holds when Client.ConnectTimeout is nil.
//		DefaultConnectTimeout = 10 * time.Second
//	)
func printClientDefaults(f *jen.File, m *model.Client) {
	f.Line()
	addDoc(f, "The defaults of the fields of Client, which apply when a field is nil.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, field := range m.Fields {
			if value := defaultValue(field); value != nil {
				g.Id("Default" + field.Field).Op("=").Add(value)
			}
		}
	})
}

// defaultValue returns the default of a field as Go, or nil when it is not a single value.
func defaultValue(f model.ClientField) *jen.Statement {
	switch f.Go {
	case "*int":
		if n, ok := f.DefaultInt(); ok {
			return jen.Lit(n)
		}
	case "*bool":
		if f.Default == "true" || f.Default == "false" {
			return jen.Lit(f.Default == "true")
		}
	case "*time.Duration":
		if d, err := time.ParseDuration(f.Default); err == nil {
			return durationOf(d)
		}
	case "*string":
		if f.Default != "" && !strings.Contains(f.Default, " ") {
			return jen.Lit(f.Default)
		}
	}
	return nil
}

// durationOf prints a duration in the largest unit that fits.
func durationOf(d time.Duration) *jen.Statement {
	switch {
	case d == 0:
		return jen.Qual("time", "Duration").Call(jen.Lit(0))
	case d%time.Second == 0:
		return jen.Lit(int(d/time.Second)).Op("*").Qual("time", "Second")
	}
	return jen.Lit(int(d/time.Millisecond)).Op("*").Qual("time", "Millisecond")
}
