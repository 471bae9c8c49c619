package main

import (
	"go/ast"
	"strings"
)

// coreMethods are the methods of bsoncore's builders: name, parameters after the key, and arguments.
var coreMethods = []struct{ name, parameters, arguments string }{
	{"Int32", "v int32", "v"}, {"Int64", "v int64", "v"}, {"Double", "v float64", "v"}, {"String", "v string", "v"},
	{"Boolean", "v bool", "v"}, {"DateTime", "v int64", "v"}, {"Document", "v []byte", "v"}, {"Array", "v []byte", "v"},
	{"ObjectID", "v bson.ObjectID", "v"}, {"Binary", "subtype byte, v []byte", "subtype, v"}, {"Null", "", ""},
	{"Undefined", "", ""}, {"MinKey", "", ""}, {"MaxKey", "", ""}, {"JavaScript", "v string", "v"}, {"Symbol", "v string", "v"},
	{"Regex", "pattern, options string", "pattern, options"}, {"Timestamp", "t, i uint32", "t, i"},
	{"DBPointer", "ns string, id bson.ObjectID", "ns, id"}, {"CodeWithScope", "code string, scope bson.Raw", "code, scope"},
}

// documentBuilderSource returns the helper in place of bsoncore.DocumentBuilder.
func documentBuilderSource() string {
	var b strings.Builder
	b.WriteString(`
// documentBuilder appends elements to a document.
type documentBuilder struct {
	dst    []byte
	starts []int
}

func newDocumentBuilder() *documentBuilder {
	dst, start := bson.AppendDocumentStart(nil)
	return &documentBuilder{dst: dst, starts: []int{start}}
}

// Build returns the document.
func (b *documentBuilder) Build() bson.Raw { return bson.Raw(bson.AppendDocumentEnd(b.dst, b.starts[0])) }

func (b *documentBuilder) StartDocument(key string) *documentBuilder {
	dst, start := bson.AppendDocumentElementStart(b.dst, key)
	b.dst, b.starts = dst, append(b.starts, start)
	return b
}

func (b *documentBuilder) FinishDocument() *documentBuilder {
	last := len(b.starts) - 1
	b.dst, b.starts = bson.AppendDocumentEnd(b.dst, b.starts[last]), b.starts[:last]
	return b
}

func (b *documentBuilder) AppendValue(key string, v bson.RawValue) *documentBuilder {
	b.dst = bson.AppendRawValueElement(b.dst, key, v)
	return b
}
`)
	for _, m := range coreMethods {
		b.WriteString("\nfunc (b *documentBuilder) Append" + m.name + "(" + join("key string", m.parameters) +
			") *documentBuilder {\nb.dst = bson.Append" + m.name + "Element(" + join("b.dst, key", m.arguments) + ")\nreturn b\n}\n")
	}
	return b.String()
}

// arrayBuilderSource returns the helper in place of bsoncore.ArrayBuilder.
func arrayBuilderSource() string {
	var b strings.Builder
	b.WriteString(`
// arrayBuilder appends values to an array.
type arrayBuilder struct {
	documentBuilder
	counts []int
}

func newArrayBuilder() *arrayBuilder {
	return &arrayBuilder{documentBuilder: *newDocumentBuilder(), counts: []int{0}}
}

// Build returns the array.
func (b *arrayBuilder) Build() bson.RawArray { return bson.RawArray(b.documentBuilder.Build()) }

func (b *arrayBuilder) next() string {
	last := len(b.counts) - 1
	b.counts[last]++
	return strconv.Itoa(b.counts[last] - 1)
}

func (b *arrayBuilder) StartArray() *arrayBuilder {
	dst, start := bson.AppendArrayElementStart(b.dst, b.next())
	b.dst, b.starts, b.counts = dst, append(b.starts, start), append(b.counts, 0)
	return b
}

func (b *arrayBuilder) FinishArray() *arrayBuilder {
	b.FinishDocument()
	b.counts = b.counts[:len(b.counts)-1]
	return b
}

func (b *arrayBuilder) AppendValue(v bson.RawValue) *arrayBuilder {
	b.documentBuilder.AppendValue(b.next(), v)
	return b
}
`)
	for _, m := range coreMethods {
		b.WriteString("\nfunc (b *arrayBuilder) Append" + m.name + "(" + m.parameters + ") *arrayBuilder {\nb.documentBuilder.Append" +
			m.name + "(" + join("b.next()", m.arguments) + ")\nreturn b\n}\n")
	}
	return b.String()
}

func join(first, rest string) string { return strings.TrimSuffix(first+", "+rest, ", ") }

// rewriteRawBuilder rewrites the names of bsoncore's builders.
func (f *file) rewriteRawBuilder(n *ast.SelectorExpr, key string) bool {
	switch key {
	case "bson.DocumentBuilder", "bson.ArrayBuilder":
		name := strings.ToLower(n.Sel.Name[:1]) + n.Sel.Name[1:]
		f.replace(n, f.useHelper(name))
		return true
	}
	return false
}

// rewriteNewBuilder rewrites the functions that make a builder.
func (f *file) rewriteNewBuilder(n *ast.CallExpr) {
	name := strings.TrimPrefix(n.Fun.(*ast.SelectorExpr).Sel.Name, "New")
	f.useHelper(strings.ToLower(name[:1]) + name[1:])
	f.replace(n.Fun, "new"+name)
}

// rewriteAddressString rewrites address.Address.String: an address is a string here.
func (f *file) rewriteAddressString(n *ast.CallExpr) {
	f.replace(n, f.text(n.Fun.(*ast.SelectorExpr).X))
}
