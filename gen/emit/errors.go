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
	doc(f, "Code is the number that a server's reply gives for a failure.")
	f.Type().Id("Code").Int32().Line()
	var names, formerly []member
	for _, c := range m.Codes {
		names = append(names, member{Name: c.Name, Doc: c.Doc, Value: jen.Lit(int(c.Code)), Text: c.Name})
		formerly = append(formerly, names[len(names)-1])
		for _, old := range c.Formerly {
			formerly = append(formerly, member{Name: c.Name, Text: old})
		}
	}
	constants(f, "Code", names)
	stringerWith(f, "c", "Code", "String returns the server's codeName for the code. As in a server's reply, a number "+
		"without a name is LocationNNNNN.",
		names, "Location", "")
	parser(f, "ByName", "Code", "ByName returns the code with a name, in its present or a former spelling.", formerly)
	formerName(f, m.Codes)
	return File{Path: errcodeDir + "/code.go", Table: table, Content: f}
}

// formerName prints
//
//	func (c Code) FormerName() string {
//		switch c {
//		case NotWritablePrimary:
//			return "NotMaster"
//		}
//		return ""
//	}
func formerName(f *jen.File, codes []model.ErrorCode) {
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
	doc(f, "FormerName returns the name that older servers give the code, or the empty string when they have no other one.")
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
		doc(f, c.Doc)
		cite(f, c.Spec)
		f.Func().Params(jen.Id("c").Id("Code")).Id("Is"+c.Name).Params().Bool().Block(
			jen.Switch(jen.Id("c")).Block(jen.Case(codeNames(c.Codes)).Block(jen.Return(jen.True()))),
			jen.Return(jen.False()),
		)
		if len(c.Substrings) > 0 {
			messageClass(f, c)
		}
	}
	return File{Path: errcodeDir + "/class.go", Table: table, Content: f}
}

// messageClass prints
//
//	func RecoveringMessage(message string) bool {
//		return strings.Contains(message, "a") ||
//			strings.Contains(message, "b")
//	}
func messageClass(f *jen.File, c model.ErrorClass) {
	f.Line()
	doc(f, c.Name+"Message is Is"+c.Name+" for a reply without a code, by its message. Classes are asked in the order in "+
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
	doc(f, "Labels that an error may carry.")
	constants(f, "", labels)
	return File{Path: errcodeDir + "/label.go", Table: table, Content: f}
}
