package main

import (
	"go/ast"
	"strings"
)

// Version 1 up to 1.11 has a second model of documents, x/bsonx, whose values are made by functions such as bsonx.Int32(1).
// Onion's bson.D holds Go values.

// bsonxValues are the functions that make a value: the conversion, or the literal with a place for each argument.
var bsonxValues = map[string]struct{ conversion, literal string }{
	"Int32":         {conversion: "int32"},
	"Int64":         {conversion: "int64"},
	"Double":        {conversion: "float64"},
	"String":        {conversion: "string"},
	"Boolean":       {conversion: "bool"},
	"Document":      {literal: "$1"},
	"Array":         {literal: "$1"},
	"ObjectID":      {literal: "$1"},
	"Decimal128":    {literal: "$1"},
	"Time":          {literal: "$1"},
	"DateTime":      {literal: "bson.DateTime($1)"},
	"JavaScript":    {literal: "bson.JavaScript($1)"},
	"Symbol":        {literal: "bson.Symbol($1)"},
	"Regex":         {literal: "bson.Regex{Pattern: $1, Options: $2}"},
	"Binary":        {literal: "bson.Binary{Subtype: $1, Data: $2}"},
	"Timestamp":     {literal: "bson.Timestamp{T: $1, I: $2}"},
	"DBPointer":     {literal: "bson.DBPointer{DB: $1, Pointer: $2}"},
	"CodeWithScope": {literal: "bson.CodeWithScope{Code: bson.JavaScript($1), Scope: $2}"},
	"Null":          {literal: "bson.Null{}"},
	"Undefined":     {literal: "bson.Undefined{}"},
	"MinKey":        {literal: "bson.MinKey{}"},
	"MaxKey":        {literal: "bson.MaxKey{}"},
}

// rewriteBsonxValue rewrites the making of a value.
func (f *file) rewriteBsonxValue(n *ast.CallExpr) {
	to := bsonxValues[n.Fun.(*ast.SelectorExpr).Sel.Name]
	if to.conversion != "" {
		text := f.text(n.Args[0])
		if f.isUntyped(n.Args[0]) {
			text = f.convertText(n.Args[0], text, to.conversion)
		}
		f.replace(n, text)
		return
	}
	text := onionName.ReplaceAllStringFunc(to.literal, f.qualify)
	var places []string
	for i, arg := range f.texts(n.Args) {
		places = append(places, "$"+string(rune('1'+i)), arg)
	}
	f.replace(n, strings.NewReplacer(places...).Replace(text))
}

// rewriteBsonxAppend rewrites doc.Append(key, value).
func (f *file) rewriteBsonxAppend(n *ast.CallExpr) {
	a := f.texts(n.Args)
	f.replace(n, "append("+f.text(n.Fun.(*ast.SelectorExpr).X)+", "+f.qualify("bson.E")+"{Key: "+a[0]+", Value: "+a[1]+"})")
}
