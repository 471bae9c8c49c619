package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// rewriteMergeClient rewrites options.MergeClientOptions(a, b, c).
func (f *file) rewriteMergeClient(n *ast.CallExpr) {
	if n.Ellipsis.IsValid() || len(n.Args) == 0 {
		f.report(n, "options.MergeClientOptions has no counterpart%s", advice("options.MergeClientOptions"))
		return
	}
	text := f.text(n.Args[0])
	for _, a := range n.Args[1:] {
		text = f.qualify("options.Merge") + "(" + text + ", " + f.text(a) + ")"
	}
	f.replace(n, text)
}

// rewriteReadPreference rewrites readpref.New(mode, opts...), whose error is nil for every mode that a program can name.
func (f *file) rewriteReadPreference(n *ast.CallExpr) {
	name := ""
	if s, ok := n.Args[0].(*ast.SelectorExpr); ok {
		if key, _ := f.keyOf(s); strings.HasPrefix(key, "readpref.") {
			name = "mongo." + strings.TrimSuffix(s.Sel.Name, "Mode")
		}
	}
	assign, ok := f.parents[n].(*ast.AssignStmt)
	if api[name] == "" || !ok || len(assign.Lhs) != 2 || n.Ellipsis.IsValid() {
		ruleForHelper("readPreferenceOf")(f, n)
		return
	}
	f.replaceInfallible(n, f.qualify(name)+"("+strings.Join(f.argumentTexts(n)[1:], ", ")+")")
}

// rewriteNewVector rewrites the generic constructor as the constructor for the element's type.
func (f *file) rewriteNewVector(n *ast.CallExpr) {
	s, ok := types.Unalias(f.typeOf(n.Args[0])).Underlying().(*types.Slice)
	if !ok {
		return
	}
	switch typeText(s.Elem()) {
	case "float32":
		f.replace(n.Fun, f.qualify("bson.NewFloat32Vector"))
	case "int8":
		f.replace(n.Fun, f.qualify("bson.NewInt8Vector"))
	default:
		f.report(n, "bson.NewVector has no counterpart: use NewFloat32Vector or NewInt8Vector")
	}
}

// rewriteWithTagSets rewrites readpref.WithTagSets(sets...): an option is a function that changes the read preference.
func (f *file) rewriteWithTagSets(n *ast.CallExpr) {
	args := strings.Join(f.texts(n.Args), ", ")
	if n.Ellipsis.IsValid() {
		args += "..."
	}
	f.replace(n, f.qualify("mongo.ReadPreferenceOption")+"(func(p *"+f.qualify("options.ReadPreference")+
		") { p.TagSets = append(p.TagSets, "+args+") })")
}

// rewriteTagSets rewrites a function that makes tag sets of maps.
func (f *file) rewriteTagSets(n *ast.CallExpr) {
	name := "tagSetOf"
	if strings.HasPrefix(n.Fun.(*ast.SelectorExpr).Sel.Name, "NewTagSets") {
		name = "tagSetsOf"
	}
	f.replace(n.Fun, f.useHelper(name))
}

// mergers are the options that version 1 merges with a function for each.
var mergers = strings.Fields("Aggregate BulkWrite Bucket ChangeStream Collection Count CreateCollection CreateIndexes CreateView " +
	"Database Delete Distinct DropIndexes EstimatedDocumentCount Find FindOne FindOneAndDelete FindOneAndReplace FindOneAndUpdate " +
	"GridFSFind Index InsertMany InsertOne ListCollections ListDatabases ListIndexes Name Replace RunCmd Session Transaction Update Upload")

// rewriteMergeOptions rewrites options.MergeFindOptions(opts...): calls take several structs, other code may need one.
func (f *file) rewriteMergeOptions(n *ast.CallExpr) {
	f.replace(n.Fun, f.useHelper("mergeOptions"))
}

// rewriteContainsTag rewrites the method Contains of a tag set, which is a list here.
func (f *file) rewriteContainsTag(n *ast.CallExpr) {
	f.extra["slices"] = true
	f.replace(n, "slices.Contains("+f.receivedValue(n.Fun.(*ast.SelectorExpr))+", "+f.qualify("options.Tag")+
		"{Name: "+f.text(n.Args[0])+", Value: "+f.text(n.Args[1])+"})")
}
