package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

// authCommands prints the commands of a conversation.
func authCommands(m *model.Auth) File {
	const table = "auth/commands.yaml"
	f := newFile(authDir, table)
	for _, c := range m.Commands {
		printAuthCommand(f, c)
	}
	f.ImportName("github.com/specdrivers/onion/bson", "bson")
	return File{Path: authDir + "/command.go", Table: table, Content: f}
}

// printAuthCommand prints
//
//	type SASLContinue struct {
//		// The number ...
//		ConversationID int32
//	}
//
//	func (c *SASLContinue) Append(dst []byte) []byte {
//		dst, start := bson.AppendDocumentStart(dst)
//		dst = bson.AppendInt32Element(dst, "saslContinue", 1)
//		dst = bson.AppendInt32Element(dst, "conversationId", c.ConversationID)
//		return bson.AppendDocumentEnd(dst, start)
//	}
func printAuthCommand(f *jen.File, c model.AuthCommand) {
	f.Line()
	addDoc(f, c.Doc)
	addCitation(f, c.Spec)
	f.Type().Id(c.Name).StructFunc(func(g *jen.Group) {
		for _, field := range c.Fields {
			addDocIn(g, field.Doc)
			g.Id(field.Name).Add(authFieldType(field.Type))
		}
	})
	f.Line()
	addDoc(f, "Append appends the command as a whole document, without the database to send it to. Optional arguments that "+
		"are zero are left out.")
	f.Func().Params(jen.Id("c").Op("*").Id(c.Name)).Id("Append").Params(jen.Id("dst").Index().Byte()).Index().Byte().
		BlockFunc(func(g *jen.Group) {
			g.List(jen.Id("dst"), jen.Id("start")).Op(":=").Qual(pkg("bson"), "AppendDocumentStart").Call(jen.Id("dst"))
			g.Add(appendElement("AppendInt32Element", c.Command, jen.Lit(1)))
			for _, field := range c.Fields {
				printAuthField(g, field)
			}
			g.Return(jen.Qual(pkg("bson"), "AppendDocumentEnd").Call(jen.Id("dst"), jen.Id("start")))
		})
}

func authFieldType(word string) *jen.Statement {
	switch word {
	case "binary":
		return jen.Index().Byte()
	case "bool":
		return jen.Bool()
	case "int32":
		return jen.Int32()
	}
	return jen.String()
}

func printAuthField(g *jen.Group, field model.AuthCommandField) {
	value := jen.Id("c").Dot(field.Name)
	var present, add *jen.Statement
	switch field.Type {
	case "binary":
		present = jen.Len(value).Op("!=").Lit(0)
		add = appendElement("AppendBinaryElement", field.Key, jen.Lit(0), value)
	case "bool":
		present = value
		add = appendElement("AppendBooleanElement", field.Key, value)
	case "int32":
		present = jen.Add(value).Op("!=").Lit(0)
		add = appendElement("AppendInt32Element", field.Key, value)
	default:
		present = jen.Add(value).Op("!=").Lit("")
		add = appendElement("AppendStringElement", field.Key, value)
	}
	if field.In != "" {
		g.If(present).Block(
			jen.Var().Id("inner").Int(),
			jen.List(jen.Id("dst"), jen.Id("inner")).Op("=").Qual(pkg("bson"), "AppendDocumentElementStart").
				Call(jen.Id("dst"), jen.Lit(field.In)),
			add,
			jen.Id("dst").Op("=").Qual(pkg("bson"), "AppendDocumentEnd").Call(jen.Id("dst"), jen.Id("inner")),
		)
		return
	}
	if field.Optional {
		g.If(present).Block(add)
		return
	}
	g.Add(add)
}

func appendElement(function, key string, values ...jen.Code) *jen.Statement {
	return jen.Id("dst").Op("=").Qual(pkg("bson"), function).Call(append([]jen.Code{jen.Id("dst"), jen.Lit(key)}, values...)...)
}
