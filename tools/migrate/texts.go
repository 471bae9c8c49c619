package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// Some types print as another text here, and some are stored in another form. Nothing in the program shows either, so the report
// does.

// otherTexts are the types of package bson whose text differs, with what it is here.
var otherTexts = map[string]string{
	"D": "relaxed extended JSON", "M": "relaxed extended JSON", "Raw": "relaxed extended JSON",
	"RawValue": "relaxed extended JSON", "RawArray": "relaxed extended JSON", "RawElement": "a Go struct", "Regex": "a Go struct",
	"DBPointer": "a Go struct", "CodeWithScope": "a Go struct", "Type": "a name such as int",
}

// reportPrinted reports what a call prints: the method String of such a type, or a value of it that goes to fmt, a log or a test.
func (f *file) reportPrinted(n *ast.CallExpr, s *ast.SelectorExpr) {
	if s.Sel.Name == "String" && len(n.Args) == 0 && f.pkg.TypesInfo.Selections[s] != nil {
		f.reportText(n, f.typeOf(s.X))
		return
	}
	o := f.objectOf(s.Sel)
	if o != nil && o.Pkg() != nil && o.Pkg().Path() == "encoding/json" && len(n.Args) > 0 {
		f.reportListInJSON(n.Args[0])
	}
	if o == nil || o.Pkg() == nil || !printers[o.Pkg().Path()] || strings.HasPrefix(o.Name(), "Sscan") {
		return
	}
	for _, arg := range n.Args {
		f.reportText(arg, f.typeOf(arg))
	}
}

// reportListInJSON reports a document of version 1 that becomes JSON: there it is a list of its elements.
func (f *file) reportListInJSON(n ast.Expr) {
	t := f.typeOf(n)
	for {
		if s, ok := types.Unalias(t).(*types.Slice); ok {
			t = s.Elem()
			continue
		}
		break
	}
	if named := namedOf(t); named != nil && named.Obj().Name() == "D" && isVersion1(named.Obj()) && isOfficial(named.Obj()) {
		f.report(n, "the JSON of a bson.D is an object here, and a list of {\"Key\", \"Value\"} in version 1")
	}
}

// officialTexts are parts of the texts of the official driver's errors, which code may look for.
var officialTexts = regexp.MustCompile(`(?i)server selection error|client is disconnected|connection\(\) error|` +
	`incomplete read of|topology is closed|` +
	`multiple write errors|write exception|bulk write exception|error decoding key|not a valid ObjectID|` +
	`unable to authenticate|auth error|` +
	`no documents in result|unable to write wire message|socket was unexpectedly closed`)

// reportErrorText reports a text that code looks for in the text of an error.
func (f *file) reportErrorText(n *ast.BasicLit) {
	if n.Kind != token.STRING || !officialTexts.MatchString(n.Value) {
		return
	}
	switch f.parents[n].(type) {
	case *ast.CallExpr, *ast.BinaryExpr, *ast.CompositeLit, *ast.CaseClause:
		f.report(n, "the text of an error may differ here: use errors.Is, errors.As or a function such as mongo.IsTimeout")
	}
}

// printers are the packages that print what they are given.
var printers = map[string]bool{"fmt": true, "log": true, "log/slog": true, "testing": true}

func (f *file) reportText(n ast.Node, t types.Type) {
	if s, ok := types.Unalias(t).(*types.Slice); ok {
		t = s.Elem()
	}
	named := namedOf(t)
	if named == nil || !isOfficial(named.Obj()) {
		return
	}
	name := named.Obj().Name()
	short := shortName(named.Obj().Pkg().Path())
	what := otherTexts[name]
	if what == "" || short != "bson" && short != "primitive" && (short != "bsontype" || name != "Type") {
		return
	}
	f.report(n, "the text of a bson.%s is %s here, and something else in the official driver (canonical extended JSON, for documents): "+
		"it matters where code or people compare it", name, what)
}

// reportStoredForm reports a field whose values the official driver stores as {}, because their type shows no fields. Onion stores the
// value, by the methods that the type has for text or binary data, and reads {} as the zero value.
func (f *file) reportStoredForm(n *ast.StructType) {
	tagged := false
	for _, field := range n.Fields.List {
		if field.Tag != nil {
			text, _ := bsonTag(field.Tag)
			tagged = tagged || text != "" && strings.Contains(field.Tag.Value, "bson:")
		}
	}
	if !tagged && !f.isStored(n) {
		return
	}
	for _, field := range n.Fields.List {
		if field.Tag != nil {
			if text, _ := bsonTag(field.Tag); text == "-" {
				continue
			}
		}
		named := elementOf(f.typeOf(field.Type))
		if named == nil || !f.isStoredOtherwise(named) {
			continue
		}
		name := types.TypeString(named, func(p *types.Package) string { return p.Name() })
		f.report(field, "the official driver stores a %s as {}, and Onion stores its value; {} is read as the zero value: give the "+
			"field the tag `bson:\"-\"` where it is not to be stored", name)
	}
}

// elementOf returns the named type in pointers, slices, arrays and maps.
func elementOf(t types.Type) *types.Named {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Named:
			return u
		default:
			return nil
		}
	}
}

// isStoredOtherwise reports whether a type is a struct without exported fields that writes itself as text or binary data, and has
// no methods for BSON.
func (f *file) isStoredOtherwise(named *types.Named) bool {
	s, ok := named.Underlying().(*types.Struct)
	if !ok || isOfficial(named.Obj()) {
		return false
	}
	for v := range s.Fields() {
		if v.Exported() {
			return false
		}
	}
	switch types.TypeString(named, nil) {
	case "time.Time":
		return false
	}
	has := func(name string) bool {
		o, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), name)
		_, isMethod := o.(*types.Func)
		return isMethod
	}
	if has("MarshalBSON") || has("MarshalBSONValue") {
		return false
	}
	return has("MarshalText") || has("AppendText") || has("MarshalBinary") || has("AppendBinary")
}
