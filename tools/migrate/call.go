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
		"mongo.Connect":                                   (*file).rewriteConnect,
		"mongo.Session.WithTransaction":                   (*file).rewriteWithTransaction,
		"mongo.Client.UseSession":                         (*file).rewriteUseSession,
		"mongo.Client.UseSessionWithOptions":              (*file).rewriteUseSession,
		"mongo.WithSession":                               (*file).rewriteWithSession,
		"mongo.NewCursorFromDocuments":                    (*file).dropRegistry,
		"mongo.NewSingleResultFromDocument":               (*file).dropRegistry,
		"mongo.Collection.Distinct":                       (*file).rewriteDistinct,
		"bson.MarshalExtJSON":                             (*file).rewriteMarshalExtJSON,
		"bson.NewEncoder":                                 (*file).rewriteCodec,
		"bson.NewDecoder":                                 (*file).rewriteCodec,
		"bson.NewRegistry":                                (*file).rewriteNewRegistry,
		"bson.NewRegistryBuilder":                         (*file).rewriteNewRegistry,
		"bson.NewStructCodec":                             (*file).rewriteStructCodec,
		"bson.RegistryBuilder.Build":                      (*file).dropBuild,
		"bson.Raw.Index":                                  (*file).rewriteIndex,
		"bson.RawArray.Index":                             (*file).rewriteIndex,
		"bson.Raw.IndexErr":                               (*file).rewriteIndexErr,
		"bson.RawArray.IndexErr":                          (*file).rewriteIndexErr,
		"bson.RawElement.KeyErr":                          (*file).rewriteElementField,
		"bson.RawElement.ValueErr":                        (*file).rewriteElementField,
		"bson.RawValue.IsNumber":                          (*file).rewriteIsNumber,
		"bsonx.Doc.Append":                                (*file).rewriteBsonxAppend,
		"bsonrw.NewBSONValueWriter":                       (*file).rewriteDocumentStream,
		"bsonrw.NewBSONDocumentReader":                    (*file).rewriteDocumentStream,
		"bson.NewDocumentReader":                          (*file).rewriteDocumentStream,
		"bson.NewDocumentWriter":                          (*file).rewriteDocumentStream,
		"bson.MarshalValue":                               (*file).rewriteMarshalValue,
		"bson.UnmarshalValue":                             (*file).rewriteUnmarshalValue,
		"mongo.NewClient":                                 (*file).rewriteConnect,
		"mongo.Client.Connect":                            (*file).removeClientConnect,
		"mongo.CommandError.IsMaxTimeMSExpiredError":      (*file).rewriteMaxTimeExpired,
		"mongo.WriteConcernError.IsMaxTimeMSExpiredError": (*file).rewriteMaxTimeExpired,
		"options.MergeClientOptions":                      (*file).rewriteMergeClient,
		"options.ClientOptions.Validate":                  (*file).dropValidate,
		"readpref.WithTagSets":                            (*file).rewriteWithTagSets,
		"tag.NewTagSetFromMap":                            (*file).rewriteTagSets,
		"tag.NewTagSetsFromMaps":                          (*file).rewriteTagSets,
		"readpref.New":                                    (*file).rewriteReadPreference,
		"bson.NewVector":                                  (*file).rewriteNewVector,
		"writeconcern.New":                                (*file).rewriteWriteConcern,
		"writeconcern.W":                                  (*file).rewritePartialConcern,
		"writeconcern.WTagSet":                            (*file).rewritePartialConcern,
		"writeconcern.WMajority":                          (*file).rewritePartialConcern,
		"writeconcern.J":                                  (*file).rewritePartialConcern,
		"writeconcern.WTimeout":                           (*file).rewritePartialConcern,
		"writeconcern.Custom":                             (*file).rewriteCustomConcern,
		"readconcern.New":                                 (*file).rewriteReadConcern,
		"mongo.IndexView.DropOne":                         (*file).dropReply,
		"mongo.IndexView.DropAll":                         (*file).dropReply,
		"mongo.IndexView.DropOneWithKey":                  (*file).rewriteDropWithKey,
		"mongo.Collection.UpdateMany":                     (*file).convertManyOptions,
		"mongo.Collection.DeleteMany":                     (*file).convertManyOptions,
		"gridfs.NewBucket":                                (*file).rewriteNewBucket,
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
	callRules["mongo.ClientEncryption.CreateDataKey"] = ruleForEncryption("createDataKey")
	callRules["mongo.ClientEncryption.EncryptExpression"] = ruleForEncryption("encryptInto")
	callRules["mongo.ClientEncryption.CreateEncryptedCollection"] = (*file).rewriteEncryptedCollection
	callRules["mongo.Database.RunCommandCursor"] = (*file).convertRunCommandCursor
	maps.Copy(callRules, map[string]func(*file, *ast.CallExpr){
		"bson.AppendDocumentStart":        (*file).rewriteCoreStart,
		"bson.AppendDocumentElementStart": (*file).rewriteCoreStart,
		"bson.AppendArrayStart":           (*file).rewriteCoreStart,
		"bson.AppendArrayElementStart":    (*file).rewriteCoreStart,
		"bson.AppendDocumentEnd":          (*file).rewriteCoreEnd,
		"bson.AppendArrayEnd":             (*file).rewriteCoreEnd,
		"bson.BuildDocument":              (*file).rewriteCoreBuild,
		"bson.BuildDocumentFromElements":  (*file).rewriteCoreBuild,
		"address.Address.String":          (*file).rewriteAddressString,
		"bson.NewDocumentBuilder":         (*file).rewriteNewBuilder,
		"bson.NewArrayBuilder":            (*file).rewriteNewBuilder,
		"mongo.SearchIndexView.List":      (*file).rewriteSearchIndexes,
	})
	for name, helper := range map[string]string{
		"primitive.D.Map": "mapOf", "bson.D.Map": "mapOf", "primitive.ParseDecimal128FromBigInt": "decimalOf",
		"bson.ParseDecimal128FromBigInt": "decimalOf",
	} {
		callRules[name] = ruleForHelper(helper)
	}
	callRules["primitive.CompareTimestamp"] = (*file).rewriteCompareTimestamps
	callRules["mongo.IndexView.ListSpecifications"] = (*file).rewritePointedList
	callRules["mongo.Database.ListCollectionSpecifications"] = (*file).rewritePointedList
	for name := range coreReads {
		callRules["bson."+name] = (*file).rewriteCoreRead
	}
	callRules["bson.ReadValue"] = (*file).rewriteCoreReadValue
	callRules["bson.RawValue.AsInt64"] = (*file).rewriteAsInt64
	callRules["bson.RawValue.AsInt64OK"] = (*file).rewriteAsInt64
	callRules["primitive.IsValidObjectID"] = ruleForHelper("isObjectID")
	callRules["readpref.ModeFromString"] = ruleForHelper("modeOf")
	callRules["bson.Marshal"] = (*file).rewriteMarshal
	callRules["gridfs.Bucket.SetReadDeadline"] = (*file).dropBucketDeadline
	callRules["gridfs.Bucket.SetWriteDeadline"] = (*file).dropBucketDeadline
	addBsonxReads()
	addCoreTexts()
	addStreams()
	for _, name := range registered {
		callRules["bson."+name+"WithRegistry"] = (*file).rewriteWithRegistry
	}
	for _, name := range inTwoParts {
		callRules["bson.RawValue."+name] = (*file).rewriteParts
	}
	for _, name := range mergers {
		callRules["options.Merge"+name+"Options"] = (*file).rewriteMergeOptions
	}
	for name := range bsonxValues {
		callRules["bsonx."+name] = (*file).rewriteBsonxValue
	}
	for _, method := range registers {
		callRules["bson.Registry.Register"+method] = (*file).noteRegistration
		callRules["bson.RegistryBuilder.Register"+method] = (*file).noteRegistration
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
	if callRules[key] != nil || f.panicsOnOtherType(key) {
		return true
	}
	if _, ok := f.isSetter(call); ok {
		return true
	}
	_, ok = f.isConstructor(call)
	return ok
}

func (f *file) rewriteCall(n *ast.CallExpr) {
	if s, ok := n.Fun.(*ast.SelectorExpr); ok {
		defer f.reportFalseFriend(n, s)
	}
	if f.reportSpreadCall(n) {
		return
	}
	if owner, ok := f.isSetter(n); ok {
		f.rewriteChain(n, owner)
		return
	}
	if owner, ok := f.isConstructor(n); ok {
		f.rewriteChain(n, owner)
		return
	}
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "append" && len(n.Args) > 1 && !n.Ellipsis.IsValid() {
		f.rewriteContainerList(f.typeOf(n), n.Args[1:])
	}
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if f.rewriteContainerCall(n, s) {
		return
	}
	if f.rewriteList(n) {
		return
	}
	f.reportForeignCall(n, s)
	f.rewriteEqualErrors(n, s)
	f.reportPrinted(n, s)
	key, _ := f.keyOf(s)
	defer f.keepLocalTime(n, key)
	if rule := callRules[key]; rule != nil {
		rule(f, n)
		return
	}
	if f.panicsOnOtherType(key) {
		f.rewritePanicking(n, s, key)
		return
	}
	f.addVersion1Unmarshal(n, s, key)
	if strings.HasPrefix(key, "gridfs.Bucket.") {
		f.addBucketContext(n, key)
	}
}

// reportSpreadCall reports a call such as f(g()), which gets all its arguments from one call, where a rule needs each of them.
func (f *file) reportSpreadCall(n *ast.CallExpr) bool {
	s, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) != 1 {
		return false
	}
	list, ok := f.typeOf(n.Args[0]).(*types.Tuple)
	if !ok || list.Len() < 2 {
		return false
	}
	key, _ := f.keyOf(s)
	_, isSetter := f.isSetter(n)
	_, isConstructor := f.isConstructor(n)
	if callRules[key] == nil && !isSetter && !isConstructor {
		return false
	}
	f.report(n, "%s gets its arguments from another call: write them one by one, then run this program again", s.Sel.Name)
	return true
}

// panicsOnOtherType reports whether a method of RawValue panics on a value of another type. Onion only has the forms with OK.
func (f *file) panicsOnOtherType(key string) bool {
	name, ok := strings.CutPrefix(key, "bson.RawValue.")
	if !ok || api[key] != "" {
		return false
	}
	declared := api["bson.RawValue."+okName(name)]
	return declared != "" && strings.HasPrefix(declared, "func() (") && strings.Count(declared, ",") == 1
}

func okName(name string) string { return strings.TrimSuffix(name, "Value") + "OK" }

func (f *file) rewritePanicking(n *ast.CallExpr, s *ast.SelectorExpr, key string) {
	name := okName(key[strings.LastIndexByte(key, '.')+1:])
	f.replace(n, f.qualify("bson.Must")+"("+f.text(s.X)+"."+name+"())")
}

// rewriteWithTransaction rewrites the method that returns a value as the function that does.
func (f *file) rewriteWithTransaction(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	args := f.argumentTexts(n)
	session := f.receiver(s)
	if named := namedOf(f.typeOf(s.X)); named != nil && named.Obj().Name() == "SessionContext" {
		session = f.qualify("mongo.SessionFromContext") + "(" + session + ")"
	}
	all := append([]string{args[0], session}, args[1:]...)
	f.replace(n, f.qualify("mongo.WithTransaction")+"("+strings.Join(all, ", ")+")")
}

// rewriteUseSession gives the function of UseSession its second parameter.
func (f *file) rewriteUseSession(n *ast.CallExpr) {
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

// rewriteWithSession calls the function with the session's context, which is all that WithSession does.
func (f *file) rewriteWithSession(n *ast.CallExpr) {
	a := f.texts(n.Args)
	f.replace(n, a[2]+"("+f.qualify("mongo.NewSessionContext")+"("+a[0]+", "+a[1]+"))")
}

// argumentTexts returns the texts of the arguments of a call, the last with its dots.
func (f *file) argumentTexts(n *ast.CallExpr) []string {
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

// dropRegistry drops the registry of the constructors for tests.
func (f *file) dropRegistry(n *ast.CallExpr) {
	s := n.Fun.(*ast.SelectorExpr)
	f.replace(s, f.qualify("mongo."+s.Sel.Name))
	if len(n.Args) != 3 {
		return
	}
	if !f.isDefaultRegistry(n.Args[2]) {
		f.report(n, "%s takes no registry: pass options with Codecs to Decode", s.Sel.Name)
	}
	f.replaceRange(n.Args[1].End(), n.Args[2].End(), "")
}

// isDefaultRegistry reports whether an expression is nil or an unchanged default registry.
func (f *file) isDefaultRegistry(e ast.Expr) bool {
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
	args := append([]string{f.text(n.Args[0]), f.receiver(s)}, f.argumentTexts(n)[1:]...)
	f.replace(n, f.qualify("mongo.Distinct")+"[any]("+strings.Join(args, ", ")+")")
}

// rewriteMarshalExtJSON drops the flag that escapes HTML.
func (f *file) rewriteMarshalExtJSON(n *ast.CallExpr) {
	f.replace(n.Fun, f.qualify("bson.MarshalExtJSON"))
	if len(n.Args) != 3 {
		return
	}
	f.reportEscapes(n, n.Args[2])
	f.replaceRange(n.Args[1].End(), n.Args[2].End(), "")
}

// reportEscapes reports a flag that may ask for HTML to be escaped.
func (f *file) reportEscapes(n *ast.CallExpr, flag ast.Expr) {
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

// unreportIn removes the reports about places inside a statement that has been removed.
func (f *file) unreportIn(n ast.Node) {
	f.leaves = slices.DeleteFunc(f.leaves, func(l leave) bool {
		return f.offset(n.Pos()) <= l.at.Offset && l.at.Offset < f.offset(n.End())
	})
}

// isOnlyResult reports whether a call is all that a statement returns.
func (f *file) isOnlyResult(n *ast.CallExpr) bool {
	results, ok := f.parents[n].(*ast.ReturnStmt)
	return ok && len(results.Results) == 1
}

// rewriteClone rewrites version 1's Clone, whose error is always nil.
func (f *file) rewriteClone(n *ast.CallExpr) {
	if t, ok := f.typeOf(n).(*types.Tuple); ok && t.Len() == 2 {
		f.unreport(n)
		f.replaceInfallible(n, f.text(n))
	}
}
