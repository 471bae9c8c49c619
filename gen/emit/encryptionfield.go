package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// encryptionFields prints a type, an encoder and a decoder for each document inside encrypted values.
func encryptionFields(m *model.Encryption) *jen.File {
	f := newFile(encryptionDir, "encryption/fields.yaml")
	f.ImportName(pkg("bson"), "bson")
	for _, d := range m.Documents {
		printEncryptionStruct(f, d)
		printEncryptionAppend(f, d)
		printEncryptionParse(f, d)
	}
	return f
}

// printEncryptionStruct prints
//
//	// FindTokens search for one edge or text.
//	type FindTokens struct {
//		// EDC is an EDCDerivedFromDataToken.
//		EDC sealed.Token
//	}
func printEncryptionStruct(f *jen.File, d load.EncryptionDocument) {
	f.Line()
	addDoc(f, d.Doc)
	f.Type().Id(d.Name).StructFunc(func(g *jen.Group) {
		for _, field := range d.Fields {
			addDocIn(g, field.Doc)
			g.Id(field.Name).Add(encryptionType(field))
		}
	})
}

// encryptionType returns the Go type of a field. Values and arrays need no pointer, even if they may be left out.
func encryptionType(field load.EncryptionField) jen.Code {
	switch base, list := strings.CutPrefix(field.Type, "[]"); {
	case list:
		return jen.Index().Id(base)
	case field.Type == "value":
		return jen.Qual(pkg("bson"), "RawValue")
	case field.Optional:
		return jen.Op("*").Add(encryptionBase(field.Type))
	}
	return encryptionBase(field.Type)
}

func encryptionBase(name string) jen.Code {
	switch name {
	case "token":
		return jen.Qual(sealedPkg, "Token")
	case "bytes":
		return jen.Index().Byte()
	case "uuid":
		return jen.Qual(pkg("bson"), "UUID")
	}
	return jen.Id(name)
}

// printEncryptionAppend prints
//
//	// Append appends the value: its first byte and its document.
//	func (p *FindEquality) Append(dst []byte) []byte {
//		dst = append(dst, byte(FLE2FindEqualityPayloadV2))
//		dst, start := bson.AppendDocumentStart(dst)
//		dst = emitted.AppendBytes(dst, "d", p.EDC[:])
//		return bson.AppendDocumentEnd(dst, start)
//	}
func printEncryptionAppend(f *jen.File, d load.EncryptionDocument) {
	f.Line()
	if d.Payload == "" {
		addDoc(f, "Append appends the document.")
	} else {
		addDoc(f, "Append appends the value: its first byte and its document.")
	}
	dst := jen.Id("dst")
	receiver, bytes := jen.Id("p").Op("*").Id(d.Name), jen.Index().Byte()
	f.Func().Params(receiver).Id("Append").Params(jen.Id("dst").Add(bytes)).Add(bytes).BlockFunc(func(g *jen.Group) {
		if d.Payload != "" {
			g.Add(dst).Op("=").Append(dst, jen.Byte().Call(jen.Id(d.Payload)))
		}
		g.List(dst, jen.Id("start")).Op(":=").Qual(pkg("bson"), "AppendDocumentStart").Call(dst)
		for _, field := range d.Fields {
			printEncryptionAppendField(g, field)
		}
		g.Return(jen.Qual(pkg("bson"), "AppendDocumentEnd").Call(dst, jen.Id("start")))
	})
}

// The functions of package bson, and our own, that append a field of a type, and the methods that read one.
var (
	encryptionElements  = map[string]string{"int32": "Int32", "int64": "Int64", "bool": "Boolean", "string": "String", "value": "RawValue"}
	encryptionAppenders = map[string]string{"token": "AppendBytes", "bytes": "AppendBytes", "uuid": "AppendUUID"}
	encryptionReaders   = map[string]string{
		"token": "Key32", "bytes": "Bytes", "uuid": "UUID", "int32": "Int32", "int64": "Int64", "bool": "Boolean", "string": "Text",
	}
)

// printEncryptionAppendField prints
//
//	if p.Sparsity != nil {
//		dst = bson.AppendInt64Element(dst, "s", *p.Sparsity)
//	}
func printEncryptionAppendField(g *jen.Group, field load.EncryptionField) {
	member := jen.Id("p").Dot(field.Name)
	_, list := strings.CutPrefix(field.Type, "[]")
	value := jen.Add(member)
	if field.Optional && !list && field.Type != "value" {
		value = jen.Op("*").Add(member)
	}
	var call *jen.Statement
	dst, key := jen.Id("dst"), jen.Lit(field.Key)
	switch element, own := encryptionElements[field.Type], encryptionAppenders[field.Type]; {
	case element != "":
		call = jen.Qual(pkg("bson"), "Append"+element+"Element").Call(dst, key, value)
	case own != "":
		if field.Type == "token" {
			value = jen.Add(member).Index(jen.Op(":"))
		}
		call = jen.Qual(emittedPkg, own).Call(dst, key, value)
	case list:
		call = jen.Qual(emittedPkg, "AppendList").Call(dst, key, value)
	case field.Optional:
		call = jen.Qual(emittedPkg, "AppendNested").Call(dst, key, member)
	default:
		call = jen.Qual(emittedPkg, "AppendNested").Call(dst, key, jen.Op("&").Add(member))
	}
	set := jen.Id("dst").Op("=").Add(call)
	switch {
	case !field.Optional:
		g.Add(set)
	case field.Type == "value":
		g.If(jen.Op("!").Add(member).Dot("IsZero").Call()).Block(set)
	default:
		g.If(jen.Add(member).Op("!=").Nil()).Block(set)
	}
}

// printEncryptionParse prints
//
//	// ParseFindTokens reads what Append wrote. The result shares its bytes.
//	func ParseFindTokens(doc bson.Raw) (FindTokens, error) {
//		var p FindTokens
//		r := emitted.NewFieldReader(doc)
//		for r.Next() {
//			switch r.Key() {
//			case "d":
//				p.EDC = sealed.Token(r.Key32())
//			default:
//				r.RefuseUnknown()
//			}
//		}
//		return p, r.Done("FindTokens", "d")
//	}
func printEncryptionParse(f *jen.File, d load.EncryptionDocument) {
	name := "Parse" + d.Name
	param, start := jen.Id("doc").Qual(pkg("bson"), "Raw"), jen.Qual(emittedPkg, "NewFieldReader").Call(jen.Id("doc"))
	f.Line()
	addDoc(f, name+" reads what Append wrote. The result shares its bytes.")
	if d.Payload != "" {
		param = jen.Id("value").Index().Byte()
		start = jen.Qual(emittedPkg, "NewValueReader").Call(jen.Id("value"), jen.Byte().Call(jen.Id(d.Payload)))
	}
	done := []jen.Code{jen.Lit(d.Name)}
	for _, field := range d.Fields {
		if !field.Optional {
			done = append(done, jen.Lit(field.Key))
		}
	}
	f.Func().Id(name).Params(param).Params(jen.Id(d.Name), jen.Error()).Block(
		jen.Var().Id("p").Id(d.Name),
		jen.Id("r").Op(":=").Add(start),
		jen.For(jen.Id("r").Dot("Next").Call()).Block(jen.Switch(jen.Id("r").Dot("Key").Call()).BlockFunc(func(g *jen.Group) {
			for _, field := range d.Fields {
				g.Case(jen.Lit(field.Key)).Block(jen.Id("p").Dot(field.Name).Op("=").Add(encryptionRead(field)))
			}
			g.Default().Block(jen.Id("r").Dot("RefuseUnknown").Call())
		})),
		jen.Return(jen.Id("p"), jen.Id("r").Dot("Done").Call(done...)),
	)
}

// encryptionRead returns the call that reads a field: r.Bytes(), new(r.Int32()) or emitted.ReadList(&r, ParseTokenSet).
func encryptionRead(field load.EncryptionField) jen.Code {
	base, list := strings.CutPrefix(field.Type, "[]")
	var read jen.Code
	switch {
	case list:
		return jen.Qual(emittedPkg, "ReadList").Call(jen.Op("&").Id("r"), jen.Id("Parse"+base))
	case field.Type == "value":
		return jen.Id("r").Dot("Value").Call()
	case base[0] >= 'A' && base[0] <= 'Z':
		read = jen.Qual(emittedPkg, "ReadNested").Call(jen.Op("&").Id("r"), jen.Id("Parse"+base))
	default:
		read = jen.Id("r").Dot(encryptionReaders[base]).Call()
		if base == "token" {
			read = jen.Qual(sealedPkg, "Token").Call(read)
		}
	}
	if field.Optional {
		return jen.New(read)
	}
	return read
}
