package main

import (
	"go/ast"
	"strings"
)

// What reads a document or a value of version 1's x/bsonx: a bson.D and a Go value here.

const lookUpInSource = `
// lookUpIn returns the value below a path of names.
func lookUpIn(doc bson.D, path ...string) (any, error) {
	var value any = doc
	for _, name := range path {
		inner, ok := value.(bson.D)
		if !ok {
			return nil, bson.ErrNotFound
		}
		at := slices.IndexFunc(inner, func(e bson.E) bool { return e.Key == name })
		if at < 0 {
			return nil, bson.ErrNotFound
		}
		value = inner[at].Value
	}
	return value, nil
}
`

const lookUpOrNilSource = `
// lookUpOrNil returns the value below a path of names, or nil where there is none.
func lookUpOrNil(doc bson.D, path ...string) any {
	value, _ := lookUpIn(doc, path...)
	return value
}
`

const typeOfValueSource = `
// typeOfValue returns the BSON type of a value.
func typeOfValue(v any) bsontype.Type {
	t, _, _ := bson.AppendValue(nil, v)
	return t
}
`

const readDocumentSource = `
// readDocument decodes a document, whose inner documents are each a bson.D, too.
func readDocument(data []byte) (doc bson.D, err error) {
	err = bson.Unmarshal(data, &doc)
	return doc, err
}
`

// rewriteBsonxCopy rewrites doc.Copy().
func (f *file) rewriteBsonxCopy(n *ast.CallExpr) {
	f.replace(n, "append("+f.qualify("bson.D")+"{}, "+f.text(n.Fun.(*ast.SelectorExpr).X)+"...)")
}

// rewriteMarshalError rewrites a literal of version 1's mongo.MarshalError as an error with its text.
func (f *file) rewriteMarshalError(n *ast.CompositeLit) bool {
	values := map[string]string{"Value": "nil", "Err": "nil"}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		values[kv.Key.(*ast.Ident).Name] = f.text(kv.Value)
	}
	if _, ok := f.parents[n].(*ast.UnaryExpr); ok {
		return false
	}
	f.unreportIn(n)
	f.extra["fmt"] = true
	f.replace(n, `fmt.Errorf("cannot transform type %T to a BSON Document: %w", `+values["Value"]+", "+values["Err"]+")")
	return true
}

// bsonxReads are the methods of a value that return it as a Go type, with that type.
var bsonxReads = map[string]string{
	"Boolean": "bool", "Double": "float64", "Int32": "int32", "Int64": "int64", "StringValue": "string", "ObjectID": "bson.ObjectID",
	"Decimal128": "bson.Decimal128", "Document": "bson.D", "Array": "bson.A",
}

// rewriteBsonxRead rewrites v.Int32() as v.(int32), and v.Int32OK(), which has the second result already.
func (f *file) rewriteBsonxRead(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	t := f.spellType(bsonxReads[strings.TrimSuffix(s.Sel.Name, "OK")])
	text := f.text(s.X) + ".(" + t + ")"
	if assign, ok := f.parents[n].(*ast.AssignStmt); strings.HasSuffix(s.Sel.Name, "OK") && (!ok || len(assign.Lhs) != 2) {
		text = "func() (" + t + ", bool) {\nv, ok := " + text + "\nreturn v, ok\n}()"
	}
	f.replace(n, text)
}

func (f *file) spellType(t string) string {
	if strings.Contains(t, ".") {
		return f.qualify(t)
	}
	return t
}

// rewriteBsonxTime rewrites v.Time() and v.DateTime() of a date.
func (f *file) rewriteBsonxTime(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	date := f.text(s.X) + ".(" + f.qualify("bson.DateTime") + ")"
	if s.Sel.Name == "Time" {
		f.replace(n, date+".Time()")
		return
	}
	f.replace(n, "int64("+date+")")
}

// rewriteBsonxInterface rewrites v.Interface(): a value is the Go value here.
func (f *file) rewriteBsonxInterface(n *ast.CallExpr) {
	f.replace(n, f.text(n.Fun.(*ast.SelectorExpr).X))
}

func addBsonxReads() {
	for name := range bsonxReads {
		callRules["bsonx.Val."+name] = (*file).rewriteBsonxRead
		callRules["bsonx.Val."+name+"OK"] = (*file).rewriteBsonxRead
	}
	callRules["bsonx.Val.Time"] = (*file).rewriteBsonxTime
	callRules["bsonx.Val.DateTime"] = (*file).rewriteBsonxTime
	callRules["bsonx.Val.Interface"] = (*file).rewriteBsonxInterface
	callRules["bsonx.Val.Type"] = ruleForHelper("typeOfValue")
	callRules["bsonx.ReadDoc"] = ruleForHelper("readDocument")
	callRules["bsonx.Doc.Copy"] = (*file).rewriteBsonxCopy
	callRules["bsonx.Doc.Lookup"] = ruleForHelper("lookUpOrNil")
	callRules["bsonx.Doc.LookupErr"] = ruleForHelper("lookUpIn")
}
