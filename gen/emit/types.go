package emit

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

const optionsDir = "generated/options"

// Types prints the files of package options that hold types without a command of their own.
func Types(files []model.TypeFile) []File {
	var out []File
	for _, tf := range files {
		f := newFile(optionsDir, tf.Table)
		for _, t := range tf.Types {
			f.Line()
			printType(f, t)
		}
		out = append(out, File{Path: optionsDir + "/" + tf.Name + ".go", Table: tf.Table, Content: f})
	}
	return out
}

func printType(f *jen.File, t load.Type) {
	switch {
	case len(t.Fields) > 0:
		structType(f, t)
		if t.Marker != "" {
			f.Line()
			f.Func().Params(jen.Op("*").Id(t.Name)).Id(t.Marker).Params().Block()
		}
		if t.Merge {
			mergeFunc(f, t)
		}
	case t.Go != "":
		doc(f, t.Doc)
		f.Type().Id(t.Name).Add(goType(t.Go))
	default:
		enumType(f, t)
	}
}

// structType prints
//
//	// ReadConcern says ...
//	type ReadConcern struct {
//		// Level is ...
//		Level string
//	}
func structType(f *jen.File, t load.Type) {
	doc(f, documented(t.Row))
	f.Type().Id(t.Name).StructFunc(func(g *jen.Group) {
		for i, field := range t.Fields {
			if i > 0 {
				g.Line()
			}
			docIn(g, fieldDoc(field))
			column := g.Id(field.Field).Add(goType(field.Go))
			if field.Tag != "" {
				column.Tag(map[string]string{"bson": field.Tag})
			}
		}
	})
}

// documented is the sentence of a row with what users must be told beside it.
func documented(r load.Row) string {
	if r.Document == "" {
		return r.Doc
	}
	return r.Doc + "\n\n" + r.Document
}

// fieldDoc is the sentence of a field with what the columns add to it.
func fieldDoc(f load.TypeField) string {
	text := f.Doc
	if since := cmp.Or(f.From, f.Since); since != "" {
		text += " Servers know it from " + since + " on."
	}
	if f.Deprecated != "" {
		text += "\n\nDeprecated: since " + f.Deprecated + "."
	}
	return text
}

// enumType prints a string type with its constants, an integer type with String and its inverse, or constants alone.
func enumType(f *jen.File, t load.Type) {
	doc(f, t.Doc)
	if t.Base != "untyped" {
		f.Type().Id(t.Name).Id(t.Base)
		f.Line()
	}
	var members []member
	for i, v := range t.Values {
		m := member{Name: v.Name, Doc: v.Doc, Text: v.Text, Value: jen.Lit(v.Text)}
		if t.Base == "uint8" {
			m.Value = jen.Lit(i + 1)
		}
		members = append(members, m)
	}
	name := t.Name
	if t.Base == "untyped" {
		name = ""
	}
	constants(f, name, members)
	if t.Base == "uint8" {
		stringer(f, "v", t.Name, "String returns the name on the wire.", members)
		parser(f, "Parse"+t.Name, t.Name, "Parse"+t.Name+" is the inverse of String.", members)
	}
}

// mergeFunc prints
//
//	func mergeCredential(base, over *Credential) *Credential {
//		if base == nil {
//			return over
//		}
//		if over == nil {
//			return base
//		}
//		merged := *base
//		if over.Username != nil {
//			merged.Username = over.Username
//		}
//		return &merged
//	}
func mergeFunc(f *jen.File, t load.Type) {
	var fields []string
	for _, field := range t.Fields {
		fields = append(fields, field.Field)
	}
	f.Line()
	f.Func().Id("merge" + t.Name).Params(jen.List(jen.Id("base"), jen.Id("over")).Op("*").Id(t.Name)).Op("*").Id(t.Name).BlockFunc(func(g *jen.Group) {
		mergeBody(g, fields, nil)
	})
}

// mergeBody prints the statements of a merge; deep names the fields that have a merge function of their own.
func mergeBody(g *jen.Group, fields []string, deep map[string]string) {
	g.If(jen.Id("base").Op("==").Nil()).Block(jen.Return(jen.Id("over")))
	g.If(jen.Id("over").Op("==").Nil()).Block(jen.Return(jen.Id("base")))
	g.Id("merged").Op(":=").Op("*").Id("base")
	for _, name := range fields {
		if typ, ok := deep[name]; ok {
			g.Id("merged").Dot(name).Op("=").Id("merge"+typ).Call(jen.Id("base").Dot(name), jen.Id("over").Dot(name))
			continue
		}
		g.If(jen.Id("over").Dot(name).Op("!=").Nil()).Block(jen.Id("merged").Dot(name).Op("=").Id("over").Dot(name))
	}
	g.Return(jen.Op("&").Id("merged"))
}
