package main

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// callRules rewrite calls that need more than another name.
var callRules map[string]func(*file, *ast.CallExpr)

func init() {
	callRules = map[string]func(*file, *ast.CallExpr){
		"mongo.Connect":                                   (*file).connect,
		"mongo.Session.WithTransaction":                   (*file).withTransaction,
		"mongo.Client.UseSession":                         (*file).useSession,
		"mongo.Client.UseSessionWithOptions":              (*file).useSession,
		"mongo.WithSession":                               (*file).withSession,
		"mongo.NewCursorFromDocuments":                    (*file).withoutRegistry,
		"mongo.NewSingleResultFromDocument":               (*file).withoutRegistry,
		"mongo.Collection.Distinct":                       (*file).rewriteDistinct,
		"bson.MarshalExtJSON":                             (*file).marshalExtJSON,
		"bson.NewEncoder":                                 (*file).codec,
		"bson.NewDecoder":                                 (*file).codec,
		"bson.NewRegistry":                                (*file).newRegistry,
		"bson.NewRegistryBuilder":                         (*file).newRegistry,
		"bson.NewStructCodec":                             (*file).structCodec,
		"bson.RegistryBuilder.Build":                      (*file).dropBuild,
		"bson.Raw.Index":                                  (*file).mustIndex,
		"bson.RawArray.Index":                             (*file).mustIndex,
		"bson.Raw.IndexErr":                               (*file).indexErr,
		"bson.RawArray.IndexErr":                          (*file).indexErr,
		"bson.RawElement.KeyErr":                          (*file).elementField,
		"bson.RawElement.ValueErr":                        (*file).elementField,
		"bson.RawValue.IsNumber":                          (*file).isNumber,
		"bsonx.Doc.Append":                                (*file).bsonxAppend,
		"bsonrw.NewBSONValueWriter":                       (*file).documentStream,
		"bsonrw.NewBSONDocumentReader":                    (*file).documentStream,
		"bson.NewDocumentReader":                          (*file).documentStream,
		"bson.NewDocumentWriter":                          (*file).documentStream,
		"bson.MarshalValue":                               (*file).appendValue,
		"bson.UnmarshalValue":                             (*file).rawValue,
		"mongo.NewClient":                                 (*file).connect,
		"mongo.Client.Connect":                            (*file).clientConnect,
		"mongo.CommandError.IsMaxTimeMSExpiredError":      (*file).maxTimeExpired,
		"mongo.WriteConcernError.IsMaxTimeMSExpiredError": (*file).maxTimeExpired,
		"options.MergeClientOptions":                      (*file).mergeClient,
		"options.ClientOptions.Validate":                  (*file).validated,
		"readpref.WithTagSets":                            (*file).withTagSets,
		"tag.NewTagSetFromMap":                            (*file).tagSets,
		"tag.NewTagSetsFromMaps":                          (*file).tagSets,
		"readpref.New":                                    (*file).readPreference,
		"bson.NewVector":                                  (*file).newVector,
		"writeconcern.New":                                (*file).writeConcern,
		"writeconcern.W":                                  (*file).partialConcern,
		"writeconcern.WTagSet":                            (*file).partialConcern,
		"writeconcern.WMajority":                          (*file).partialConcern,
		"writeconcern.J":                                  (*file).partialConcern,
		"writeconcern.WTimeout":                           (*file).partialConcern,
		"writeconcern.Custom":                             (*file).customConcern,
		"readconcern.New":                                 (*file).readConcern,
		"mongo.IndexView.DropOne":                         (*file).withoutReply,
		"mongo.IndexView.DropAll":                         (*file).withoutReply,
		"mongo.IndexView.DropOneWithKey":                  (*file).dropWithKey,
		"mongo.Collection.UpdateMany":                     (*file).manyOptions,
		"mongo.Collection.DeleteMany":                     (*file).manyOptions,
		"gridfs.NewBucket":                                (*file).newBucket,
	}
	addFamilies()
	addDocuments()
}

// registers are the methods of a registry that take a codec.
var registers = [...]string{
	"Codec", "TypeEncoder", "TypeDecoder", "TypeMapEntry", "Encoder", "Decoder", "DefaultEncoder", "DefaultDecoder", "KindEncoder",
	"KindDecoder",
}

// addFamilies adds the rules that many names share.
func addFamilies() {
	callRules["mongo.Collection.Clone"] = (*file).rewriteClone
	callRules["mongo.ClientEncryption.CreateDataKey"] = encryptionHelper("createdKey")
	callRules["mongo.ClientEncryption.EncryptExpression"] = encryptionHelper("encryptInto")
	callRules["mongo.ClientEncryption.CreateEncryptedCollection"] = (*file).encryptedCollection
	callRules["mongo.Database.RunCommandCursor"] = (*file).runCommandCursor
	maps.Copy(callRules, map[string]func(*file, *ast.CallExpr){
		"bson.AppendDocumentStart":        (*file).coreStart,
		"bson.AppendDocumentElementStart": (*file).coreStart,
		"bson.AppendArrayStart":           (*file).coreStart,
		"bson.AppendArrayElementStart":    (*file).coreStart,
		"bson.AppendDocumentEnd":          (*file).coreEnd,
		"bson.AppendArrayEnd":             (*file).coreEnd,
		"bson.BuildDocument":              (*file).coreBuild,
		"bson.BuildDocumentFromElements":  (*file).coreBuild,
		"address.Address.String":          (*file).addressText,
		"bson.NewDocumentBuilder":         (*file).builderHelper,
		"bson.NewArrayBuilder":            (*file).builderHelper,
		"mongo.SearchIndexView.List":      (*file).searchIndexes,
	})
	for name, helper := range map[string]string{
		"primitive.D.Map": "mapOf", "bson.D.Map": "mapOf", "primitive.ParseDecimal128FromBigInt": "decimalOf",
		"bson.ParseDecimal128FromBigInt": "decimalOf",
	} {
		callRules[name] = throughHelper(helper)
	}
	callRules["primitive.CompareTimestamp"] = (*file).compareTimestamps
	callRules["mongo.IndexView.ListSpecifications"] = (*file).pointedList
	callRules["mongo.Database.ListCollectionSpecifications"] = (*file).pointedList
	for name := range coreReads {
		callRules["bson."+name] = (*file).coreRead
	}
	callRules["bson.ReadValue"] = (*file).coreReadValue
	callRules["bson.RawValue.AsInt64"] = (*file).asInt64
	callRules["bson.RawValue.AsInt64OK"] = (*file).asInt64
	callRules["primitive.IsValidObjectID"] = throughHelper("isObjectID")
	callRules["readpref.ModeFromString"] = throughHelper("modeOf")
	callRules["bson.Marshal"] = (*file).marshalsInto
	callRules["gridfs.Bucket.SetReadDeadline"] = (*file).bucketDeadline
	callRules["gridfs.Bucket.SetWriteDeadline"] = (*file).bucketDeadline
	addBsonxReads()
	addCoreTexts()
	addStreams()
	for _, name := range registered {
		callRules["bson."+name+"WithRegistry"] = (*file).withRegistry
	}
	for _, name := range inTwoParts {
		callRules["bson.RawValue."+name] = (*file).parts
	}
	for _, name := range mergers {
		callRules["options.Merge"+name+"Options"] = (*file).mergeOptions
	}
	for name := range bsonxValues {
		callRules["bsonx."+name] = (*file).bsonxValue
	}
	for _, method := range registers {
		callRules["bson.Registry.Register"+method] = (*file).registering
		callRules["bson.RegistryBuilder.Register"+method] = (*file).registering
	}
}

// accepted are the calls whose types differ in a way that no caller can see.
var accepted = map[string]bool{
	"mongo.Client.AppendDriverInfo": true, // a statement drops the error
	"bson.Marshal":                  true, // a bson.Raw is assigned wherever a []byte is
	"bson.AppendObjectIDElement":    true, // a [12]byte is assigned to a bson.ObjectID
	"bson.AppendDBPointerElement":   true,
	"mongo.Client.ListDatabases":    true, // the rule for the field Databases takes the slice itself
}

// hasRule reports whether a rule for the call takes care of the function's name.
func (f *file) hasRule(n *ast.SelectorExpr, key string) bool {
	call, ok := f.parents[n].(*ast.CallExpr)
	if !ok || call.Fun != n {
		return false
	}
	if callRules[key] != nil || f.panicking(key) {
		return true
	}
	if _, ok := f.isSetter(call); ok {
		return true
	}
	_, ok = f.isConstructor(call)
	return ok
}

func (f *file) call(n *ast.CallExpr) {
	if s, ok := n.Fun.(*ast.SelectorExpr); ok {
		defer f.friend(n, s)
	}
	if owner, ok := f.isSetter(n); ok {
		f.builder(n, owner)
		return
	}
	if owner, ok := f.isConstructor(n); ok {
		f.builder(n, owner)
		return
	}
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "append" && len(n.Args) > 1 && !n.Ellipsis.IsValid() {
		f.containerList(f.typeOf(n), n.Args[1:])
	}
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if f.containerCall(n, s) {
		return
	}
	if f.rewriteList(n) {
		return
	}
	f.reportForeignCall(n, s)
	f.equalErrors(n, s)
	f.printed(n, s)
	key, _ := f.keyOf(s)
	defer f.localTime(n, key)
	if rule := callRules[key]; rule != nil {
		rule(f, n)
		return
	}
	if f.panicking(key) {
		f.must(n, s, key)
		return
	}
	f.unmarshalLikeVersion1(n, s, key)
	if strings.HasPrefix(key, "gridfs.Bucket.") {
		f.bucketCall(n, key)
	}
}

// panicking reports whether a method of RawValue panics when the type is another one; Onion has the forms with OK
// alone.
func (f *file) panicking(key string) bool {
	name, ok := strings.CutPrefix(key, "bson.RawValue.")
	if !ok || api[key] != "" {
		return false
	}
	declared := api["bson.RawValue."+okName(name)]
	return declared != "" && strings.HasPrefix(declared, "func() (") && strings.Count(declared, ",") == 1
}

func okName(name string) string { return strings.TrimSuffix(name, "Value") + "OK" }

func (f *file) must(n *ast.CallExpr, s *ast.SelectorExpr, key string) {
	name := okName(key[strings.LastIndexByte(key, '.')+1:])
	f.replace(n, f.qualify("bson.Must")+"("+f.text(s.X)+"."+name+"())")
}

// withTransaction rewrites the method that returns a value as the function that does.
func (f *file) withTransaction(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	args := f.arguments(n)
	session := f.receiver(s)
	if named := namedOf(f.typeOf(s.X)); named != nil && named.Obj().Name() == "SessionContext" {
		session = f.qualify("mongo.SessionFromContext") + "(" + session + ")"
	}
	all := append([]string{args[0], session}, args[1:]...)
	f.replace(n, f.qualify("mongo.WithTransaction")+"("+strings.Join(all, ", ")+")")
}

// useSession gives the function of UseSession its second parameter.
func (f *file) useSession(n *ast.CallExpr) {
	last, ok := n.Args[len(n.Args)-1].(*ast.FuncLit)
	if !ok {
		fn := n.Args[len(n.Args)-1]
		f.extra["context"] = true
		f.replace(fn, "func(ctx context.Context, _ *"+f.qualify("mongo.Session")+") error { return "+f.text(fn)+"(ctx) }")
		return
	}
	params := last.Type.Params.List
	if len(params) == 1 && len(params[0].Names) == 0 {
		f.replace(params[0], "_ "+f.text(params[0]))
	}
	f.insert(params[len(params)-1].End(), ", _ *"+f.qualify("mongo.Session"))
}

// withSession calls the function with the session's context, which is all that WithSession does.
func (f *file) withSession(n *ast.CallExpr) {
	a := f.texts(n.Args)
	f.replace(n, a[2]+"("+f.qualify("mongo.NewSessionContext")+"("+a[0]+", "+a[1]+"))")
}

// arguments returns the texts of the arguments of a call, the last with its dots.
func (f *file) arguments(n *ast.CallExpr) []string {
	args := f.texts(n.Args)
	if n.Ellipsis.IsValid() {
		args[len(args)-1] += "..."
	}
	return args
}

func (f *file) texts(list []ast.Expr) []string {
	var out []string
	for _, e := range list {
		out = append(out, f.text(e))
	}
	return out
}

// withoutRegistry drops the registry of the constructors for tests.
func (f *file) withoutRegistry(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	f.replace(s, f.qualify("mongo."+s.Sel.Name))
	if len(n.Args) != 3 {
		return
	}
	if !f.defaultRegistry(n.Args[2]) {
		f.report(n, "%s takes no registry: pass options with Codecs to Decode", s.Sel.Name)
	}
	f.replaceRange(n.Args[1].End(), n.Args[2].End(), "")
}

// defaultRegistry reports whether an expression is nil or an unchanged default registry.
func (f *file) defaultRegistry(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 0 {
		e = call.Fun
	}
	if s, ok := e.(*ast.SelectorExpr); ok {
		f.unreport(s)
		key, _ := f.keyOf(s)
		return key == "bson.NewRegistry" || key == "bson.DefaultRegistry"
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}

// rewriteDistinct rewrites version 1's Distinct, which returned a slice of any value.
func (f *file) rewriteDistinct(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	if t, ok := f.typeOf(n).(*types.Tuple); !ok || t.Len() != 2 {
		return
	}
	args := append([]string{f.text(n.Args[0]), f.receiver(s)}, f.arguments(n)[1:]...)
	f.replace(n, f.qualify("mongo.Distinct")+"[any]("+strings.Join(args, ", ")+")")
}

// marshalExtJSON drops the flag that escapes HTML.
func (f *file) marshalExtJSON(n *ast.CallExpr) {
	f.replace(n.Fun, f.qualify("bson.MarshalExtJSON"))
	if len(n.Args) != 3 {
		return
	}
	f.escapes(n, n.Args[2])
	f.replaceRange(n.Args[1].End(), n.Args[2].End(), "")
}

// escapes reports a flag that may ask for HTML to be escaped.
func (f *file) escapes(n *ast.CallExpr, flag ast.Expr) {
	if v := f.pkg.TypesInfo.Types[flag].Value; v == nil || v.String() != "false" {
		f.report(n, "MarshalExtJSON does not escape HTML: pass its result through json.HTMLEscape")
	}
}

// unreport removes the reports about a node whose call a rule has rewritten.
func (f *file) unreport(n ast.Node) {
	at := f.pkg.Fset.Position(n.Pos())
	kept := f.leaves[:0]
	for _, l := range f.leaves {
		if l.at != at {
			kept = append(kept, l)
		}
	}
	f.leaves = kept
}

// unreportIn removes the reports about what a statement holds that has gone.
func (f *file) unreportIn(n ast.Node) {
	f.leaves = slices.DeleteFunc(f.leaves, func(l leave) bool {
		return f.offset(n.Pos()) <= l.at.Offset && l.at.Offset < f.offset(n.End())
	})
}

// returnsAlone reports whether a call is all that a statement returns.
func (f *file) returnsAlone(n *ast.CallExpr) bool {
	results, ok := f.parents[n].(*ast.ReturnStmt)
	return ok && len(results.Results) == 1
}

// rewriteClone rewrites version 1's Clone, whose error is always nil.
func (f *file) rewriteClone(n *ast.CallExpr) {
	if t, ok := f.typeOf(n).(*types.Tuple); ok && t.Len() == 2 {
		f.unreport(n)
		f.neverFails(n, f.text(n))
	}
}
