package model

import (
	"go/parser"
	"path"
	"strings"

	"github.com/specdrivers/onion/gen/load"
)

// TypeFile is one file of types. Dir is its package below generated/, Table its place below specs/, Name its base name.
type TypeFile struct {
	Dir, Table, Name string
	Types            []load.Type
}

// NewPackageTypes checks the types in specs/types. Each file belongs to the package that it names.
func NewPackageTypes(t *load.Tables) []TypeFile {
	var out []TypeFile
	for _, in := range t.PackageTypes() {
		if len(in.Types) == 0 {
			continue
		}
		if in.Package == "" {
			t.Problemf(in.Types[0].At, "the file names no package")
		}
		names := newGoNames(t)
		for _, typ := range in.Types {
			checkType(t, names, typ)
		}
		out = append(out, TypeFile{
			Dir: in.Package, Table: strings.TrimPrefix(in.Types[0].At.File, "specs/"), Name: "types", Types: in.Types,
		})
	}
	return out
}

// NewTypes checks the types of package options in specs/options/types.
func NewTypes(t *load.Tables) []TypeFile {
	var out []TypeFile
	names := newGoNames(t)
	for _, in := range t.OptionTypes() {
		if len(in.Types) == 0 {
			continue
		}
		table := strings.TrimPrefix(in.Types[0].At.File, "specs/")
		for _, typ := range in.Types {
			checkType(t, names, typ)
		}
		out = append(out, TypeFile{Dir: "options", Table: table, Name: strings.TrimSuffix(path.Base(table), ".yaml"), Types: in.Types})
	}
	return out
}

func checkType(t *load.Tables, names goNames, typ load.Type) {
	names.add(typ.Name, typ.At)
	checkSentence(t, typ.At, typ.Doc)
	forms := 0
	for _, has := range []bool{typ.Base != "", typ.Go != "", len(typ.Fields) > 0, len(typ.Methods) > 0} {
		if has {
			forms++
		}
	}
	if forms != 1 {
		t.Problemf(typ.At, "%s needs fields, or methods, or a base with values, or go", typ.Name)
	}
	switch typ.Base {
	case "", "string", "uint8", "untyped", "number":
	default:
		t.Problemf(typ.At, "base %s is not one of string, uint8, untyped, number", typ.Base)
	}
	switch typ.Merge {
	case "", "function", "method":
	default:
		t.Problemf(typ.At, "merge %s is not one of function, method", typ.Merge)
	}
	if typ.Go != "" {
		checkGoType(t, typ.At, typ.Go)
	}
	fields, options := newGoNames(t), newUnique[string](t)
	for _, f := range typ.Fields {
		fields.add(f.Field, f.At)
		checkSentence(t, f.At, f.Doc)
		checkGoType(t, f.At, f.Go)
		if f.Option != "" {
			options.add(f.Option, f.Field, f.At, "option %s is mapped twice", f.Option)
		}
	}
	for _, w := range typ.Without {
		if first, both := options.seen[w.Key]; both {
			t.Problemf(w.At, "option %s is left out, yet mapped (%s)", w.Key, first.name)
		}
	}
	methods := newGoNames(t)
	for _, m := range typ.Methods {
		methods.add(m.Method, m.At)
		checkSentence(t, m.At, m.Doc)
		checkGoType(t, m.At, "func"+m.Go)
	}
	texts := newUnique[string](t)
	for _, v := range typ.Values {
		names.add(v.Name, v.At)
		checkSentence(t, v.At, v.Doc)
		if numbered := typ.Base == "number"; numbered != (v.Text == "") || !numbered && v.Number != nil {
			t.Problemf(v.At, "%s needs a number or nothing in a base number, and a text in any other base", v.Name)
		}
		if typ.Base == "number" {
			continue
		}
		texts.add(v.Text, v.Name, v.At, "text %s is used twice", v.Text)
	}
}

// checkGoType checks that a column holds a Go type.
func checkGoType(t *load.Tables, at load.Pos, expr string) {
	if _, err := parser.ParseExpr(expr); err != nil {
		t.Problemf(at, "%q is not a Go type", expr)
	}
}
