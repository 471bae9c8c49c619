package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const encryptionDir = "generated/core/encryption"

// Encryption prints the kinds of encrypted values and the derivations of tokens.
func Encryption(m *model.Encryption) []File {
	return []File{
		{Path: encryptionDir + "/folding.go", Table: "encryption/folding.yaml", Content: encryptionFolding(m)},
		{Path: encryptionDir + "/payload.go", Table: "encryption/payloads.yaml", Content: payloads(m)},
		{Path: encryptionDir + "/algorithm.go", Table: "encryption/algorithms.yaml", Content: encryptionNumbers(m)},
		{Path: encryptionDir + "/field.go", Table: "encryption/fields.yaml", Content: encryptionFields(m)},
		{Path: encryptionDir + "/token.go", Table: "encryption/tokens.yaml", Content: tokens(m)},
	}
}

// payloads prints
//
//	const (
//		// FLE2InsertUpdatePayloadV2 is what a driver inserts into an indexed field.
//		FLE2InsertUpdatePayloadV2 Payload = 11
//	)
//
//	func (p Payload) Decryptable() bool {
//		switch p {
//		case FLE1DeterministicEncryptedValue, FLE1RandomEncryptedValue:
//			return true
//		}
//		return false
//	}
func payloads(m *model.Encryption) *jen.File {
	f := newFile(encryptionDir, "encryption/payloads.yaml")
	addDoc(f, "Payload is the first byte of a binary value of subtype 6: it says what the rest is.")
	f.Type().Id("Payload").Byte().Line()
	addCitation(f, `bson-binary-encrypted/binary-encrypted.md`)
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, r := range m.Payloads {
			addDocIn(g, r.Doc)
			g.Id(r.Name).Id("Payload").Op("=").Lit(r.Byte)
		}
	})
	var kinds []member
	for _, r := range m.Payloads {
		kinds = append(kinds, member{Name: r.Name, Text: r.Name})
	}
	printStringer(f, "p", "Payload", "String returns the name of the kind.", kinds)
	f.Line()
	is := func(name, about string, choose func(where string, decrypt bool) bool) {
		addDoc(f, name+" "+about)
		f.Func().Params(jen.Id("p").Id("Payload")).Id(name).Params().Bool().Block(
			jen.Switch(jen.Id("p")).Block(jen.CaseFunc(func(g *jen.Group) {
				for _, r := range m.Payloads {
					if choose(r.Where, r.Decrypt) {
						g.Id(r.Name)
					}
				}
			}).Block(jen.Return(jen.True()))),
			jen.Return(jen.False()),
		)
		f.Line()
	}
	is("Decryptable", "reports whether a driver opens a value of this kind.", func(_ string, decrypt bool) bool { return decrypt })
	is("Sent", "reports whether a driver sends a value of this kind to a server, which then indexes or searches it.",
		func(where string, _ bool) bool { return where == "sent" || where == "obsolete" })
	f.Add(layouts(m))
	return f
}

// encryptionNumbers prints
//
//	const (
//		// IntentInsert asks for a payload to insert.
//		IntentInsert int32 = 1
//	)
//
//	type Operator int32
//
//	const (
//		// OperatorLess is ...
//		OperatorLess Operator = 3
//	)
//
//	func (o Operator) String() string {
//		switch o {
//		case OperatorLess:
//			return "$lt"
//		}
//		return "Operator(" + strconv.FormatInt(int64(o), 10) + ")"
//	}
func encryptionNumbers(m *model.Encryption) *jen.File {
	f := newFile(encryptionDir, "encryption/algorithms.yaml")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, r := range m.Numbers {
			addDocIn(g, r.Doc)
			g.Id(r.Name).Int32().Op("=").Lit(r.Number)
		}
	})
	f.Line()
	addDoc(f, "Operator is an operator of ranges, by its number in payloads.")
	f.Type().Id("Operator").Int32().Line()
	var operators []member
	for _, r := range m.Operators {
		operators = append(operators, member{Name: r.Name, Doc: r.Doc, Value: jen.Lit(r.Number), Text: r.Text})
	}
	printConstants(f, "Operator", operators)
	printStringer(f, "o", "Operator", "String returns the operator as queries spell it.", operators)
	printParser(f, "OperatorByName", "Operator", "OperatorByName returns the operator that queries spell so.", operators)
	f.Line()
	addDoc(f, "IsLower reports whether the operator bounds a range from below.")
	f.Func().Params(jen.Id("o").Id("Operator")).Id("IsLower").Params().Bool().Block(
		jen.Switch(jen.Id("o")).Block(jen.CaseFunc(func(g *jen.Group) {
			for _, r := range m.Operators {
				if r.Lower {
					g.Id(r.Name)
				}
			}
		}).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()),
	)
	return f
}

// tokens prints
//
//	// EDCToken is the root of the tokens of the data collection.
//	func EDCToken(from sealed.Token) sealed.Token { return from.Derive(sealed.Number(1)) }
//
//	func EDCDerivedFromDataToken(from sealed.Root, value []byte) sealed.Token { return from.Derive(value) }
func tokens(m *model.Encryption) *jen.File {
	f := newFile(encryptionDir, "encryption/tokens.yaml")
	for _, r := range m.Tokens {
		from, root := jen.Id("from").Qual(sealedPkg, "Token"), jen.Id("from")
		derived := r.Doc
		if r.From == "" {
			from, root = jen.Id("key").Qual(sealedPkg, "TokenKey"), jen.Qual(sealedPkg, "Token").Call(jen.Id("key"))
		} else {
			derived += " It derives from " + r.From + "."
		}
		addDoc(f, derived)
		params, message := []jen.Code{from}, jen.Qual(sealedPkg, "Number").Call(jen.Lit(r.Number))
		switch r.Kind {
		case "value":
			params[0] = jen.Id("from").Qual(sealedPkg, "Root")
			params, message = append(params, jen.Id("value").Index().Byte()), jen.Id("value")
		case "contention":
			params = append(params, jen.Id("factor").Int64())
			message = jen.Qual(sealedPkg, "Number").Call(jen.Uint64().Call(jen.Id("factor")))
		case "padding":
			message = jen.Qual(sealedPkg, "Padding").Call()
		}
		f.Func().Id(r.Name).Params(params...).Qual(sealedPkg, "Token").Block(jen.Return(root.Dot("Derive").Call(message)))
		f.Line()
	}
	return f
}
