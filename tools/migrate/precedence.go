package main

import (
	"go/ast"
	"slices"
	"strings"
)

// reportPrecedence reports a connection string that is applied after other options: it wins over them in the official driver.
func (f *file) reportPrecedence(call *ast.CallExpr) {
	c := f.chainOf(call)
	at := slices.IndexFunc(c.steps, func(s step) bool { return s.name == "ApplyURI" })
	if at < 0 {
		return
	}
	contested := func(s step) bool { return !beyondURI[s.name] }
	before := slices.ContainsFunc(c.steps[:at], contested)
	if id, ok := c.root.(*ast.Ident); ok && !before {
		for use, o := range f.pkg.TypesInfo.Uses {
			s, isSelector := f.parents[use].(*ast.SelectorExpr)
			before = before || isSelector && o == f.objectOf(id) && use.Pos() < id.Pos() && strings.HasPrefix(s.Sel.Name, "Set") &&
				!beyondURI[s.Sel.Name]
		}
	}
	if v := f.pkg.TypesInfo.Types[c.steps[at].call.Args[0]].Value; v != nil && !strings.ContainsAny(v.String(), "?@") {
		return // it names hosts alone
	}
	if before {
		f.report(c.steps[at].call, "options win over the connection string here; in the official driver whichever is set last wins")
	}
}

// beyondURI are the setters of what no connection string can set.
var beyondURI = map[string]bool{
	"SetRegistry": true, "SetBSONOptions": true, "SetMonitor": true, "SetPoolMonitor": true, "SetServerMonitor": true,
	"SetDialer": true, "SetHTTPClient": true, "SetAutoEncryptionOptions": true, "SetServerAPIOptions": true,
	"SetLoggerOptions": true, "SetDriverInfo": true,
}
