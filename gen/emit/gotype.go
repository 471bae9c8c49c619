package emit

import (
	"fmt"
	"go/ast"
	goparser "go/parser"

	"github.com/dave/jennifer/jen"
)

// imports are the packages that Go types in tables, and the text given to source, may name.
var imports = map[string]string{
	"binary": "encoding/binary", "errors": "errors", "fmt": "fmt", "math": "math", "slices": "slices",
	"strconv": "strconv", "strings": "strings",
	"context": "context", "http": "net/http", "net": "net", "slog": "log/slog", "time": "time", "tls": "crypto/tls",
	"iter": "iter", "sort": "sort", "io": "io", "cmp": "cmp", "maps": "maps", "bytes": "bytes",
	"bson": pkg("bson"), "emitted": emittedPkg, "event": pkg("generated/event"), "description": pkg("generated/description"),
	"options": pkg("generated/options"), "errcode": pkg("generated/errcode"), "bsontype": pkg("generated/bsontype"),
	"wire": pkg("generated/core/wire"), "trace": pkg("generated/core/trace"),
}

// goType prints the Go type in a column. The model has already parsed it.
func goType(expr string) *jen.Statement {
	e, err := goparser.ParseExpr(expr)
	if err != nil {
		return jen.Id(expr)
	}
	return typeExpr(e)
}

func typeExpr(e ast.Expr) *jen.Statement {
	switch e := e.(type) {
	case *ast.Ident:
		return jen.Id(e.Name)
	case *ast.StarExpr:
		return jen.Op("*").Add(typeExpr(e.X))
	case *ast.SelectorExpr:
		return jen.Qual(imports[fmt.Sprint(e.X)], e.Sel.Name)
	case *ast.ArrayType:
		if n, ok := e.Len.(*ast.BasicLit); ok {
			return jen.Index(jen.Id(n.Value)).Add(typeExpr(e.Elt))
		}
		return jen.Index().Add(typeExpr(e.Elt))
	case *ast.MapType:
		return jen.Map(typeExpr(e.Key)).Add(typeExpr(e.Value))
	case *ast.Ellipsis:
		return jen.Op("...").Add(typeExpr(e.Elt))
	case *ast.FuncType:
		return jen.Func().Add(signature(e))
	case *ast.InterfaceType:
		return jen.InterfaceFunc(func(g *jen.Group) {
			for _, m := range e.Methods.List {
				g.Id(m.Names[0].Name).Add(signature(m.Type.(*ast.FuncType)))
			}
		})
	}
	return jen.Id(fmt.Sprintf("%T", e))
}

func signature(f *ast.FuncType) *jen.Statement {
	s := jen.Params(fieldList(f.Params)...)
	if f.Results == nil {
		return s
	}
	results := fieldList(f.Results)
	if len(results) == 1 {
		return s.Add(results...)
	}
	return s.Params(results...)
}

func fieldList(l *ast.FieldList) []jen.Code {
	var out []jen.Code
	for _, f := range l.List {
		if len(f.Names) == 0 {
			out = append(out, typeExpr(f.Type))
		}
		for i, n := range f.Names {
			if i == len(f.Names)-1 {
				out = append(out, jen.Id(n.Name).Add(typeExpr(f.Type)))
			} else {
				out = append(out, jen.Id(n.Name))
			}
		}
	}
	return out
}
