package javascript

import (
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// asFunction makes a function of a source that is a function, an expression or the body of a function. As on a server, a
// body whose last statement is an expression returns its value.
func asFunction(source string) string {
	source = strings.TrimRight(source, "; \t\r\n")
	const open = "(function() { "
	if e, ok := parseSingle(source); ok {
		switch e.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			return source
		}
		return open[1:] + "return " + source + "\n}"
	}
	program, err := parser.ParseFile(nil, "", open+source+"\n})", parser.IgnoreRegExpErrors)
	if err != nil || len(program.Body) == 0 {
		return open[1:] + source + "\n}" // whoever compiles it says what is wrong
	}
	body := body(program.Body[0])
	if len(body) == 0 {
		return open[1:] + source + "\n}"
	}
	last, ok := body[len(body)-1].(*ast.ExpressionStatement)
	if !ok {
		return open[1:] + source + "\n}"
	}
	at := int(last.Idx0()) - 1 - len(open) // positions begin at 1
	return open[1:] + source[:at] + "return " + source[at:] + "\n}"
}

// parseSingle parses a source that is one expression.
func parseSingle(source string) (ast.Expression, bool) {
	program, err := parser.ParseFile(nil, "", "("+source+"\n)", parser.IgnoreRegExpErrors)
	if err != nil || len(program.Body) != 1 {
		return nil, false
	}
	statement, ok := program.Body[0].(*ast.ExpressionStatement)
	if !ok {
		return nil, false
	}
	return statement.Expression, true
}

// body returns the statements of a function in parentheses.
func body(statement ast.Statement) []ast.Statement {
	if s, ok := statement.(*ast.ExpressionStatement); ok {
		if f, ok := s.Expression.(*ast.FunctionLiteral); ok {
			return f.Body.List
		}
	}
	return nil
}
