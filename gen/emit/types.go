package emit

import (
	"cmp"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

const optionsDir = "generated/options"

// Types prints the files that hold types without a command of their own.
func Types(files []model.TypeFile) []File {
	var out []File
	for _, tf := range files {
		dir := "generated/" + tf.Dir
		f := newFile(dir, tf.Table)
		for _, t := range tf.Types {
			f.Line()
			printType(f, t)
		}
		out = append(out, File{Path: dir + "/" + tf.Name + ".go", Table: tf.Table, Content: f})
	}
	return out
}

func printType(f *jen.File, t load.Type) {
	switch {
	case len(t.Fields) > 0:
		printStructType(f, t)
		printMethods(f, t.Name, secretFields(t))
		if t.Marker != "" {
			f.Line()
			f.Func().Params(jen.Op("*").Id(t.Name)).Id(t.Marker).Params().Block()
		}
		switch t.Merge {
		case "function":
			printMergeFunc(f, t)
		case "method":
			printMergeMethod(f, t)
		}
	case len(t.Methods) > 0:
		printInterfaceType(f, t)
	case t.Go != "":
		addDoc(f, t.Doc)
		f.Type().Id(t.Name).Add(goType(t.Go))
	default:
		printEnumType(f, t)
	}
}

// printStructType prints
//
//	// ReadConcern says ...
//	type ReadConcern struct {
//		// Level is ...
//		Level string
//	}
func printStructType(f *jen.File, t load.Type) {
	addDoc(f, rowDoc(t.Row))
	f.Type().Id(t.Name).StructFunc(func(g *jen.Group) {
		for i, field := range t.Fields {
			if i > 0 {
				g.Line()
			}
			addDocIn(g, fieldDoc(field))
			column := g.Id(field.Field).Add(goType(field.Go))
			if field.Tag != "" {
				column.Tag(map[string]string{"bson": field.Tag})
			}
		}
	})
}

// printInterfaceType prints
//
//	// Span is ...
//	type Span interface {
//		// End ends ...
//		End(err error)
//	}
func printInterfaceType(f *jen.File, t load.Type) {
	addDoc(f, t.Doc)
	f.Type().Id(t.Name).InterfaceFunc(func(g *jen.Group) {
		for i, m := range t.Methods {
			if i > 0 {
				g.Line()
			}
			addDocIn(g, m.Doc)
			g.Id(m.Method).Add(sourceOf(m.Go))
		}
	})
}

// rowDoc returns the sentence of a row, followed by the fact that drivers must document, if there is one.
func rowDoc(r load.Row) string {
	if r.Document == "" {
		return r.Doc
	}
	return r.Doc + "\n\n" + r.Document
}

// fieldDoc returns the sentence of a field, followed by what its columns add.
func fieldDoc(f load.TypeField) string {
	text := f.Doc
	if since := cmp.Or(f.From, f.Since); since != "" {
		text += " Requires server " + since + " or later."
	}
	if f.Deprecated != "" {
		text += "\n\nDeprecated: since " + f.Deprecated + "."
	}
	return text
}

// printEnumType prints a string type with its constants, an integer type with String and its inverse, numbers alone, or
// only constants.
func printEnumType(f *jen.File, t load.Type) {
	addDoc(f, t.Doc)
	switch t.Base {
	case "untyped":
	case "number":
		f.Type().Id(t.Name).Uint8().Line()
	default:
		f.Type().Id(t.Name).Id(t.Base).Line()
	}
	var members []member
	next := 0
	for i, v := range t.Values {
		m := member{Name: v.Name, Doc: v.Doc, Text: v.Text, Value: jen.Lit(v.Text)}
		switch t.Base {
		case "uint8":
			m.Value = jen.Lit(i + 1)
		case "number":
			if v.Number != nil {
				next = *v.Number
			}
			m.Value = jen.Lit(next)
			next++
		}
		members = append(members, m)
	}
	name := t.Name
	if t.Base == "untyped" {
		name = ""
	}
	printConstants(f, name, members)
	if t.Base == "uint8" {
		printStringer(f, "v", t.Name, "String returns the name on the wire.", members)
		printParser(f, "Parse"+t.Name, t.Name, "Parse"+t.Name+" is the inverse of String.", members)
	}
}
