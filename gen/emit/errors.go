package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/model"
)

const errcodeDir = "generated/errcode"

// Errors prints package errcode.
func Errors(m *model.Errors) []File {
	return []File{errorCodes(m), errorClasses(m), errorLabels(m)}
}

func errorCodes(m *model.Errors) File {
	const table = "errors/codes.yaml"
	f := newFile(errcodeDir, table)
	addDoc(f, "Code is the number that a server's reply gives for a failure.")
	f.Type().Id("Code").Int32().Line()
	var names, formerly []member
	for _, c := range m.Codes {
		names = append(names, member{Name: c.Name, Doc: c.Doc, Value: jen.Lit(int(c.Code)), Text: c.Name})
		for _, old := range c.Formerly {
			formerly = append(formerly, member{Name: c.Name, Text: old})
		}
	}
	printConstants(f, "Code", names)
	printCodeTable(f, append(names, formerly...))
	printFormerName(f, m.Codes)
	return File{Path: errcodeDir + "/code.go", Table: table, Content: f}
}

// printCodeTable prints a table and the functions that search it. Switches over so many codes would be three times as
// large in a program, and errors are rare enough for a search.
//
//	var named = [...]struct {
//		code Code
//		name string
//	}{
//		{HostUnreachable, "HostUnreachable"},
//	}
func printCodeTable(f *jen.File, members []member) {
	f.Line()
	addDoc(f, "named holds the names of the codes. Former spellings are last.")
	f.Var().Id("named").Op("=").Index(jen.Op("...")).Struct(jen.Id("code").Id("Code"), jen.Id("name").String()).
		CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
			for _, m := range members {
				g.Values(jen.Id(m.Name), jen.Lit(m.Text))
			}
		})
	search := func(field, value string, found ...jen.Code) *jen.Statement {
		return jen.For(jen.Id("i").Op(":=").Range().Id("named")).Block(
			jen.If(jen.Id("named").Index(jen.Id("i")).Dot(field).Op("==").Id(value)).Block(jen.Return(found...)),
		)
	}
	f.Line()
	addDoc(f, "String returns the server's codeName for the code. As in a server's reply, a number without a name is LocationNNNNN.")
	f.Func().Params(jen.Id("c").Id("Code")).Id("String").Params().String().Block(
		search("code", "c", jen.Id("named").Index(jen.Id("i")).Dot("name")),
		jen.Return(jen.Lit("Location").Op("+").Qual("strconv", "FormatInt").Call(jen.Int64().Call(jen.Id("c")), jen.Lit(10))),
	)
	f.Line()
	addDoc(f, "ByName returns the code with a name, in its present or a former spelling.")
	f.Func().Id("ByName").Params(jen.Id("name").String()).Params(jen.Id("Code"), jen.Bool()).Block(
		search("name", "name", jen.Id("named").Index(jen.Id("i")).Dot("code"), jen.True()),
		jen.Return(jen.Lit(0), jen.False()),
	)
}

// printFormerName prints
//
//	func (c Code) FormerName() string {
//		switch c {
//		case NotWritablePrimary:
//			return "NotMaster"
//		}
//		return ""
//	}
func printFormerName(f *jen.File, codes []model.ErrorCode) {
	var cases []jen.Code
	for _, c := range codes {
		if len(c.Formerly) > 0 {
			cases = append(cases, jen.Case(jen.Id(c.Name)).Block(jen.Return(jen.Lit(c.Formerly[0]))))
		}
	}
	if cases == nil {
		return
	}
	f.Line()
	addDoc(f, "FormerName returns the name that older servers give the code, or the empty string when they have no other one.")
	f.Func().Params(jen.Id("c").Id("Code")).Id("FormerName").Params().String().Block(
		jen.Switch(jen.Id("c")).Block(cases...),
		jen.Return(jen.Lit("")),
	)
}

// errorClasses prints for each class
//
//	func (c Code) IsShutdown() bool {
//		switch c {
//		case ShutdownInProgress, InterruptedAtShutdown:
//			return true
//		}
//		return false
//	}
//
// If the message decides for a reply without a code, it also prints RecoveringMessage(message string) bool.
func errorClasses(m *model.Errors) File {
	const table = "errors/classes.yaml"
	f := newFile(errcodeDir, table)
	for _, c := range m.Classes {
		f.Line()
		addDoc(f, c.Doc)
		addCitation(f, c.Spec)
		f.Func().Params(jen.Id("c").Id("Code")).Id("Is"+c.Name).Params().Bool().Block(
			jen.Switch(jen.Id("c")).Block(jen.Case(codeNames(c.Codes)).Block(jen.Return(jen.True()))),
			jen.Return(jen.False()),
		)
		if len(c.Substrings) > 0 {
			printMessageClass(f, c)
		}
	}
	return File{Path: errcodeDir + "/class.go", Table: table, Content: f}
}

// printMessageClass prints
//
//	func RecoveringMessage(message string) bool {
//		return strings.Contains(message, "a") ||
//			strings.Contains(message, "b")
//	}
func printMessageClass(f *jen.File, c model.ErrorClass) {
	f.Line()
	addDoc(f, c.Name+"Message is Is"+c.Name+" for a reply without a code, by its message. Classes are asked in the order in "+
		"which they stand here.")
	expr := jen.Null()
	for i, s := range c.Substrings {
		if i > 0 {
			expr.Op("||").Line()
		}
		expr.Qual("strings", "Contains").Call(jen.Id("message"), jen.Lit(s))
	}
	f.Func().Id(c.Name + "Message").Params(jen.Id("message").String()).Bool().Block(jen.Return(expr))
}

// codeNames returns a case list with one code per line.
func codeNames(codes []model.ErrorCode) *jen.Statement {
	s := jen.Null()
	for i, c := range codes {
		if i > 0 {
			s.Op(",").Line()
		}
		s.Id(c.Name)
	}
	return s
}

func errorLabels(m *model.Errors) File {
	const table = "errors/labels.yaml"
	f := newFile(errcodeDir, table)
	var labels []member
	for _, l := range m.Labels {
		labels = append(labels, member{Name: "Label" + l.Name, Doc: "Label" + l.Doc, Value: jen.Lit(l.Name)})
	}
	addDoc(f, "Labels that an error may carry.")
	printConstants(f, "", labels)
	return File{Path: errcodeDir + "/label.go", Table: table, Content: f}
}
