package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// rewriteLiteral rewrites the fields of a struct literal: their names, and their values where Onion has a pointer.
func (f *file) rewriteLiteral(n *ast.CompositeLit) {
	t := f.typeOf(n)
	f.rewriteContainerList(t, n.Elts)
	named := namedOf(t)
	if named == nil || !isOfficial(named.Obj()) {
		f.renameEmbeddedFields(n)
		return
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	key := shortName(named.Obj().Pkg().Path()) + "." + coreName(named.Obj())
	if key == "options.ArrayFilters" {
		f.rewriteArrayFilters(n)
		return
	}
	if len(n.Elts) > 0 {
		if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
			if key != "bson.E" && key != "primitive.E" && key != "bsonx.Elem" {
				f.nameFields(n, key, s)
			}
			return
		}
	}
	if key == "mongo.MarshalError" && f.rewriteMarshalError(n) {
		return
	}
	if key == databases {
		f.rewriteDatabasesLiteral(n)
		return
	}
	if poolTypes[key] != "" || key == "event.PoolMonitor" && f.rewritePoolMonitor(n) {
		return
	}
	if key == "bson.ValueEncoderError" || key == "bson.ValueDecoderError" {
		f.rewriteCodecError(n)
		return
	}
	if key == "options.BSONOptions" {
		return // the rule for SetBSONOptions takes it, and reports it elsewhere
	}
	for _, e := range n.Elts {
		kv := e.(*ast.KeyValueExpr)
		name := kv.Key.(*ast.Ident).Name
		if key+"."+name == "options.Credential.PasswordSet" && hasElement(n, "Password") {
			f.dropElement(n, kv) // a password that is given is set
			continue
		}
		f.rewriteLiteralField(n, kv, key+"."+name, fieldType(s, name))
	}
	if key == "options.Credential" {
		f.setCredentialSource(n)
	}
}

// renameEmbeddedFields renames the embedded fields that a literal of the program's own type sets.
func (f *file) renameEmbeddedFields(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				f.renameEmbeddedField(id)
			}
		}
	}
}

func hasElement(n *ast.CompositeLit, name string) bool {
	return slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		id, isName := kv.Key.(*ast.Ident)
		return ok && isName && id.Name == name
	})
}

func fieldType(s *types.Struct, name string) string {
	for v := range s.Fields() {
		if v.Name() == name {
			return typeText(v.Type())
		}
	}
	return ""
}

func (f *file) rewriteLiteralField(n *ast.CompositeLit, kv *ast.KeyValueExpr, key, official string) {
	to := member(key)
	if setter := setterNames["Set"+key[strings.LastIndexByte(key, '.')+1:]]; setter != "" && api[to] == "" {
		to = to[:strings.LastIndexByte(to, '.')+1] + setter
	}
	declared, ok := strings.CutPrefix(api[to], "field ")
	if f.rewriteEventLiteral(kv, key, official) || f.rewriteUpsertedLiteral(kv, key) {
		return
	}
	if !ok {
		f.report(kv, "%s has no counterpart%s", key, advice(key))
		return
	}
	if name := to[strings.LastIndexByte(to, '.')+1:]; name != kv.Key.(*ast.Ident).Name {
		f.replace(kv.Key, name)
	}
	if "*"+translateType(official) == declared || strings.HasPrefix(declared, "*") && canConvert(official, declared[1:]) {
		if f.isUnset(kv.Value) { // zero means unset there; here unset is nil
			f.dropElement(n, kv)
			return
		}
		if f.pkg.TypesInfo.Types[kv.Value].Value == nil && isPlain(official) && !emptyMeansUnset[key] {
			f.report(kv, "%s: zero means unset in the official driver and is sent here: leave the field nil when it is not set", to)
		}
	}
	text, ok := f.wrap(kv.Value, official, declared)
	if !ok && !strings.Contains(declared, "func(") {
		f.report(kv, "%s is of type %s here, not %s", to, declared, official)
		return
	}
	if text != f.text(kv.Value) {
		f.replace(kv.Value, text)
	}
}

// setCredentialSource sets the database that holds the user. An unset field falls back to the connection string in Onion, but to
// admin in the official driver.
func (f *file) setCredentialSource(n *ast.CompositeLit) {
	var name, source ast.Expr
	for _, e := range n.Elts {
		kv := e.(*ast.KeyValueExpr)
		switch kv.Key.(*ast.Ident).Name {
		case "AuthMechanism":
			name = kv.Value
		case "AuthSource":
			source = kv.Value
		}
	}
	mechanism := ""
	if name != nil {
		v := f.pkg.TypesInfo.Types[name].Value
		if v == nil || v.Kind() != constant.String {
			if source == nil || f.pkg.TypesInfo.Types[source].Value == nil {
				f.report(name, "options.Credential: where AuthSource is not set it comes from the connection string here, "+
					"and from the mechanism in the official driver: set it")
			}
			return
		}
		mechanism = constant.StringVal(v)
	}
	if mechanism != "" && !strings.HasPrefix(mechanism, "SCRAM-") || len(n.Elts) == 0 {
		return
	}
	switch {
	case source == nil:
		f.insert(n.Elts[len(n.Elts)-1].End(), ", AuthSource: "+newCall+`("admin")`)
	case f.pkg.TypesInfo.Types[source].Value == nil:
		f.extra["cmp"] = true
		value := strings.TrimSuffix(strings.TrimPrefix(f.text(source), newCall+"("), ")")
		f.replace(source, newCall+"(cmp.Or("+value+`, "admin"))`)
	}
}

// emptyMeansUnset are the fields where an empty text means the same as nil, or where another rule handles it.
var emptyMeansUnset = map[string]bool{
	"options.Credential.Username": true, "options.Credential.Password": true, "options.Credential.AuthSource": true,
	"options.Credential.AuthMechanism": true,
}

func isPlain(t string) bool {
	switch t {
	case "string", "bool", "int", "int32", "int64", "uint64", "float64", "time.Duration":
		return true
	}
	return false
}

// dropElement removes one element of a literal with its comma.
func (f *file) dropElement(n *ast.CompositeLit, kv *ast.KeyValueExpr) {
	end := kv.End()
	for i, e := range n.Elts {
		if e != ast.Expr(kv) {
			continue
		}
		if i+1 < len(n.Elts) {
			end = n.Elts[i+1].Pos()
			f.replaceRange(kv.Pos(), end, "")
			return
		}
		if i > 0 {
			f.replaceRange(n.Elts[i-1].End(), end, "")
			return
		}
	}
	f.replaceRange(kv.Pos(), end, "")
}

// rewriteArrayFilters rewrites options.ArrayFilters{Filters: list}, a plain list here.
func (f *file) rewriteArrayFilters(n *ast.CompositeLit) {
	if len(n.Elts) == 1 {
		value := n.Elts[0]
		if kv, ok := value.(*ast.KeyValueExpr); ok {
			value = kv.Value
		}
		f.unreport(n.Type)
		f.replace(n, f.text(value))
		return
	}
	f.report(n, "options.ArrayFilters is a plain []any here")
}
