package observe_test

import (
	"go/ast"
	"strings"
	"testing"
)

// The driver fills every field of an event. In a field that nothing fills, users would read zero.
func TestEveryFieldOfAnEventIsFilled(t *testing.T) {
	filled := filledFields(t)
	n := 0
	for typ, fields := range eventFields(t) {
		for _, field := range fields {
			n++
			if !filled[typ+"."+field] {
				t.Errorf("nothing fills %s of event.%s: set it where the event is made (grep -rn 'event.%s{' runtime generated/core)",
					field, typ, typ)
			}
		}
	}
	if n < 80 {
		t.Fatalf("only %d fields were found", n)
	}
}

// eventFields are the fields of the structs of package event, without those that hold the functions of a program.
func eventFields(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	inspect(t, "../../../generated/event", func(n ast.Node) {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || strings.HasSuffix(spec.Name.Name, "Monitor") {
			return
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					out[spec.Name.Name] = append(out[spec.Name.Name], name.Name)
				}
			}
		}
	})
	return out
}

// filledFields are the fields, as Type.Field, that literals of the driver set, or an assignment in a function that
// makes the event: by a literal, or by the function of package logmsg that prints one from the fields of a message.
func filledFields(t *testing.T) map[string]bool {
	t.Helper()
	filled := map[string]bool{}
	for _, root := range []string{"../..", "../../../generated/core"} {
		inspect(t, root, func(n ast.Node) {
			if f, ok := n.(*ast.FuncDecl); ok {
				noteFilled(f, filled)
			}
		})
	}
	return filled
}

func noteFilled(f *ast.FuncDecl, filled map[string]bool) {
	var made, assigned []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			s, ok := n.Type.(*ast.SelectorExpr)
			if !ok || !isPackage(s.X, "event") {
				return true
			}
			made = append(made, s.Sel.Name)
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok {
					filled[s.Sel.Name+"."+pair.Key.(*ast.Ident).Name] = true
				}
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				if typ, ok := strings.CutSuffix(s.Sel.Name, "Event"); ok {
					made = append(made, typ)
				}
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if s, ok := left.(*ast.SelectorExpr); ok {
					assigned = append(assigned, s.Sel.Name)
				}
			}
		}
		return true
	})
	for _, typ := range made {
		for _, field := range assigned {
			filled[typ+"."+field] = true
		}
	}
}

func isPackage(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
