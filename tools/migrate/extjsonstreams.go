package main

import (
	"go/ast"
	"maps"
	"strings"
)

// The official driver's encoders and decoders also write and read extended JSON, through value writers and readers, which version 1
// keeps in pools. Here they take a stream of BSON: small types, which the rewritten package gets, turn one into the other.

const (
	extJSON = "extended JSON"
	pooled  = "from a pool"
)

const extJSONReaderSource = `
// extJSONReader reads documents in extended JSON as BSON.
type extJSONReader struct {
	from *json.Decoder
	left []byte // of a document
}

func newExtJSONReader(r io.Reader) *extJSONReader { return &extJSONReader{from: json.NewDecoder(r)} }

func (r *extJSONReader) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		var text json.RawMessage
		if err := r.from.Decode(&text); err != nil {
			return 0, err
		}
		document, err := bson.ExtJSONToRaw(text, false)
		if err != nil {
			return 0, err
		}
		r.left = document
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
`

const extJSONWriterSource = `
// extJSONWriter takes documents in BSON and writes them in extended JSON, each with the ending.
type extJSONWriter struct {
	to                io.Writer
	canonical, escape bool
	ending            string
	part              []byte // of a document
}

func newExtJSONWriter(w io.Writer, canonical, escape bool) *extJSONWriter {
	return &extJSONWriter{to: w, canonical: canonical, escape: escape, ending: "\n"}
}

func (w *extJSONWriter) Write(p []byte) (int, error) {
	w.part = append(w.part, p...)
	for len(w.part) >= 4 {
		size := int(binary.LittleEndian.Uint32(w.part))
		if size > len(w.part) {
			break
		}
		text, err := bson.AppendExtJSON(nil, bson.Raw(w.part[:size]), w.canonical)
		if err != nil {
			return 0, err
		}
		if w.escape {
			var escaped bytes.Buffer
			json.HTMLEscape(&escaped, text)
			text = escaped.Bytes()
		}
		if _, err := w.to.Write(append(text, w.ending...)); err != nil {
			return 0, err
		}
		w.part = w.part[size:]
	}
	return len(p), nil
}
`

const sliceWriterSource = `
// sliceWriter appends what is written to a slice.
type sliceWriter []byte

func (w *sliceWriter) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
`

// Version 1's pools reuse memory. Here each Get makes a new writer or reader.
const extJSONWriterPoolSource = `
// extJSONWriterPool makes writers of extended JSON.
type extJSONWriterPool struct{}

func (extJSONWriterPool) Get(w io.Writer, canonical, escape bool) io.Writer {
	return &extJSONWriter{to: w, canonical: canonical, escape: escape}
}

func (extJSONWriterPool) Put(io.Writer) bool { return true }
`

const extJSONReaderPoolSource = `
// extJSONReaderPool makes readers of extended JSON.
type extJSONReaderPool struct{}

func (extJSONReaderPool) Get(r io.Reader, _ bool) (io.Reader, error) { return newExtJSONReader(r), nil }

func (extJSONReaderPool) Put(io.Reader) bool { return true }
`

const bsonWriterPoolSource = `
// bsonWriterPool gives out the writers that it is given.
type bsonWriterPool struct{}

func (bsonWriterPool) Get(w io.Writer) io.Writer { return w }

func (bsonWriterPool) Put(io.Writer) bool { return true }
`

const bsonReaderPoolSource = `
// bsonReaderPool makes readers of documents.
type bsonReaderPool struct{}

func (bsonReaderPool) Get(document []byte) io.Reader { return bytes.NewReader(document) }

func (bsonReaderPool) Put(io.Reader) bool { return true }
`

// streamPools are version 1's pools, with the helpers that take their places.
var streamPools = map[string]string{
	"bsonrw.ExtJSONValueWriterPool": "extJSONWriterPool", "bsonrw.ExtJSONValueReaderPool": "extJSONReaderPool",
	"bsonrw.BSONValueWriterPool": "bsonWriterPool", "bsonrw.BSONValueReaderPool": "bsonReaderPool",
	"bsonrw.SliceWriter": "sliceWriter",
}

// addStreams adds the rules for these pools and for readers and writers of extended JSON.
func addStreams() {
	rules := map[string]func(*file, *ast.CallExpr){}
	for key, helper := range streamPools {
		name := strings.TrimPrefix(key, "bsonrw.")
		rules["bsonrw.New"+name] = func(f *file, n *ast.CallExpr) { f.replace(n, "&"+f.useHelper(helper)+"{}") }
		rules[key+".Get"] = func(f *file, n *ast.CallExpr) {
			if id := f.firstResult(n); id != nil && !f.isOnlyStream(f.objectOf(id)) {
				f.report(n, "bsonrw.%s.Get: bson.NewEncoder and bson.NewDecoder take the stream itself", name)
			}
		}
		rules[key+".Put"] = func(*file, *ast.CallExpr) {}
	}
	for _, name := range [...]string{"NewEncoderWithContext", "NewDecoderWithContext"} {
		rules["bson."+name] = (*file).rewriteCodec
	}
	for key, kind := range streams {
		if kind == extJSON {
			rules[key] = (*file).rewriteDocumentStream
		}
	}
	maps.Copy(callRules, rules)
}

// renameStreamPool rewrites the name of one of these types.
func (f *file) renameStreamPool(n *ast.SelectorExpr, key string) bool {
	to := streamPools[key]
	if to != "" {
		f.replace(n, f.useHelper(to))
	}
	return to != "" || streamPools[key[:max(strings.LastIndexByte(key, '.'), 0)]] != ""
}

// extJSONStreamText writes the stream of BSON in place of a value writer or reader of extended JSON.
func (f *file) extJSONStreamText(n *ast.CallExpr, key string) string {
	args := f.texts(n.Args)
	if strings.HasSuffix(key, "Reader") {
		f.useHelper("extJSONReader")
		return "newExtJSONReader(" + args[0] + ")"
	}
	f.useHelper("extJSONWriter")
	return "newExtJSONWriter(" + strings.Join(args, ", ") + ")"
}

// contextFields turns version 1's EncodeContext or DecodeContext, a literal or a variable that only this call reads, into the fields
// of options.
func (f *file) contextFields(e ast.Expr) (fields []string, ok bool) {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if id, isName := ast.Unparen(e).(*ast.Ident); isName {
		assign, last := f.contextDeclaration(id)
		if assign == nil {
			return nil, false
		}
		lit, ok = last, true
		f.dropped = append(f.dropped, assign)
	}
	if !ok {
		return nil, false
	}
	names := map[string]string{"MinSize": "IntMinSize", "Truncate": "AllowTruncatingDoubles"}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return nil, false
		}
		name := kv.Key.(*ast.Ident).Name
		switch {
		case name == "Registry" && f.isDefaultRegistry(kv.Value):
		case name == "Registry":
			fields = append(fields, "Codecs: "+f.text(kv.Value))
		case names[name] != "":
			fields = append(fields, names[name]+": "+f.text(kv.Value))
		default:
			return nil, false
		}
	}
	f.unreportIn(lit)
	return fields, true
}

// contextDeclaration returns the statement that declares a variable with a literal, if the variable is read once.
func (f *file) contextDeclaration(id *ast.Ident) (*ast.AssignStmt, *ast.CompositeLit) {
	if len(f.usesOf(f.objectOf(id))) != 1 {
		return nil, nil
	}
	for def, o := range f.pkg.TypesInfo.Defs {
		assign, ok := f.parents[def].(*ast.AssignStmt)
		if o == nil || o != f.objectOf(id) || !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		lit, _ := assign.Rhs[0].(*ast.CompositeLit)
		if lit != nil {
			return assign, lit
		}
	}
	return nil, nil
}
