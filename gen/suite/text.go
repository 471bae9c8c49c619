package suite

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/specdrivers/onion/gen/emit"
)

// wrap breaks a text into lines for a comment.
func wrap(text string) []string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return '?'
	}, text)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(clean) {
		if line != "" && len(line)+1+len(word) > 112 {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// text returns a string literal, raw where that reads better.
func text(s string) jen.Code {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return jen.Id("`" + s + "`")
	}
	return jen.Lit(s)
}

// module names a symbol of a package of the module.
func module(pkg, name string) *jen.Statement { return jen.Qual(emit.Module+"/"+pkg, name) }

// helper names a symbol of a package below the shared helpers.
func helper(pkg, name string) *jen.Statement { return module(helpers+"/"+pkg, name) }

// call returns a method call on a local variable.
func call(on, method string, args ...jen.Code) jen.Code {
	return jen.Id(on).Dot(method).Call(args...)
}

// lines returns a call with one argument per line.
func lines(f *jen.Statement, args ...jen.Code) *jen.Statement {
	return f.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...)
}

// field returns one field of a composite literal on one line.
func field(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// millis returns a duration in milliseconds, whole or fractional.
func millis(number string) jen.Code {
	if !strings.ContainsAny(number, ".eE") {
		return jen.Id(number).Op("*").Qual("time", "Millisecond")
	}
	return jen.Qual("time", "Duration").Call(jen.Id(number).Op("*").Float64().Call(jen.Qual("time", "Millisecond")))
}
