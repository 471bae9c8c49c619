package emit

import (
	"path"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// Values prints a table of single values. Lists are functions, because Go has no constant lists and a variable could be
// changed. values.yaml becomes constants.go; another table, several of which may share a package, has a file of its
// name.
//
//	const (
//		// MaxDoors is ...
//		MaxDoors = 3
//	)
//
//	func Names() []string { return []string{"a"} }
//
//	func DoorText(value uint32) string {
//		switch value {
//		case DoorFront:
//			return "front"
//		}
//		return "unknown"
//	}
func Values(m *model.Values) []File {
	dir := "generated/" + m.Package
	f := newFile(dir, m.File)
	var members []member
	for _, c := range m.Rows {
		switch {
		case c.Duration != nil:
			members = append(members, member{Name: c.Name, Doc: c.Doc, Value: durationLit(*c.Duration)})
		case c.List == nil:
			members = append(members, member{Name: c.Name, Doc: c.Doc, Value: scalarLit(c.Value)})
		}
	}
	addDoc(f, m.Doc)
	printConstants(f, "", members)
	for _, c := range m.Rows {
		if c.List != nil {
			f.Line()
			addDoc(f, c.Doc)
			f.Func().Id(c.Name).Params().Index().String().Block(
				jen.Return(jen.Index().String().Values(stringLits(c.List)...)),
			)
		}
	}
	for _, texts := range m.Texts {
		f.Line()
		addDoc(f, texts.Doc)
		f.Func().Id(texts.Name).Params(jen.Id("value").Uint32()).String().Block(
			jen.Switch(jen.Id("value")).BlockFunc(func(g *jen.Group) {
				for _, v := range texts.Rows {
					g.Case(jen.Id(v.Name)).Block(jen.Return(jen.Lit(v.Text)))
				}
			}),
			jen.Return(jen.Lit(texts.Other)))
	}
	name := strings.TrimSuffix(path.Base(m.File), ".yaml")
	if name == "values" {
		name = "constants"
	}
	return []File{{Path: dir + "/" + name + ".go", Table: m.File, Content: f}}
}

func scalarLit(v any) *jen.Statement {
	if i, ok := v.(int64); ok {
		return jen.Lit(int(i))
	}
	return jen.Lit(v)
}

// durationLit returns a duration as a product with the largest unit that divides it.
func durationLit(d time.Duration) *jen.Statement {
	units := []struct {
		name string
		unit time.Duration
	}{
		{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond},
		{"Microsecond", time.Microsecond},
	}
	for _, u := range units {
		if d != 0 && d%u.unit == 0 {
			return jen.Lit(int(d/u.unit)).Op("*").Qual("time", u.name)
		}
	}
	return jen.Lit(int(d)).Op("*").Qual("time", "Nanosecond")
}

func stringLits(texts []string) []jen.Code {
	var out []jen.Code
	for _, t := range texts {
		out = append(out, jen.Lit(t))
	}
	return out
}
