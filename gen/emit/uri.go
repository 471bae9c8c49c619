package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const (
	uriDir   = "generated/core/uritable"
	uriTable = "options/uri.yaml"
)

// URI prints package core/uritable.
func URI(m *model.URI) []File {
	return []File{
		{Path: uriDir + "/option.go", Table: uriTable, Content: uriOptions(m)},
		{Path: uriDir + "/set.go", Table: uriTable, Content: uriSetFile(m)},
		{Path: uriDir + "/warning.go", Table: uriTable, Content: uriWarnings(m)},
		{Path: uriDir + "/validate.go", Table: uriTable, Content: uriValidateFile(m)},
	}
}

// uriOptions prints
//
//	type Option uint8
//
//	const (
//		// AppName sets ...
//		Appname Option = iota + 1
//		...
//	)
//
// It also prints String, Lookup and the properties that parsing needs.
func uriOptions(m *model.URI) *jen.File {
	f := newFile(uriDir, uriTable)
	addDoc(f, "Option is an option of a connection string, under any of its names.")
	f.Type().Id("Option").Uint8()
	f.Line()
	var members []member
	for i, o := range supportedURIOptions(m) {
		members = append(members, member{Name: o.Const, Doc: o.Const + ": " + lowerFirst(o.Doc), Text: o.Name, Value: jen.Lit(i + 1)})
	}
	printConstants(f, "Option", members)
	printStringer(f, "o", "Option", "String returns the name as the specification spells it.", members)
	lookup := make([]member, len(members))
	for i, mem := range members {
		lookup[i] = member{Name: mem.Name, Text: strings.ToLower(mem.Text)}
	}
	printParser(f, "Lookup", "Option", "Lookup finds an option by its name in lower case.", lookup)
	f.Line()
	addDoc(f, "OptionCount is the number of options, plus one.")
	f.Const().Id("OptionCount").Op("=").Lit(len(members) + 1)
	printURITargets(f, m)
	for _, p := range []struct {
		name, doc string
		has       func(model.URIOption) bool
	}{
		{"AllowedInTXT", "AllowedInTXT reports whether a TXT record may set the option.", func(o model.URIOption) bool { return o.TXT }},
		{"Secret", "Secret reports whether the value must not appear in a message.", func(o model.URIOption) bool { return o.Secret }},
		{"List", "List reports whether a repeated key adds to a list.", func(o model.URIOption) bool { return o.Repeated == "list" }},
		{"Once", "Once reports whether a repeated key is an error.", func(o model.URIOption) bool { return o.Repeated == "error" }},
		{"Same", "Same reports whether a repeated key must repeat the value.",
			func(o model.URIOption) bool { return o.Repeated == "same" }},
		{"KeepsEmpty", "KeepsEmpty reports whether the empty text is a value.", func(o model.URIOption) bool { return o.Empty == "keep" }},
		{"IgnoresEmpty", "IgnoresEmpty reports whether the empty text stands for nothing.",
			func(o model.URIOption) bool { return o.Empty == "ignore" }},
		{"RejectsInvalid", "RejectsInvalid reports whether a value that the option does not take is an error.",
			func(o model.URIOption) bool { return o.Invalid == "error" }},
		{"RejectsEmpty", "RejectsEmpty reports whether the empty text is an error.",
			func(o model.URIOption) bool { return o.Empty == "error" }},
	} {
		printURIPredicate(f, m, p.name, p.doc, p.has)
	}
	return f
}

// supportedURIOptions returns the options that this driver supports.
func supportedURIOptions(m *model.URI) []model.URIOption {
	var out []model.URIOption
	for _, o := range m.Options {
		if o.Field != "" || o.Target != "" {
			out = append(out, o)
		}
	}
	return out
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// printURITargets prints
//
//	func (o Option) Target() (target Option, renamed bool) {
//		switch o {
//		case SSL:
//			return TLS, false
//		}
//		return o, false
//	}
func printURITargets(f *jen.File, m *model.URI) {
	f.Line()
	addDoc(f, "Target returns the option that o is another name of, or o, and whether the name has been replaced.")
	f.Func().Params(jen.Id("o").Id("Option")).Id("Target").Params().Params(jen.Id("target").Id("Option"), jen.Id("renamed").Bool()).Block(
		jen.Switch(jen.Id("o")).BlockFunc(func(g *jen.Group) {
			for _, o := range m.Options {
				if o.Target != "" {
					g.Case(jen.Id(o.Const)).Block(jen.Return(jen.Id(o.Target), jen.Lit(o.Renamed)))
				}
			}
		}),
		jen.Return(jen.Id("o"), jen.False()),
	)
}

// printURIPredicate prints
//
//	func (o Option) Secret() bool {
//		switch o {
//		case ProxyPassword:
//			return true
//		}
//		return false
//	}
func printURIPredicate(f *jen.File, m *model.URI, name, comment string, has func(model.URIOption) bool) {
	var cases []jen.Code
	for _, o := range supportedURIOptions(m) {
		if has(o) {
			cases = append(cases, jen.Id(o.Const))
		}
	}
	f.Line()
	addDoc(f, comment)
	f.Func().Params(jen.Id("o").Id("Option")).Id(name).Params().Bool().BlockFunc(func(g *jen.Group) {
		if len(cases) > 0 {
			g.Switch(jen.Id("o")).Block(jen.Case(cases...).Block(jen.Return(jen.True())))
		}
		g.Return(jen.False())
	})
}

// uriWarnings prints a function for each text:
//
//	func UnsupportedOption(key string) string {
//		return "Unsupported option '" + key + "'."
//	}
func uriWarnings(m *model.URI) *jen.File {
	f := newFile(uriDir, uriTable)
	for _, w := range m.Warnings {
		f.Line()
		addDoc(f, w.Doc)
		var params []jen.Code
		for _, p := range w.Params {
			params = append(params, jen.Id(p))
		}
		f.Func().Id(w.Name).Params(jen.List(params...).String()).String().Block(jen.Return(uriText(w.Template)))
	}
	return f
}

// uriText returns the concatenation of a template's text and parameters.
func uriText(text string) *jen.Statement {
	out := jen.Null()
	for first := true; text != ""; first = false {
		if !first {
			out.Op("+")
		}
		open := strings.IndexByte(text, '{')
		switch {
		case open < 0:
			return out.Lit(text)
		case open > 0:
			out.Lit(text[:open])
			text = text[open:]
		default:
			end := strings.IndexByte(text, '}')
			out.Id(text[1:end])
			text = text[end+1:]
		}
	}
	return out
}
