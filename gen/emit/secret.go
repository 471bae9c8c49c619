package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
)

func secretFields(t load.Type) []string {
	var fields []string
	for _, f := range t.Fields {
		if f.Secret {
			fields = append(fields, f.Field)
		}
	}
	return fields
}

// printMethods prints, for a type with secrets,
//
//	// Format prints the fields that are set; secrets are replaced, whatever the verb.
//	func (v Credential) Format(f fmt.State, _ rune) { emitted.PrintFields(f, v, "Password") }
//
//	// MarshalJSON encodes the fields that are set; secrets are replaced.
//	func (v Credential) MarshalJSON() ([]byte, error) { return emitted.FieldsJSON(v, "Password") }
func printMethods(f *jen.File, name string, secret []string) {
	if len(secret) == 0 {
		return
	}
	args := []jen.Code{jen.Id("v")}
	for _, field := range secret {
		args = append(args, jen.Lit(field))
	}
	f.Line()
	addDoc(f, "Format prints the fields that are set; secrets are replaced, whatever the verb.")
	f.Func().Params(jen.Id("v").Id(name)).Id("Format").
		Params(jen.Id("f").Qual("fmt", "State"), jen.Id("_").Rune()).
		Block(jen.Qual(emittedPkg, "PrintFields").Call(append([]jen.Code{jen.Id("f")}, args...)...))
	f.Line()
	addDoc(f, "MarshalJSON encodes the fields that are set; secrets are replaced.")
	f.Func().Params(jen.Id("v").Id(name)).Id("MarshalJSON").Params().
		Params(jen.Index().Byte(), jen.Error()).
		Block(jen.Return(jen.Qual(emittedPkg, "FieldsJSON").Call(args...)))
}
