package main

import (
	"go/ast"
	"go/token"
	"math"
	"strconv"
	"time"
)

// shortest is the length of the shortest text, and least the smallest number, that are looked for. Smaller ones occur everywhere by chance.
const (
	shortest = 4
	least    = 1000
)

// valueOf returns the value of a literal, or "" for one that is too short to say anything. A text of digits is a number.
func valueOf(lit *ast.BasicLit) string {
	switch lit.Kind {
	case token.STRING:
		s, err := strconv.Unquote(lit.Value)
		if n, isNumber := strconv.ParseUint(s, 10, 64); err == nil && isNumber == nil && n >= least {
			return "number " + strconv.FormatUint(n, 10)
		}
		if err == nil && len(s) >= shortest {
			return "text " + s
		}
	case token.INT:
		if n, err := strconv.ParseUint(lit.Value, 0, 64); err == nil && n >= least {
			return "number " + strconv.FormatUint(n, 10)
		}
	case token.FLOAT:
		if f, err := strconv.ParseFloat(lit.Value, 64); err == nil && (f != math.Trunc(f) || f >= least) {
			return "number " + strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return ""
}

// units are the names that package time gives to units.
var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// valueOfExpression returns the value of a literal, a duration or a sum of texts, or "".
func valueOfExpression(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return valueOf(lit)
	}
	if d, ok := durationOf(e); ok {
		return "duration " + d.String()
	}
	if text, ok := textOf(e); ok {
		return "text " + text
	}
	return ""
}

// durationOf returns the product of a number and a unit of time.
func durationOf(e ast.Expr) (time.Duration, bool) {
	product, ok := e.(*ast.BinaryExpr)
	if !ok || product.Op != token.MUL {
		return 0, false
	}
	number, unit := product.X, product.Y
	if isUnit(number) {
		number, unit = unit, number
	}
	lit, isLiteral := number.(*ast.BasicLit)
	if !isLiteral || !isUnit(unit) {
		return 0, false
	}
	n, err := strconv.ParseFloat(lit.Value, 64)
	return time.Duration(n * float64(units[unit.(*ast.SelectorExpr).Sel.Name])), err == nil
}

func isUnit(e ast.Expr) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return ok && pkg.Name == "time" && units[selector.Sel.Name] != 0
}

func isScale(op token.Token) bool { return op == token.MUL || op == token.QUO || op == token.REM }

// unitOf returns the unit of time that an operand is, perhaps converted to a number.
func unitOf(e ast.Expr) ast.Expr {
	if conversion, ok := e.(*ast.CallExpr); ok && len(conversion.Args) == 1 {
		if _, named := conversion.Fun.(*ast.Ident); named {
			e = conversion.Args[0]
		}
	}
	if isUnit(e) {
		return e
	}
	return nil
}

// roundingUnit returns the unit to which a call rounds a duration.
func roundingUnit(call *ast.CallExpr) ast.Expr {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Round" && method.Sel.Name != "Truncate" || len(call.Args) != 1 {
		return nil
	}
	return unitOf(call.Args[0])
}

// eachLiteral visits the literals of a file, and products of a number and a unit of time as one. A unit that converts or rounds
// is no duration. Imports and fields with tags have none.
func eachLiteral(file *ast.File, visit func(n ast.Expr, value string)) {
	scales := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return n.Tag == nil
		case *ast.CallExpr:
			scales[roundingUnit(n)] = true
		case *ast.BinaryExpr:
			if value := valueOfExpression(n); value != "" {
				visit(n, value)
				return false
			}
			if isScale(n.Op) {
				scales[unitOf(n.X)], scales[unitOf(n.Y)] = true, true
			}
		case *ast.SelectorExpr:
			if isUnit(n) && !scales[n] {
				visit(n, "duration "+units[n.Sel.Name].String())
			}
		case *ast.BasicLit:
			if value := valueOf(n); value != "" {
				visit(n, value)
			}
		}
		return true
	})
}

// textOf returns a text, or the sum of several.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := textOf(e.X)
		right, also := textOf(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
