package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// sealedPkg holds what encrypts and derives.
var sealedPkg = emittedPkg + "/sealed"

// layouts prints
//
//	// Layout says what follows the type in a stored value.
//	func (p Payload) Layout() sealed.Layout {
//		switch p {
//		case FLE1DeterministicEncryptedValue, FLE1RandomEncryptedValue:
//			return sealed.Plain
//		}
//		return sealed.Unopened
//	}
func layouts(m *model.Encryption) *jen.Statement {
	var cases []jen.Code
	for _, layout := range model.EncryptionLayouts {
		var names []jen.Code
		for _, r := range m.Payloads {
			if r.Layout == layout {
				names = append(names, jen.Id(r.Name))
			}
		}
		if len(names) > 0 {
			cases = append(cases, jen.Case(names...).Block(jen.Return(jen.Qual(sealedPkg, upperFirst(layout)))))
		}
	}
	return jen.Line().Comment("// Layout says what follows the type in a stored value.").Line().
		Func().Params(jen.Id("p").Id("Payload")).Id("Layout").Params().Qual(sealedPkg, "Layout").Block(
		jen.Switch(jen.Id("p")).Block(cases...),
		jen.Return(jen.Qual(sealedPkg, "Unopened")),
	)
}
