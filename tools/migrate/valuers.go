package main

import "go/ast"

// Some types encode themselves as a value. In version 1's interfaces for them the type of a value is bsontype.Type; in
// version 2's and Onion's it is byte. A method with the other type would compile and never be called.

// rewriteValuer rewrites MarshalBSONValue and UnmarshalBSONValue of version 1.
func (f *file) rewriteValuer(n *ast.FuncDecl) {
	if n.Recv == nil || n.Body == nil {
		return
	}
	switch n.Name.Name {
	case "ProxyBSON":
		if n.Type.Params.NumFields() == 0 && n.Type.Results.NumFields() == 2 {
			f.report(n.Name, "version 1 stores what ProxyBSON returns, and nothing calls the method here: give the type MarshalBSON or "+
				"MarshalBSONValue")
		}
	case "MarshalBSONValue":
		if r := n.Type.Results; r != nil && len(r.List) == 3 && f.isBSONType(r.List[0].Type) {
			f.rewriteMarshalMethod(n, r)
		}
	case "UnmarshalBSONValue":
		if p := n.Type.Params.List; len(p) > 0 && f.isBSONType(p[0].Type) {
			f.rewriteUnmarshalMethod(n, p[0])
		}
	}
}

func (f *file) isBSONType(e ast.Expr) bool {
	named := namedOf(f.typeOf(e))
	return named != nil && isOfficial(named.Obj()) && named.Obj().Name() == "Type"
}

// rewriteMarshalMethod makes the first result a byte. Where the body returns another function's results as they are, or names
// its own, the body becomes a function inside.
func (f *file) rewriteMarshalMethod(n *ast.FuncDecl, results *ast.FieldList) {
	simple := len(results.List[0].Names) == 0
	var returns []*ast.ReturnStmt
	ast.Inspect(n.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			returns = append(returns, n)
			simple = simple && len(n.Results) == 3
		}
		return true
	})
	if simple {
		for _, r := range returns {
			text := "byte(" + f.text(r.Results[0]) + ")"
			if f.pkg.TypesInfo.Types[r.Results[0]].Value != nil && f.text(r.Results[0]) == "0" {
				text = "0"
			}
			f.replace(r.Results[0], text)
		}
		f.replace(results.List[0].Type, "byte")
		return
	}
	body := f.text(n.Body)
	f.replace(n.Body, "{\nt, data, err := func() "+f.text(results)+" "+body+"()\nreturn byte(t), data, err\n}")
	f.replace(results, "(byte, []byte, error)")
}

// rewriteUnmarshalMethod makes the first parameter a byte, and gives the body the type that it knows.
func (f *file) rewriteUnmarshalMethod(n *ast.FuncDecl, p *ast.Field) {
	kind := f.text(p.Type)
	if len(p.Names) == 1 && p.Names[0].Name != "_" {
		name := p.Names[0].Name
		f.replace(p, "typ byte")
		f.insert(n.Body.Lbrace+1, "\n"+name+" := "+kind+"(typ)\n")
		return
	}
	f.replace(p.Type, "byte")
}

// rewriteUnmarshalValue rewrites bson.UnmarshalValue(t, data, v) as a method of RawValue.
func (f *file) rewriteUnmarshalValue(n *ast.CallExpr) {
	a := f.texts(n.Args)
	f.replace(n, f.qualify("bson.RawValue")+"{Type: "+a[0]+", Value: "+a[1]+"}.Unmarshal("+a[2]+")")
}

// rewriteMarshalValue rewrites bson.MarshalValue(v).
func (f *file) rewriteMarshalValue(n *ast.CallExpr) {
	f.replace(n, f.qualify("bson.AppendValue")+"(nil, "+f.text(n.Args[0])+")")
}

// rewriteMaxTimeExpired rewrites a method that asks for one error code.
func (f *file) rewriteMaxTimeExpired(n *ast.CallExpr) {
	f.replace(n, f.text(n.Fun.(*ast.SelectorExpr).X)+".HasErrorCode("+f.qualify("errcode.MaxTimeMSExpired")+")")
}
