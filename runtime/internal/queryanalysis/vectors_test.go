package queryanalysis

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
)

// exactVectors are the vectors with a reply of mongocryptd itself. The result equals that reply, byte for byte. The
// other vectors were written by hand, with two different keys for one field and without the normal form of filters. For
// them only the placeholders count.
var exactVectors = map[string]bool{"multikey": true, "range-sends-cryptoParams-auto-find-int32": true, "range-sends-cryptoParams-auto-insert-int32": true}

func TestVectors(t *testing.T) {
	dirs, err := filepath.Glob("testdata/vectors/*")
	if err != nil || len(dirs) < 9 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cmd := read(t, dir, "command.json")
			target, err := Inspect("db", cmd)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Analyze(target, cmd, Schemas{target.Collection: vectorSchema(t, dir, "db."+target.Collection)})
			if err != nil {
				t.Fatal(err)
			}
			reply, _ := read(t, dir, "reply.json").Lookup("result").DocumentOK()
			got, want := placeholders(t, result.Command), placeholders(t, reply)
			if len(got) == 0 || len(got) != len(want) {
				t.Fatalf("%d placeholders, want %d", len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("placeholder %d is %x\nwant %x", i, got[i], want[i])
				}
			}
			for key, v := range result.Command.All() {
				if w := reply.Lookup(key); exactVectors[filepath.Base(dir)] && !bytes.Equal(formatPlaceholders(v), formatPlaceholders(w)) {
					t.Errorf("%s is %s\nwant %s", key, v, w)
				}
			}
		})
	}
}

// formatPlaceholders returns a value with its placeholders in the form of placeholders.
func formatPlaceholders(v bson.RawValue) []byte {
	if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
		if subtype, data, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
			return normalizePlaceholder(data)
		}
		return v.Value
	}
	var out []byte
	for key, c := range bson.Raw(v.Value).All() {
		out = append(append(append(out, key...), byte(c.Type)), formatPlaceholders(c)...)
	}
	return out
}

func read(t *testing.T, dir, file string) bson.Raw {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.ExtJSONToRaw(text, false)
	if err != nil {
		t.Fatal(file, err)
	}
	return doc
}

func vectorSchema(t *testing.T, dir, namespace string) *Schema {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "schemas.json")); err == nil {
		doc, _ := read(t, dir, "schemas.json").Lookup(namespace).DocumentOK()
		s, err := FromJSONSchema(doc, false)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	doc, _ := read(t, dir, "fields.json").Lookup(namespace).DocumentOK()
	s, err := FromEncryptedFields(doc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// placeholders lists the placeholders of a document.
func placeholders(t *testing.T, doc bson.Raw) (out [][]byte) {
	t.Helper()
	for _, v := range doc.All() {
		if subtype, data, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
			out = append(out, normalizePlaceholder(data))
		}
		if v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array {
			out = append(out, placeholders(t, bson.Raw(v.Value))...)
		}
	}
	return out
}

// normalizePlaceholder copies a placeholder without the parts that the vectors choose freely: the identifiers of keys,
// and a trim factor. For one search mongocryptd sends a default trim factor, which the driver's encryption fills in
// anyway.
func normalizePlaceholder(data []byte) []byte {
	var fields func(dst []byte, doc bson.Raw) []byte
	fields = func(dst []byte, doc bson.Raw) []byte {
		dst, start := bson.AppendDocumentStart(dst)
		for key, v := range doc.All() {
			sub, isDoc := v.DocumentOK()
			switch {
			case key == "trimFactor", key == "ku":
			case isDoc:
				dst = fields(bson.AppendHeader(dst, v.Type, key), sub)
			default:
				dst = bson.AppendRawValueElement(dst, key, v)
			}
		}
		return bson.AppendDocumentEnd(dst, start)
	}
	return fields(data[:1:1], bson.Raw(data[1:]))
}
