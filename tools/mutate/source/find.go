package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// finder collects the mutants of one function.
type finder struct {
	file     *File
	function *ast.FuncDecl
	hit      int
}

// add adds the mutant that replaces the text between two positions.
func (w *finder) add(what string, from, to token.Pos, with string) {
	start, end := w.file.offset(from), w.file.offset(to)
	w.file.Mutants = append(w.file.Mutants, &Mutant{
		File: w.file, What: what, Was: w.file.text[start:end], With: with, start: start, hit: w.hit, function: w.function,
	})
}

func (w *finder) replace(what string, n ast.Node, with string) { w.add(what, n.Pos(), n.End(), with) }

// addEarlyReturn adds the mutant that returns at once. A function of one statement has that of its statement.
func (w *finder) addEarlyReturn(fn *ast.FuncDecl) {
	if len(fn.Body.List) < 2 {
		return
	}
	first := fn.Body.List[0].Pos()
	w.hit = w.file.offset(first)
	w.add("early return", first, first, w.returnZeros(fn.Type)+"; ")
}

// returnZeros writes a statement that returns zero values.
func (w *finder) returnZeros(t *ast.FuncType) string {
	if t.Results == nil {
		return "return"
	}
	var values []string
	for _, f := range t.Results.List {
		values = slices.Concat(values, slices.Repeat([]string{"*new(" + w.file.textOf(f.Type) + ")"}, max(1, len(f.Names))))
	}
	return "return " + strings.Join(values, ", ")
}

// visit adds the mutants of one node, and reports whether to look into it.
func (w *finder) visit(n ast.Node, stack []ast.Node) bool {
	if at := statement(append(stack, n)); at != nil {
		w.hit = w.file.offset(at.Pos())
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		if !strings.HasSuffix(w.file.textOf(n.Cond), "poison.On") { // it is a constant, and false outside of one job
			w.negate(n.Cond)
		}
	case *ast.ForStmt:
		w.negate(n.Cond)
	case *ast.CaseClause:
		w.negateCases(n, stack)
	case *ast.BinaryExpr:
		if !w.isCapacity(n, stack) {
			w.changeOperator(n, stack[len(stack)-1])
		}
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && !isEmpty(w.file.textOf(call.Fun)) {
			w.replace("without the call", n, "")
		}
	case *ast.DeferStmt:
		w.replace("without the call", n, "")
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && statement(append(stack, n)) == n {
			w.replace("without the assignment", n, "")
		}
	case *ast.IncDecStmt:
		w.add("the other direction", n.TokPos, n.End(), map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok])
	case *ast.CallExpr:
		fn := w.file.textOf(n.Fun)
		if isMessage(fn) || isEmpty(fn) {
			return false
		}
		if !slices.Contains([]string{"max", "min", "bytes.Equal", "slices.Equal"}, fn) { // their order means nothing
			w.swapArguments(n)
		}
	case *ast.ReturnStmt:
		w.zeroResults(n, stack)
	case *ast.BasicLit:
		if !w.isReturnedWithError(n, stack) && !w.isCapacity(n, stack) {
			w.changeConstant(n)
		}
	case *ast.Ident:
		if other := map[string]string{"true": "false", "false": "true"}[n.Name]; other != "" {
			w.replace("another constant", n, other)
		}
	}
	return true
}

// statement returns the innermost statement of a path that can have another one before it.
func statement(path []ast.Node) ast.Node {
	for i := len(path) - 1; i > 0; i-- {
		switch path[i].(type) {
		case *ast.CaseClause, *ast.CommClause:
			continue
		}
		_, ok := path[i].(ast.Stmt)
		switch parent := path[i-1].(type) {
		case *ast.BlockStmt, *ast.CaseClause:
		case *ast.CommClause:
			ok = ok && parent.Comm != path[i]
		default:
			ok = false
		}
		if ok {
			return path[i]
		}
	}
	return nil
}

// isMessage reports whether a function takes a message, on which no program depends.
func isMessage(fn string) bool {
	return slices.Contains([]string{"panic", "errors.New"}, fn) || strings.HasSuffix(fn, "Errorf") // our own, too
}

// isEmpty reports whether a function has a body only under the build tag poison.
func isEmpty(fn string) bool {
	name := fn[strings.LastIndexByte(fn, '.')+1:]
	return strings.HasPrefix(fn, "poison.") || slices.Contains([]string{"InUse", "GoesBack", "ComesOut", "rest", "poison"}, name)
}

func (w *finder) negate(cond ast.Expr) {
	if cond != nil {
		w.replace("negated", cond, "!("+w.file.textOf(cond)+")")
	}
}

// negateCases negates the conditions of a switch without a value.
func (w *finder) negateCases(n *ast.CaseClause, stack []ast.Node) {
	if s, ok := stack[len(stack)-2].(*ast.SwitchStmt); ok && s.Tag == nil {
		for _, cond := range n.List {
			w.negate(cond)
		}
	}
}

var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.LAND: "||", token.LOR: "&&",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.AND: "|", token.OR: "&", token.EQL: "!=", token.NEQ: "==",
}

// changeOperator changes an operator. An equality that is a whole condition is negated already.
func (w *finder) changeOperator(n *ast.BinaryExpr, parent ast.Node) {
	what := "another operator"
	switch n.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		what = "moved by one"
	case token.EQL, token.NEQ:
		switch parent.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.CaseClause:
			return
		}
	}
	if other := operators[n.Op]; other != "" {
		w.add(what, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
	}
}

// swapArguments exchanges neighbouring arguments.
func (w *finder) swapArguments(n *ast.CallExpr) {
	for i := range len(n.Args) - 1 {
		a, b := w.file.textOf(n.Args[i]), w.file.textOf(n.Args[i+1])
		if a != b && !(n.Ellipsis.IsValid() && i+2 == len(n.Args)) {
			w.add("arguments swapped", n.Args[i].Pos(), n.Args[i+1].End(), b+", "+a)
		}
	}
}

// zeroResults replaces the values of a return statement by zero values.
func (w *finder) zeroResults(n *ast.ReturnStmt, stack []ast.Node) {
	if !slices.ContainsFunc(n.Results, func(e ast.Expr) bool {
		return !slices.Contains([]string{"nil", "false", "0", `""`}, w.file.textOf(e))
	}) {
		return
	}
	w.replace("zero result", n, w.returnZeros(w.typeAt(stack)))
}

// typeAt returns the type of the innermost function around a node.
func (w *finder) typeAt(stack []ast.Node) *ast.FuncType {
	of := w.function.Type
	for _, outer := range stack {
		if lit, ok := outer.(*ast.FuncLit); ok {
			of = lit.Type
		}
	}
	return of
}

// isReturnedWithError reports whether a value is returned together with an error, so that no caller looks at it.
func (w *finder) isReturnedWithError(n *ast.BasicLit, stack []ast.Node) bool {
	s, ok := stack[len(stack)-1].(*ast.ReturnStmt)
	if !ok || len(s.Results) < 2 {
		return false
	}
	last := s.Results[len(s.Results)-1]
	return n != last && strings.HasSuffix(w.returnZeros(w.typeAt(stack)), "*new(error)") && w.file.textOf(last) != "nil"
}

// isCapacity reports whether an expression is only the capacity of a make, which no program can observe.
func (w *finder) isCapacity(n ast.Node, stack []ast.Node) bool {
	for path := append(stack, n); len(path) > 1; path = path[:len(path)-1] {
		call, ok := path[len(path)-2].(*ast.CallExpr)
		if ok && w.file.textOf(call.Fun) == "make" && len(call.Args) == 3 && call.Args[2] == path[len(path)-1] {
			return true
		}
	}
	return false
}

func (w *finder) changeConstant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		w.replace("one more", n, "("+n.Value+" + 1)")
	case token.STRING:
		w.replace("another text", n, `(`+n.Value+` + "X")`)
	}
}
