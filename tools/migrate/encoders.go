package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// bsonOptions are the switches of the official driver's encoders and decoders, whether set by a method or by a field of
// options.BSONOptions, with the field of Onion's MarshalOptions, UnmarshalOptions or both, and its value.
var bsonOptions = map[string]struct{ marshal, unmarshal, value string }{
	"UseJSONStructTags":       {marshal: "UseJSONStructTags", unmarshal: "UseJSONStructTags"},
	"ErrorOnInlineDuplicates": {marshal: "ErrorOnInlineDuplicates"},
	"IntMinSize":              {marshal: "IntMinSize"},
	"NilMapAsEmpty":           {marshal: "NilMapAsEmpty"},
	"NilSliceAsEmpty":         {marshal: "NilSliceAsEmpty"},
	"NilByteSliceAsEmpty":     {marshal: "NilByteSliceAsEmpty"},
	"OmitEmpty":               {marshal: "OmitEmpty"},
	"OmitZeroStruct":          {marshal: "OmitZeroStruct"},
	"StringifyMapKeysWithFmt": {marshal: "StringifyMapKeysWithFmt"},
	"AllowTruncatingDoubles":  {unmarshal: "AllowTruncatingDoubles"},
	"BinaryAsSlice":           {unmarshal: "BinaryAsSlice"},
	"DefaultDocumentM":        {unmarshal: "DefaultDocument", value: "bson.DocumentM"},
	"DefaultDocumentMap":      {unmarshal: "DefaultDocument", value: "bson.DocumentMap"},
	"DefaultDocumentD":        {unmarshal: "DefaultDocument", value: "bson.DocumentD"},
	"ObjectIDAsHexString":     {unmarshal: "ObjectIDAsHexString"},
	"UseLocalTimeZone":        {unmarshal: "UseLocalTimeZone"},
	"ZeroMaps":                {unmarshal: "ZeroMaps"},
	"ZeroStructs":             {unmarshal: "ZeroStructs"},
}

// splitCodecOptions splits options.BSONOptions{...} into the texts of the fields Marshal and Unmarshal.
func (f *file) splitCodecOptions(e ast.Expr) (marshal, unmarshal string, ok bool) {
	e = ast.Unparen(e)
	if u, isPointer := e.(*ast.UnaryExpr); isPointer {
		e = ast.Unparen(u.X)
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return "", "", false
	}
	var m, u []string
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return "", "", false
		}
		o, known := bsonOptions[kv.Key.(*ast.Ident).Name]
		value := f.text(kv.Value)
		if !known || o.value != "" && value != "true" {
			return "", "", false
		}
		if o.value != "" {
			value = f.qualify(o.value)
		}
		if o.marshal != "" {
			m = append(m, o.marshal+": "+value)
		}
		if o.unmarshal != "" {
			u = append(u, o.unmarshal+": "+value)
		}
	}
	f.unreport(e)
	for _, elt := range lit.Elts {
		f.unreport(elt)
	}
	if len(m) > 0 {
		marshal = "&" + f.qualify("bson.MarshalOptions") + "{" + strings.Join(m, ", ") + "}"
	}
	if len(u) > 0 {
		unmarshal = "&" + f.qualify("bson.UnmarshalOptions") + "{" + strings.Join(u, ", ") + "}"
	}
	return marshal, unmarshal, true
}

// rewriteCodec rewrites bson.NewEncoder(bson.NewDocumentWriter(w)): Onion's encoders and decoders take the stream itself, and
// their switches as options.
func (f *file) rewriteCodec(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	name, stream, fields := s.Sel.Name, n.Args[0], []string(nil)
	if plain, ok := strings.CutSuffix(name, "WithContext"); ok {
		if fields, ok = f.contextFields(n.Args[0]); !ok {
			f.report(n, "%s is bson.%s here, with the registry and the switches of its context as options", name, plain)
			return
		}
		name, stream = plain, n.Args[1]
		f.replaceRange(n.Args[0].Pos(), stream.Pos(), "")
	}
	f.replace(s, f.qualify("bson."+name))
	if !f.becomesStream(stream) {
		f.report(n, "%s takes an io.Reader or io.Writer", name)
		return
	}
	if fields = append(fields, f.takeSwitches(n)...); len(fields) > 0 {
		side := map[string]string{"NewEncoder": "bson.MarshalOptions", "NewDecoder": "bson.UnmarshalOptions"}[name]
		f.insert(n.Rparen, ", &"+f.qualify(side)+"{"+strings.Join(fields, ", ")+"}")
	}
	f.addErrorResult(n)
}

// streams are the functions that make a writer or reader of documents from a stream, with the type of the stream.
var streams = map[string]string{
	"bson.NewDocumentWriter":       "io.Writer",
	"bson.NewDocumentReader":       "io.Reader",
	"bsonrw.NewBSONValueWriter":    "io.Writer",
	"bsonrw.NewBSONDocumentReader": "[]byte",
	"bson.NewExtJSONValueReader":   extJSON,
	"bson.NewExtJSONValueWriter":   extJSON,
	"bsonrw.NewExtJSONValueReader": extJSON,
	"bsonrw.NewExtJSONValueWriter": extJSON,

	"bsonrw.BSONValueReaderPool.Get":    pooled,
	"bsonrw.BSONValueWriterPool.Get":    pooled,
	"bsonrw.ExtJSONValueReaderPool.Get": pooled,
	"bsonrw.ExtJSONValueWriterPool.Get": pooled,
}

// addErrorResult gives a call the error that version 1 returned beside the value.
func (f *file) addErrorResult(n *ast.CallExpr) {
	if assign, ok := f.parents[n].(*ast.AssignStmt); ok && len(assign.Lhs) == 2 && len(assign.Rhs) == 1 {
		f.replaceInfallible(n, f.text(n))
	}
}

// becomesStream reports whether an expression becomes the stream that a writer or reader of documents was made for.
func (f *file) becomesStream(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		key, _ := f.keyOf(s)
		return streams[key] != ""
	case *ast.Ident:
		call := f.madeBy(e)
		return call != nil && f.becomesStream(call) && f.isOnlyStream(f.objectOf(e))
	}
	return false
}

// rewriteDocumentStream rewrites bson.NewDocumentWriter(w) as w.
func (f *file) rewriteDocumentStream(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	key, _ := f.keyOf(s)
	id := f.firstResult(n)
	if id == nil {
		if call, ok := f.parents[n].(*ast.CallExpr); ok && f.makesCodec(call) {
			f.replace(n, f.streamText(n, key))
			return
		}
	} else if f.isOnlyStream(f.objectOf(id)) {
		text := f.streamText(n, key)
		if kind := streams[key]; strings.HasPrefix(kind, "io.") {
			f.extra["io"] = true
			text = kind + "(" + text + ")"
		}
		f.replace(n, text)
		f.addErrorResult(n)
		return
	}
	f.report(n, "bson.%s has no counterpart: bson.NewEncoder and bson.NewDecoder take the stream itself", s.Sel.Name)
}

// streamText writes the stream that a writer or reader of documents uses.
func (f *file) streamText(n *ast.CallExpr, key string) string {
	switch streams[key] {
	case "[]byte":
		f.extra["bytes"] = true
		return "bytes.NewReader(" + f.text(n.Args[0]) + ")"
	case extJSON:
		return f.extJSONStreamText(n, key)
	}
	return f.text(n.Args[0])
}

// firstResult returns the variable that a call's first or only result is assigned to.
func (f *file) firstResult(n *ast.CallExpr) *ast.Ident {
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if !ok || len(assign.Rhs) != 1 {
		return f.assignedTo(n)
	}
	id, _ := assign.Lhs[0].(*ast.Ident)
	return id
}

func (f *file) makesCodec(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	key, _ := f.keyOf(s)
	switch strings.TrimSuffix(key, "WithContext") {
	case "bson.NewEncoder", "bson.NewDecoder":
		return true
	}
	return strings.HasPrefix(key, "bsonrw.") && strings.HasSuffix(key, "Pool.Put") // it takes the stream back
}

// isOnlyStream reports whether a variable is used for making encoders and decoders alone.
func (f *file) isOnlyStream(o types.Object) bool {
	for id, use := range f.pkg.TypesInfo.Uses {
		if use != o {
			continue
		}
		if call, ok := f.parents[id].(*ast.CallExpr); !ok || !f.makesCodec(call) {
			return false
		}
	}
	return true
}

// madeBy returns the call whose only result a local variable is declared with.
func (f *file) madeBy(id *ast.Ident) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(f.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found != nil {
			return found == nil
		}
		if to := f.firstResult(call); to != nil && f.pkg.TypesInfo.Defs[to] != nil && f.objectOf(to) == f.objectOf(id) {
			found = call
		}
		return true
	})
	return found
}

// takeSwitches collects the statements that set an encoder's or decoder's switches, such as enc.UseJSONStructTags(), as
// fields, and removes them. It takes only statements that follow the variable's declaration in its block, up to the
// first other use.
func (f *file) takeSwitches(n *ast.CallExpr) []string {
	id := f.firstResult(n)
	if id == nil {
		return nil
	}
	uses := f.usesOf(f.objectOf(id))
	statement, _ := f.parents[n].(ast.Stmt)
	block, ok := f.parents[statement].(*ast.BlockStmt)
	if !ok {
		return nil
	}
	var fields []string
	for _, use := range uses {
		if use.Pos() < n.Pos() { // the variable holds another encoder before
			continue
		}
		s, ok := f.parents[use].(*ast.SelectorExpr)
		if !ok {
			break
		}
		call, ok := f.parents[s].(*ast.CallExpr)
		if !ok {
			break
		}
		line, isStatement := f.parents[call].(*ast.ExprStmt)
		if !isStatement || f.parents[line] != ast.Node(block) {
			break
		}
		if s.Sel.Name == "SetRegistry" && f.isDeclaredBefore(call.Args[0], n) {
			fields = append(fields, "Codecs: "+f.text(call.Args[0]))
			f.removed[line] = true
			continue
		}
		o, known := bsonOptions[s.Sel.Name]
		if !known {
			break
		}
		name, value := o.unmarshal, "true"
		if strings.HasSuffix(n.Fun.(*ast.SelectorExpr).Sel.Name, "Encoder") {
			name = o.marshal
		}
		if o.value != "" {
			value = f.qualify(o.value)
		}
		fields = append(fields, name+": "+value)
		f.removed[line] = true
	}
	return fields
}

// isDeclaredBefore reports whether an expression is a variable, a field or a call without arguments that another node, which stands
// a few lines before it, can name too.
func (f *file) isDeclaredBefore(e ast.Expr, n ast.Node) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && (isPackage(f.objectOf(id)) || f.isDeclaredBefore(id, n))
	case *ast.Ident:
		o := f.objectOf(e)
		if fn, isFunc := o.(*types.Func); isFunc {
			return fn.Parent() != nil
		}
		v, ok := o.(*types.Var)
		return ok && (v.Kind() == types.PackageVar || v.Pos() < n.Pos())
	case *ast.CallExpr:
		return len(e.Args) == 0 && f.isDeclaredBefore(e.Fun, n)
	}
	return false
}

// usesOf lists the uses of a variable in the order of the text.
func (f *file) usesOf(o types.Object) []*ast.Ident {
	var uses []*ast.Ident
	for id, use := range f.pkg.TypesInfo.Uses {
		if use == o {
			uses = append(uses, id)
		}
	}
	slices.SortFunc(uses, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	return uses
}

// removeStatement removes a statement that a rule has moved elsewhere.
func (f *file) removeStatement(n *ast.ExprStmt) {
	if !f.removed[n] {
		return
	}
	call := n.X.(*ast.CallExpr)
	f.unreport(call)
	f.unreport(call.Fun)
	f.dropLine(n)
}
