package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// Functions over whole documents and values that have another form here: each becomes a small function that the package gets.

const readFromSource = `
// readFrom reads one document and no byte more.
func readFrom(r io.Reader) (doc bson.Raw, err error) {
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

const indentedExtJSONSource = `
// indentedExtJSON writes a value as extended JSON with a line for each field.
func indentedExtJSON(v any, canonical bool, prefix, indent string) ([]byte, error) {
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

const appendedExtJSONSource = `
// appendedExtJSON appends a value as extended JSON to some bytes.
func appendedExtJSON(to []byte, v any, canonical bool) ([]byte, error) {
	text, err := bson.MarshalExtJSON(v, canonical)
	if err != nil {
		return nil, err
	}
	return append(to, text...), nil
}
`

const pointerPartsSource = `
// pointerParts returns the namespace and the ID of a DBPointer.
func pointerParts(p bson.DBPointer, ok bool) (string, bson.ObjectID, bool) { return p.DB, p.Pointer, ok }
`

// addDocuments adds the rules for these functions.
func addDocuments() {
	callRules["bson.NewFromIOReader"] = throughHelper("readFrom")
	callRules["bson.ReadLength"] = throughHelper("readLength")
	callRules["bson.IndentExtJSON"] = throughHelper("indentExtJSON")
	callRules["bson.MarshalExtJSONIndent"] = withoutEscapes("indentedExtJSON", 2)
	callRules["bson.MarshalExtJSONAppend"] = withoutEscapes("appendedExtJSON", 3)
	callRules["bson.RawValue.DBPointer"] = (*file).pointerParts
	callRules["bson.RawValue.DBPointerOK"] = (*file).pointerParts
	callRules["bson.Vector.Type"] = (*file).vectorType
	callRules["bson.Vector.PackedBit"] = (*file).parts
	callRules["options.ClientOptions.GetURI"] = (*file).connectionString
	callRules["tag.Set.Contains"] = (*file).containsTag
	for _, name := range [...]string{"Float32", "Int8"} {
		callRules["bson.Vector."+name] = func(f *file, n *ast.CallExpr) {
			s := n.Fun.(*ast.SelectorExpr)
			f.must(n, s, "bson.Vector."+s.Sel.Name)
		}
	}
}

// withoutEscapes makes a rule that calls a helper in place of a function whose argument at a place asks for HTML to be escaped.
func withoutEscapes(helper string, at int) func(*file, *ast.CallExpr) {
	return func(f *file, n *ast.CallExpr) {
		f.escapes(n, n.Args[at])
		args := f.texts(n.Args)
		f.replace(n, f.helper(helper)+"("+strings.Join(append(args[:at], args[at+1:]...), ", ")+")")
	}
}

// pointerParts rewrites v.DBPointer() and v.DBPointerOK(), which return the two parts.
func (f *file) pointerParts(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	text := f.helper("pointerParts") + "(" + f.text(s.X) + ".DBPointerOK())"
	if s.Sel.Name == "DBPointer" {
		text = f.helper("both") + "(" + text + ")"
	}
	f.replace(n, text)
}

// vectorType rewrites v.Type(), which is a byte there. The constants that it is compared with have its type in both drivers.
func (f *file) vectorType(n *ast.CallExpr) {
	switch p := f.parents[n].(type) {
	case *ast.BinaryExpr:
		if p.Op == token.EQL || p.Op == token.NEQ {
			return
		}
	case *ast.SwitchStmt:
		return
	}
	f.replace(n, "byte("+f.text(n)+")")
}
