package main

import (
	"go/ast"
	"strings"
)

// Plain fields of the official driver's structs, such as options.Credential's, are pointers here.

// readPointer writes a read of such a field as the plain value that it was.
func (f *file) readPointer(n *ast.SelectorExpr, official, onion, name string) bool {
	if !isPlain(official) || onion != "*"+translateType(official) || f.isAssigned(n) || f.isOneOfManySet(n) {
		return false
	}
	f.replace(n, f.useHelper("valueOrZero")+"("+f.text(n.X)+"."+name+")")
	return true
}

// isOneOfManySet reports whether a field is one of several that an assignment sets from a call.
func (f *file) isOneOfManySet(n ast.Expr) bool {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	return ok && len(assign.Lhs) != len(assign.Rhs)
}

// rewriteManyResults rewrites c.Username, err = f() where the field is a pointer here: it gets a variable, which the call sets.
func (f *file) rewriteManyResults(n *ast.AssignStmt) {
	if _, ok := f.parents[n].(*ast.BlockStmt); !ok {
		return
	}
	for _, l := range n.Lhs {
		s, ok := l.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		official, onion := f.fieldTypes(s)
		if !isPlain(official) || onion != "*"+translateType(official) {
			continue
		}
		f.unreport(s)
		text := f.text(s)
		f.replace(s, "*"+text)
		f.insert(n.Pos(), text+" = "+newCall+"("+f.spell(onion[1:])+")\n")
		f.reportZeroIsSent(s)
	}
}

// rewritePasswordSet rewrites Credential.PasswordSet: here a password that is not nil is set.
func (f *file) rewritePasswordSet(n *ast.SelectorExpr) {
	password := f.text(n.X) + ".Password"
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || !f.isAssigned(n) || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		f.replace(n, "("+password+" != nil)")
		return
	}
	value := f.pkg.TypesInfo.Types[assign.Rhs[0]].Value
	condition := f.text(assign.Rhs[0]) + " && " + password + " == nil"
	switch {
	case value != nil && value.String() == "false":
		f.dropped = append(f.dropped, assign)
		return
	case value != nil:
		condition = password + " == nil"
	}
	f.wholes[assign] = "if " + condition + " {\n" + password + " = " + newCall + "(string)\n}"
}

// reportZeroIsSent reports that a field that is set to a variable is sent with a zero, too.
func (f *file) reportZeroIsSent(s *ast.SelectorExpr) {
	key, _ := f.keyOf(s)
	if emptyMeansUnset[key] {
		return
	}
	f.report(s, "%s: zero means unset in the official driver and is sent here: leave the field nil when it is not set", member(key))
}

// reportCredentialSource reports a credential that is filled field by field: the database of its user is another one.
func (f *file) reportCredentialSource(s *ast.SelectorExpr) {
	if key, _ := f.keyOf(s); key == "options.Credential.Username" {
		f.report(s, "options.Credential: where AuthSource is not set it comes from the connection string here, "+
			"and from the mechanism in the official driver: set it")
	}
}

// clearField writes nil for a constant that means "not set".
func (f *file) clearField(n *ast.AssignStmt, i int, s *ast.SelectorExpr, official string) bool {
	if !isPlain(official) {
		return false
	}
	if f.isUnset(n.Rhs[i]) {
		f.unreport(s)
		f.replace(n.Rhs[i], "nil")
		return true
	}
	if f.pkg.TypesInfo.Types[n.Rhs[i]].Value == nil {
		f.reportZeroIsSent(s)
	}
	return false
}

// isArrayFiltersPointer reports whether a type is *options.ArrayFilters of version 1, a plain list here.
func isArrayFiltersPointer(text string) bool {
	return strings.TrimPrefix(text, "*") == "options.ArrayFilters"
}

// rewriteStar rewrites *options.ArrayFilters, as a type and as a value.
func (f *file) rewriteStar(n *ast.StarExpr) {
	if t := f.typeOf(n); t != nil && isArrayFiltersPointer(typeText(t)) {
		f.replace(n, f.text(n.X))
	}
}

// rewriteAddress rewrites &options.ArrayFilters{...}, and the address of a variable that is a constant here.
func (f *file) rewriteAddress(n *ast.UnaryExpr) {
	if n.Op.String() != "&" {
		return
	}
	if t := f.typeOf(n.X); t != nil && isArrayFiltersPointer(typeText(t)) {
		if f.isAssigned(n.X) {
			f.unreport(n.X)
		}
		f.replace(n, f.text(n.X))
		return
	}
	if s, ok := n.X.(*ast.SelectorExpr); ok {
		if key, _ := f.keyOf(s); strings.HasPrefix(renames[key], "(") && strings.HasPrefix(key, "options.Default") {
			f.replace(n, newCall+"("+f.text(s)+")")
		}
	}
}
