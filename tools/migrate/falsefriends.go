package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Names that exist in both drivers and differ where few programs look. PARITY.md lists them, and the report puts them below a heading
// of their own.

// rare are calls that differ in rare cases.
var rare = map[string]string{
	"mongo.ChangeStream.TryNext": "TryNext asks the server on each call if no document is left; in the official driver the first call " +
		"only looks at the first batch",
	"mongo.Cursor.TryNext": "TryNext asks the server on each call if no document is left; in the official driver the first call " +
		"only looks at the first batch",
	"options.ClientOptions.SetTimeout": "SetTimeout: the earlier of it and a context's deadline ends a call here; in the official driver " +
		"a context's deadline takes its place",
	"mongo.GridFSBucket.OpenUploadStream":       openUpload,
	"mongo.GridFSBucket.OpenUploadStreamWithID": openUpload,
	"gridfs.Bucket.OpenUploadStream":            openUpload,
	"gridfs.Bucket.OpenUploadStreamWithID":      openUpload,
	"writeconcern.Unacknowledged":               unacknowledged,
}

const (
	openUpload     = "opening an upload stream makes no indexes here: the first chunk does"
	unacknowledged = "an unacknowledged write in an explicit session is an error here, as the specification asks; " +
		"the official driver sends it"
	awaited = "only timeoutMS is compared with MaxAwaitTime here; in the official driver a context's deadline that is not longer " +
		"is an error"
	concernError = "a write concern error of aggregate, drop and other commands is a mongo.WriteException here, which holds the " +
		"mongo.WriteConcernError"
	closeError = "Close returns no error of killCursors here"
	batchZero  = "a batch size of 0 is not sent here, so that the server chooses; in the official driver it is sent, and find returns " +
		"no documents"
)

// reportFalseFriend reports a call that differs in rare cases.
func (f *file) reportFalseFriend(n *ast.CallExpr, s *ast.SelectorExpr) {
	key, _ := f.keyOf(s)
	if key == "" {
		return
	}
	switch name := s.Sel.Name; {
	case rare[key] != "":
		f.report(n, "%s", rare[key])
	case strings.HasPrefix(key, "options.ClientOptions.") && len(n.Args) == 1 && f.isNanoseconds(n.Args[0]):
		f.report(n, "%s: a duration under one microsecond is an error here: multiply the number by a unit, as in 30*time.Second", name)
	case name == "ApplyURI" && len(n.Args) == 1 && f.hasPlaceholder(n.Args[0]):
		f.report(n, "a user name or password that is a placeholder such as <password> is refused here: "+
			"put the real one there, or write %%3C and %%3E")
	case name == "SetMaxAwaitTime":
		f.report(n, awaited)
	case name == "SetBatchSize" && strings.HasPrefix(key, "options.Find") && len(n.Args) == 1 && f.isUnset(n.Args[0]):
		f.report(n, batchZero)
	case key == "mongo.Cursor.Close" && f.resultIsUsed(n):
		f.report(n, closeError)
	case key == "mongo.Database.RunCommand" && len(n.Args) > 1 && strings.Contains(f.text(n.Args[1]), "writeConcern"):
		f.report(n, "RunCommand returns no error of the write concern here: the reply has the field writeConcernError")
	case key == "bson.UnmarshalExtJSON" && len(n.Args) > 1 && !f.isUnset(n.Args[1]):
		f.report(n, "UnmarshalExtJSON with canonicalOnly refuses plain numbers here, and accepts them in the official driver: pass false "+
			"where the text has some")
	case (key == "bson.Raw.Lookup" || key == "bson.Raw.LookupErr") && len(n.Args) == 1 && f.isText(n.Args[0], "limit"):
		f.report(n, "the limit of findOne in an event is an int32 here, and an int64 in the official driver")
	}
}

// isNanoseconds reports whether an expression is a constant duration below one microsecond, such as 30 without a unit.
func (f *file) isNanoseconds(e ast.Expr) bool {
	tv := f.pkg.TypesInfo.Types[e]
	if tv.Value == nil || types.TypeString(tv.Type, nil) != "time.Duration" {
		return false
	}
	d, ok := constant.Int64Val(constant.ToInt(tv.Value))
	return ok && 0 < d && d < 1000
}

var placeholder = regexp.MustCompile(`//<[^<>]*>[:@]|:<[^<>]*>@`)

// hasPlaceholder reports whether a connection string has a placeholder for a user name or password.
func (f *file) hasPlaceholder(e ast.Expr) bool {
	v := f.pkg.TypesInfo.Types[e].Value
	return v != nil && v.Kind() == constant.String && placeholder.MatchString(constant.StringVal(v))
}

func (f *file) isText(e ast.Expr, text string) bool {
	v := f.pkg.TypesInfo.Types[e].Value
	return v != nil && v.Kind() == constant.String && constant.StringVal(v) == text
}

// resultIsUsed reports whether a call stands where its result goes somewhere.
func (f *file) resultIsUsed(n *ast.CallExpr) bool {
	switch p := f.parents[n].(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return false
	case *ast.AssignStmt:
		id, ok := p.Lhs[0].(*ast.Ident)
		return !ok || id.Name != "_"
	}
	return true
}

// reportNilComparison reports a comparison with nil of what is never nil here.
func (f *file) reportNilComparison(n *ast.BinaryExpr) {
	s, ok := n.X.(*ast.SelectorExpr)
	if !ok || n.Op != token.EQL && n.Op != token.NEQ || !f.pkg.TypesInfo.Types[n.Y].IsNil() {
		return
	}
	switch key, _ := f.keyOf(s); key {
	case "event.CommandStartedEvent.Command", "event.CommandSucceededEvent.Reply":
		f.report(n, "a redacted command or reply is an empty document here, and nil in the official driver")
	case "mongo.UpdateResult.UpsertedID":
		f.report(n, "UpsertedID is bson.Null{} here where an upsert has made a document with a null _id, and nil in the official driver")
	}
}

// reportWrappedType reports the type of an error that arrives wrapped in another.
func (f *file) reportWrappedType(n *ast.SelectorExpr, key string) {
	asks := false
	switch f.parents[n].(type) {
	case *ast.TypeAssertExpr, *ast.CaseClause, *ast.ValueSpec:
		asks = true
	case *ast.CompositeLit: // errors.As(err, &mongo.WriteConcernError{})
		_, asks = f.parents[f.parents[n]].(*ast.UnaryExpr)
	}
	switch {
	case !asks:
	case key == "mongo.WriteConcernError":
		f.report(n, concernError)
	case key == "mongo.ErrMapForOrderedArgument":
		f.report(n, "mongo.ErrMapForOrderedArgument arrives wrapped here: errors.As finds it")
	}
}

// reportUnordered reports a map with several keys as the order of a $sort stage or as the bound of an index.
func (f *file) reportUnordered(n *ast.CompositeLit) {
	if _, isMap := f.typeOf(n).Underlying().(*types.Map); !isMap || len(n.Elts) < 2 {
		return
	}
	var stage ast.Expr
	switch p := f.parents[n].(type) {
	case *ast.KeyValueExpr:
		stage = p.Key
		if literal, ok := f.parents[p].(*ast.CompositeLit); ok && len(literal.Elts) == 2 { // bson.E{Key: "$sort", Value: ...}
			if key, ok := literal.Elts[0].(*ast.KeyValueExpr); ok && key != p {
				stage = key.Value
			}
		}
	case *ast.CompositeLit:
		stage = p.Elts[0]
	case *ast.CallExpr:
		if owner, ok := f.isSetter(p); ok && strings.HasPrefix(owner, "options.Find") {
			if s := p.Fun.(*ast.SelectorExpr); s.Sel.Name == "SetMin" || s.Sel.Name == "SetMax" {
				f.report(n, "a map with several keys as %s is an error here, because their order counts: make it a bson.D", s.Sel.Name[3:])
			}
		}
	}
	if stage != nil && f.isText(stage, "$sort") {
		f.report(n, "a map with several keys in a $sort stage is an error here, because their order counts: make it a bson.D")
	}
}
