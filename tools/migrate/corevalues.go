package main

import (
	"go/ast"
	"maps"
	"strings"
)

// What bsoncore appends without a key, and the small functions around it.

const appendValueSource = `
// appendValue appends the bytes of a value, without a key.
func appendValue(dst []byte, v any) []byte {
	_, dst, err := bson.AppendValue(dst, v)
	if err != nil {
		panic(err)
	}
	return dst
}
`

const arrayOfSource = `
// arrayOf appends an array of values.
func arrayOf(dst []byte, values ...bson.RawValue) []byte {
	dst, start := bson.AppendDocumentStart(dst)
	for i, v := range values {
		dst = bson.AppendRawValueElement(dst, strconv.Itoa(i), v)
	}
	return bson.AppendDocumentEnd(dst, start)
}
`

// coreTexts are the functions of bsoncore that are an expression here, with a place for each argument.
var coreTexts = map[string]string{
	"AppendType":            "append($1, byte($2))",
	"AppendKey":             "append(append($1, $2...), 0)",
	"AppendDocument":        "append($1, $2...)",
	"AppendArray":           "append($1, $2...)",
	"AppendDouble":          "@appendValue($1, float64($2))",
	"AppendString":          "@appendValue($1, $2)",
	"AppendBinary":          "@appendValue($1, bson.Binary{Subtype: $2, Data: $3})",
	"AppendObjectID":        "@appendValue($1, $2)",
	"AppendBoolean":         "@appendValue($1, $2)",
	"AppendDateTime":        "@appendValue($1, bson.DateTime($2))",
	"AppendTime":            "@appendValue($1, $2)",
	"AppendRegex":           "@appendValue($1, bson.Regex{Pattern: $2, Options: $3})",
	"AppendDBPointer":       "@appendValue($1, bson.DBPointer{DB: $2, Pointer: $3})",
	"AppendJavaScript":      "@appendValue($1, bson.JavaScript($2))",
	"AppendSymbol":          "@appendValue($1, bson.Symbol($2))",
	"AppendCodeWithScope":   "@appendValue($1, bson.CodeWithScope{Code: bson.JavaScript($2), Scope: $3})",
	"AppendInt32":           "@appendValue($1, int32($2))",
	"AppendTimestamp":       "@appendValue($1, bson.Timestamp{T: $2, I: $3})",
	"AppendInt64":           "@appendValue($1, int64($2))",
	"AppendDecimal128":      "@appendValue($1, bson.NewDecimal128($2, $3))",
	"AppendTimeElement":     "bson.AppendDateTimeElement($1, $2, $3.UnixMilli())",
	"BuildArray":            "@arrayOf($1, $*)",
	"BuildArrayElement":     "bson.AppendArrayElement($1, $2, @arrayOf(nil, $*))",
	"BuildDocumentElement":  "bson.AppendDocumentElement($1, $2, @documentOf(nil, $*))",
	"BuildDocumentValue":    "bson.RawValue{Type: bsontype.EmbeddedDocument, Value: @documentOf(nil, $*)}",
	"EqualValue":            "$1.Equal($2)",
	"RawElement.KeyBytes":   "[]byte($0.Key)",
	"RawElement.CompareKey": "($0.Key == string($1))",
	"Raw.DebugString":       "$0.String()",
	"RawValue.DebugString":  "$0.String()",
	"RawArray.DebugString":  "$0.String()",
}

// fixedArguments counts the arguments before the list in a function that has one.
func fixedArguments(text string) (n int) {
	for strings.Contains(text, "$"+string(rune('1'+n))) {
		n++
	}
	return n
}

// ruleForText makes the rule for one of these functions.
func ruleForText(text string) func(*file, *ast.CallExpr) {
	return func(f *file, n *ast.CallExpr) {
		args, fixed := f.argumentTexts(n), fixedArguments(text)
		if len(args) > fixed && !strings.Contains(text, "$*") { // an argument must not get lost
			f.report(n, "the call has more arguments than its counterpart")
			return
		}
		var places []string
		for i := range fixed {
			places = append(places, "$"+string(rune('1'+i)), args[i])
		}
		if s, ok := n.Fun.(*ast.SelectorExpr); ok {
			places = append(places, "$0", f.text(s.X))
		}
		places = append(places, ", $*", strings.Join(append([]string{""}, args[fixed:]...), ", "))
		out := text
		for _, name := range [...]string{"appendValue", "arrayOf", "documentOf"} {
			if strings.Contains(out, "@"+name) {
				out = strings.ReplaceAll(out, "@"+name, f.useHelper(name))
			}
		}
		out = onionName.ReplaceAllStringFunc(out, f.qualify)
		f.replace(n, strings.NewReplacer(places...).Replace(out))
	}
}

func addCoreTexts() {
	rules := map[string]func(*file, *ast.CallExpr){}
	for name, text := range coreTexts {
		if api["bson."+name] == "" {
			rules["bson."+name] = ruleForText(text)
		}
	}
	rules["bson.AppendDecimal128Element"] = ruleForText("bson.AppendDecimal128Element($1, $2, bson.NewDecimal128($3, $4))")
	maps.Copy(callRules, rules)
}

// withoutPlace says how a program does here what a package under x/mongo/driver does.
var withoutPlace = map[string]string{
	"x/mongo/driver/operation": "RunCommand and RunCursorCommand of mongo.Database send any command",
	"x/mongo/driver/session":   "Client.StartSession makes a mongo.Session",
	"x/mongo/driver/wiremessage": "a program that speaks the protocol by itself keeps the package; " +
		"a server for tests is tools/mongotest with Intercept",
	"x/mongo/driver/ocsp":        "TLSDisableOCSPEndpointCheck of options.Client, and golang.org/x/crypto/ocsp",
	"x/mongo/driver/mnet":        "Dialer of options.Client makes the connections",
	"x/mongo/driver/xoptions":    "see the fields of options.Client",
	"x/mongo/driver/description": "event.TopologyDescriptionChanged and Client.Topology have a description.Topology",
	"x/mongo/driver/dns":         "uri.Resolve looks the names of a mongodb+srv string up",
	"x/mongo/driver/mongocrypt":  "mongo.ClientEncryption and mongo.AutoEncryption encrypt in Go",
	"mongo/integration":          "made for the official driver's own tests",
	"internal":                   "made for the official driver itself",
}

// placeAdvice returns the advice for a package, or for the folder that it is in.
func placeAdvice(rest string) string {
	for rest != "" {
		if what := withoutPlace[rest]; what != "" {
			return ": " + what
		}
		at := strings.LastIndexByte(rest, '/')
		rest = rest[:max(at, 0)]
	}
	return ""
}
