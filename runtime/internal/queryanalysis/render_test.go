package queryanalysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// parse reads extended JSON with single quotes, in which KEY stands for the identifier of a key.
func parse(t testing.TB, text string) bson.Raw {
	t.Helper()
	text = strings.ReplaceAll(text, "'", `"`)
	text = strings.ReplaceAll(text, "KEY", `{"$binary":{"base64":"AAECAwQFBgcICQoLDA0ODw==","subType":"04"}}`)
	doc, err := bson.ExtJSONToRaw([]byte(text), false)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc
}

// show writes a document as extended JSON with single quotes and readable placeholders.
func show(t testing.TB, doc bson.Raw) string {
	t.Helper()
	dst, start := bson.AppendDocumentStart(nil)
	dst = appendLegible(t, dst, "d", bson.RawValue{Type: bsontype.EmbeddedDocument, Value: doc})
	text, err := bson.AppendExtJSON(nil, bson.AppendDocumentEnd(dst, start), false)
	if err != nil {
		t.Fatal(err)
	}
	out := strings.TrimSuffix(strings.TrimPrefix(string(text), `{"d":`), "}")
	return strings.ReplaceAll(strings.ReplaceAll(out, `\"`, ""), `"`, "'")
}

func appendLegible(t testing.TB, dst []byte, key string, v bson.RawValue) []byte {
	if subtype, data, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted && len(data) > 5 {
		return bson.AppendStringElement(dst, key, placeholder(t, data))
	}
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		return bson.AppendRawValueElement(dst, key, v)
	}
	dst = bson.AppendHeader(dst, v.Type, key)
	dst, start := bson.AppendDocumentStart(dst)
	for k, c := range bson.Raw(v.Value).All() {
		dst = appendLegible(t, dst, k, c)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// placeholder names the kind of a placeholder and its value.
func placeholder(t testing.TB, data []byte) string {
	doc := bson.Raw(data[1:])
	if err := doc.Validate(); err != nil {
		t.Fatalf("placeholder: %v", err)
	}
	a, _ := doc.Lookup("a").Int32OK()
	if data[0] == 0 {
		name := [...]string{1: "DET", 2: "RAND"}[a]
		if ka, ok := doc.Lookup("ka").StringOK(); ok {
			name += "@" + ka
		}
		return name + "(" + text(doc.Lookup("v")) + ")"
	}
	purpose, _ := doc.Lookup("t").Int32OK()
	name := [...]string{1: "insert", 2: "find"}[purpose] + [...]string{1: "Unindexed", 2: "Equality", 3: "Range", 4: "Text"}[a]
	return name + "(" + text(doc.Lookup("v")) + ")"
}

func text(v bson.RawValue) string {
	if s, ok := v.StringOK(); ok {
		return s
	}
	doc, ok := v.DocumentOK()
	if !ok {
		return v.String()
	}
	var parts []string
	for key, c := range doc.All() {
		parts = append(parts, fmt.Sprintf("%s:%s", key, text(c)))
	}
	return strings.Join(parts, " ")
}
