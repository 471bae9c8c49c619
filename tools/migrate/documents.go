package main

import (
	"go/ast"
	"strings"
)

// These functions over documents and values have no counterpart in Onion. A call becomes a call of a small function that the package
// gets.

const readDocumentFromSource = `
// readDocumentFrom reads one document, and leaves what follows it unread.
func readDocumentFrom(r io.Reader) (doc bson.Raw, err error) {
	err = bson.NewDecoder(r).Decode(&doc)
	return doc, err
}
`

const readLengthSource = `
// readLength reads the length that a document, an array or a text begins with.
func readLength(data []byte) (length int32, rest []byte, ok bool) {
	if len(data) < 4 {
		return 0, data, false
	}
	length = int32(binary.LittleEndian.Uint32(data))
	return length, data[4:], length >= 0
}
`

const marshalExtJSONIndentSource = `
// marshalExtJSONIndent encodes a value as extended JSON with a line for each field.
func marshalExtJSONIndent(v any, canonical bool, prefix, indent string) ([]byte, error) {
	text, err := bson.MarshalExtJSON(v, canonical)
	if err != nil {
		return nil, err
	}
	return bson.IndentExtJSON(nil, text, prefix, indent)
}
`

const indentExtJSONSource = `
// indentExtJSON appends extended JSON with a line for each field to a buffer.
func indentExtJSON(to *bytes.Buffer, text []byte, prefix, indent string) error {
	indented, err := bson.IndentExtJSON(nil, text, prefix, indent)
	if err == nil {
		to.Write(indented)
	}
	return err
}
`

const marshalExtJSONAppendSource = `
// marshalExtJSONAppend appends a value in extended JSON to a slice.
func marshalExtJSONAppend(to []byte, v any, canonical bool) ([]byte, error) {
	text, err := bson.MarshalExtJSON(v, canonical)
	if err != nil {
		return nil, err
	}
	return append(to, text...), nil
}
`

const splitDBPointerSource = `
// splitDBPointer returns the namespace and the ID of a DBPointer.
func splitDBPointer(p bson.DBPointer, ok bool) (string, bson.ObjectID, bool) { return p.DB, p.Pointer, ok }
`

// addDocuments adds the rules for these functions.
func addDocuments() {
	callRules["bson.NewFromIOReader"] = ruleForHelper("readDocumentFrom")
	callRules["bson.ReadLength"] = ruleForHelper("readLength")
	callRules["bson.IndentExtJSON"] = ruleForHelper("indentExtJSON")
	callRules["bson.MarshalExtJSONIndent"] = ruleWithoutEscapes("marshalExtJSONIndent", 2)
	callRules["bson.MarshalExtJSONAppend"] = ruleWithoutEscapes("marshalExtJSONAppend", 3)
	callRules["bson.RawValue.DBPointer"] = (*file).rewriteDBPointer
	callRules["bson.RawValue.DBPointerOK"] = (*file).rewriteDBPointer
	callRules["bson.Vector.Type"] = (*file).rewriteVectorType
	callRules["bson.Vector.PackedBit"] = (*file).rewriteParts
	callRules["options.ClientOptions.GetURI"] = (*file).rewriteGetURI
	callRules["tag.Set.Contains"] = (*file).rewriteContainsTag
	for _, name := range [...]string{"Float32", "Int8"} {
		callRules["bson.Vector."+name] = func(f *file, n *ast.CallExpr) {
			s := n.Fun.(*ast.SelectorExpr)
			f.rewritePanicking(n, s, "bson.Vector."+s.Sel.Name)
		}
	}
}

// ruleWithoutEscapes makes a rule that calls a helper in place of a function. The argument at the index at, which asks for HTML to be
// escaped, is left out.
func ruleWithoutEscapes(helper string, at int) func(*file, *ast.CallExpr) {
	return func(f *file, n *ast.CallExpr) {
		f.reportEscapes(n, n.Args[at])
		args := f.texts(n.Args)
		f.replace(n, f.useHelper(helper)+"("+strings.Join(append(args[:at], args[at+1:]...), ", ")+")")
	}
}

// rewriteDBPointer rewrites v.DBPointer() and v.DBPointerOK(), which return the two parts.
func (f *file) rewriteDBPointer(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	text := f.useHelper("splitDBPointer") + "(" + f.text(s.X) + ".DBPointerOK())"
	if s.Sel.Name == "DBPointer" {
		text = f.useHelper("mustBoth") + "(" + text + ")"
	}
	f.replace(n, text)
}
