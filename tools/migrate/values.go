package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// Some values have another form here. They are rewritten where the program uses them in the old form.

const mapOfSource = `
// mapOf makes a map of the fields of a document. Where several fields have one name, the last one wins.
func mapOf(d bson.D) bson.M {
	m := make(bson.M, len(d))
	for _, e := range d {
		m[e.Key] = e.Value
	}
	return m
}
`

const isObjectIDSource = `
// isObjectID reports whether a text is an ObjectID in hexadecimal.
func isObjectID(text string) bool {
	_, err := bson.ObjectIDFromHex(text)
	return err == nil
}
`

const modeOfSource = `
// modeOf returns the mode of a read preference that has a name.
func modeOf(name string) (options.ReadPreferenceMode, error) {
	for mode := options.Primary; mode <= options.Nearest; mode++ {
		if strings.EqualFold(mode.String(), name) {
			return mode, nil
		}
	}
	return 0, fmt.Errorf("unknown read preference %v", name)
}
`

const settersOfSource = `
// settersOf returns a function that sets the fields which opts sets, as List of the official driver's builders does.
func settersOf[T any](opts *T) []func(*T) error {
	return []func(*T) error{func(all *T) error {
		*all = *mergeOptions(all, opts)
		return nil
	}}
}
`

// rewriteList rewrites the method List of a builder, or of the interface of all builders.
func (f *file) rewriteList(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "List" || len(n.Args) != 0 {
		return false
	}
	named := namedOf(f.typeOf(s.X))
	if named == nil || !isOfficial(named.Obj()) ||
		named.Obj().Name() != "Lister" && !strings.HasSuffix(named.Obj().Name(), "OptionsBuilder") {
		return false
	}
	f.unreportIn(s)
	f.replace(n, f.useHelper("settersOf")+"("+f.text(s.X)+")")
	return true
}

const fieldsOfSource = `
// fieldsOf returns the fields that the functions of a list set. It panics if one returns an error.
func fieldsOf[T any](list interface{ List() []func(*T) error }) *T {
	fields := new(T)
	for _, set := range list.List() {
		if err := set(fields); err != nil {
			panic(err)
		}
	}
	return fields
}
`

// makeLister makes options of a value of the program's own type that is passed as an options.Lister.
func (f *file) makeLister(e ast.Expr, wanted types.Type) {
	named := namedOf(f.typeOf(e))
	if named == nil || isOfficial(named.Obj()) || !isMongo(wanted, "Lister") {
		return
	}
	f.report(e, "an error returned by the method List of %s causes a panic here; "+
		"in the official driver the operation returns it", named.Obj().Name())
	f.replace(e, f.useHelper("fieldsOf")+"("+f.text(e)+")")
}

const valueOfSource = `
// valueOf decodes a value into an any, which gives it its Go type.
func valueOf(v bson.RawValue) (value any) {
	if err := v.Unmarshal(&value); err != nil {
		return v
	}
	return value
}
`

const decimalOfSource = `
// decimalOf makes a decimal of v * 10^exp, and reports whether it fits.
func decimalOf(v *big.Int, exp int) (bson.Decimal128, bool) {
	d, err := bson.Decimal128FromBigInt(v, exp)
	return d, err == nil
}
`

const pointersToSource = `
// pointersTo makes pointers of the elements of a list.
func pointersTo[T any](list []T, err error) ([]*T, error) {
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out, nil
}
`

const keysOfSource = `
// keysOf converts the keys of a map to another type of integers.
func keysOf[To, From ~int | ~int64](m map[From]any) map[To]any {
	if m == nil {
		return nil
	}
	out := make(map[To]any, len(m))
	for key, value := range m {
		out[To(key)] = value
	}
	return out
}
`

const totalSizeSource = `
// totalSize adds up the sizes of databases on disk.
func totalSize(list []mongo.DatabaseSpecification) (size int64) {
	for _, database := range list {
		size += database.SizeOnDisk
	}
	return size
}
`

const readPreferenceOfSource = `
// readPreferenceOf makes a read preference. The one for the primary takes no options.
func readPreferenceOf(mode options.ReadPreferenceMode, opts ...mongo.ReadPreferenceOption) (*options.ReadPreference, error) {
	if mode == options.Primary && len(opts) > 0 {
		return nil, errors.New("can not specify tags, max staleness, or hedge with mode primary")
	}
	p := &options.ReadPreference{Mode: mode}
	for _, set := range opts {
		set(p)
	}
	return p, nil
}
`

// ruleForHelper makes a rule that calls a helper in place of a function or of a method, whose receiver comes first.
func ruleForHelper(name string) func(*file, *ast.CallExpr) {
	return func(f *file, n *ast.CallExpr) {
		args := f.argumentTexts(n)
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && f.pkg.TypesInfo.Selections[s] != nil {
			args = append([]string{f.receivedValue(s)}, args...)
		}
		f.replace(n, f.useHelper(name)+"("+strings.Join(args, ", ")+")")
	}
}

// receivedValue writes the value that a method is called on, also where a pointer to it is embedded or named.
func (f *file) receivedValue(s *ast.SelectorExpr) string {
	holder := f.typeOf(s.X)
	selection := f.pkg.TypesInfo.Selections[s]
	for _, index := range selection.Index()[:len(selection.Index())-1] {
		if p, ok := types.Unalias(holder).(*types.Pointer); ok {
			holder = p.Elem()
		}
		holder = holder.Underlying().(*types.Struct).Field(index).Type()
	}
	if _, isPointer := types.Unalias(holder).(*types.Pointer); isPointer {
		return "*" + f.receiver(s)
	}
	return f.receiver(s)
}

// rewriteCompareTimestamps rewrites version 1's primitive.CompareTimestamp.
func (f *file) rewriteCompareTimestamps(n *ast.CallExpr) {
	a := f.texts(n.Args)
	f.replace(n, a[0]+".Compare("+a[1]+")")
}

// rewritePointedList rewrites version 1's methods that return pointers to specifications.
func (f *file) rewritePointedList(n *ast.CallExpr) {
	t, ok := f.typeOf(n).(*types.Tuple)
	if !ok || t.Len() != 2 || !strings.HasPrefix(t.At(0).Type().String(), "[]*") {
		return
	}
	f.replace(n, f.useHelper("pointersTo")+"("+f.text(n)+")")
}

// functionValues are the functions that take options here, as values of the type that they have in the official driver.
var functionValues = map[string]string{
	"bson.Marshal":          "func(v any) ([]byte, error) { return bson.Marshal(v) }",
	"bson.Unmarshal":        "func(data []byte, v any) error { return bson.Unmarshal(data, v$version1) }",
	"bson.UnmarshalExtJSON": "func(data []byte, canonical bool, v any) error { return bson.UnmarshalExtJSON(data, canonical, v$version1) }",
	"bson.MarshalExtJSON":   "func(v any, canonical, _ bool) ([]byte, error) { return bson.MarshalExtJSON(v, canonical) }",
}

// rewriteFunctionValue rewrites one of these functions where it is not called.
func (f *file) rewriteFunctionValue(n *ast.SelectorExpr, key string) bool {
	text := functionValues[key]
	if call, ok := f.parents[n].(*ast.CallExpr); text == "" || ok && call.Fun == n {
		return false
	}
	options := ""
	if strings.Contains(text, "$version1") && isVersion1(f.objectOf(n.Sel)) {
		options = ", " + f.useHelper("decodeLikeVersion1") + "()"
	}
	text = onionName.ReplaceAllStringFunc(text, f.qualify)
	f.replace(n, strings.ReplaceAll(text, "$version1", options))
	return true
}

// databases is Onion's list of databases, which takes the place of the official driver's ListDatabasesResult.
const databases = "mongo.ListDatabasesResult"

// rewriteDatabasesType rewrites that type, and TotalSize of a value.
func (f *file) rewriteDatabasesType(n *ast.SelectorExpr, key string) bool {
	switch key {
	case databases:
		f.replace(n, "[]"+f.qualify("mongo.DatabaseSpecification"))
	case databases + ".TotalSize":
		f.replace(n, f.useHelper("totalSize")+"("+f.text(n.X)+")")
	case databases + ".Databases":
		f.replace(n, f.text(n.X))
	default:
		return false
	}
	return true
}

// rewriteDatabasesLiteral rewrites a literal of the type as its list.
func (f *file) rewriteDatabasesLiteral(n *ast.CompositeLit) {
	text := f.text(n.Type) + "{}"
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			f.report(n, "ListDatabases returns []mongo.DatabaseSpecification here")
			return
		}
		switch kv.Key.(*ast.Ident).Name {
		case "Databases":
			text = f.text(kv.Value)
		case "TotalSize":
			if !f.isUnset(kv.Value) {
				f.report(kv, "ListDatabases returns []mongo.DatabaseSpecification here: the total is the sum of SizeOnDisk")
			}
		}
	}
	f.replace(n, text)
}

// rewriteUpsertedIDs rewrites the map of a bulk write's upserts where its keys are of another type here.
func (f *file) rewriteUpsertedIDs(n *ast.SelectorExpr, key string) bool {
	if key != "mongo.BulkWriteResult.UpsertedIDs" || typeText(f.typeOf(n)) == strings.TrimPrefix(api[key], "field ") || f.isAssigned(n) {
		return false
	}
	switch p := f.parents[n].(type) {
	case *ast.IndexExpr:
		if p.X == n {
			return false // the rule for the index
		}
	case *ast.CallExpr:
		if id, ok := p.Fun.(*ast.Ident); ok && id.Name == "len" {
			return true
		}
	case *ast.BinaryExpr: // with nil
		return true
	}
	f.replace(n, f.useHelper("keysOf")+"[int64]("+f.text(n)+")")
	return true
}

// rewriteFileID gives the ID of a GridFS file, a raw value here, the type that it had.
func (f *file) rewriteFileID(n *ast.SelectorExpr, to string) bool {
	if to != "mongo.GridFSFile.ID" || f.isAssigned(n) {
		return false
	}
	f.replace(n, f.useHelper("valueOf")+"("+f.text(n.X)+".ID)")
	return true
}

// rewriteUpsertedLiteral rewrites the map that a literal of a bulk write's result is given.
func (f *file) rewriteUpsertedLiteral(kv *ast.KeyValueExpr, key string) bool {
	if key != "mongo.BulkWriteResult.UpsertedIDs" {
		return false
	}
	if lit, ok := kv.Value.(*ast.CompositeLit); ok && typeText(f.typeOf(lit)) == "map[int64]any" {
		f.replace(lit.Type, "map[int]any")
		return true
	}
	if f.pkg.TypesInfo.Types[kv.Value].IsNil() {
		return true
	}
	f.replace(kv.Value, f.useHelper("keysOf")+"[int]("+f.text(kv.Value)+")")
	return true
}
