package encrypt

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// This file tests the vectors that are not whole commands, and those that must fail.

func TestFieldsOfTheVectors(t *testing.T) {
	const missing, bad = "has no keyId", "strEncodeVersion 99"
	wrong := map[string]string{
		"efc-duplicateKeyAltName.json":            "duplicate keyAltName 'myKeyAltName'",
		"efc-missingKeyId.json":                   missing,
		"efc-oneField-badVersionSet.json":         bad,
		"efc-textSearchFields-badVersionSet.json": bad,
	}
	files, err := filepath.Glob(vectors.Folder("testdata/vectors") + "/efc/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			fields := mustReadVector(t, "efc", name)
			a := &Auto{Ring: ringOfVectors(t, "efc"), Random: rand.Reader, EncryptedFields: map[string]bson.Raw{"db.coll": fields}}
			cmd, err := bson.ExtJSONToRaw([]byte(`{"compactStructuredEncryptionData": "coll"}`), false)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Encrypt(t.Context(), "db", cmd)
			if want := wrong[name]; want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %s, %v; want %q", got, err, want)
				}
				return
			}
			if err != nil && !strings.Contains(err.Error(), "not all keys requested were satisfied") {
				t.Error(err)
			}
			known, err := a.resolve(t.Context(), queryanalysis.Target{Database: "db", Collection: "coll", Collections: []string{"coll"}, Name: "find"})
			if err != nil || known["coll"].schema.Mode() != queryanalysis.QE {
				t.Fatalf("%+v, %v", known, err)
			}
			wantVersion := int64(0)
			if strings.Contains(name, "textSearch") || strings.Contains(name, "good") {
				wantVersion = 1
			}
			if v := encodingVersion(known["coll"].fields); v != wantVersion {
				t.Errorf("the version is %d, want %d", v, wantVersion)
			}
		})
	}
}

func TestVectorsThatMustFail(t *testing.T) {
	insert := mustReadVector(t, "fle2-insert-v2", "cmd.json")
	for _, tt := range []struct {
		name    string
		command bson.Raw
		fields  map[string]bson.Raw
		info    bson.Raw
		want    string
	}{
		{"bad-collinfo", insert, nil, mustReadVector(t, "fle2-bad-str-encode-version", "bad-collinfo.json"), "strEncodeVersion 99"},
		{"bad-encrypted-field-config-map", insert, splitNamespaces(mustReadVector(t, "fle2-bad-str-encode-version", "bad-encrypted-field-config-map.json")), nil,
			"strEncodeVersion 99"},
		{"bad-create-cmd", mustReadVector(t, "fle2-bad-str-encode-version", "bad-create-cmd.json"),
			splitNamespaces(mustReadVector(t, "fle2-create-encrypted-collection", "encrypted-field-config-map.json")), nil, "strEncodeVersion 99"},
		{"bad-create-cmd without options", mustReadVector(t, "fle2-bad-str-encode-version", "bad-create-cmd.json"), nil, nil, "strEncodeVersion 99"},
		{"duplicate-keyaltname", insert, splitNamespaces(mustReadVector(t, "fle2-duplicate-keyaltname", "encrypted-field-config-map.json")), nil,
			"duplicate keyAltName 'duplicateKey'"},
		{"compact missing-key-id", mustReadVector(t, "compact", "success", "cmd.json"), nil, mustReadVector(t, "compact", "missing-key-id", "collinfo.json"), "has no keyId"},
		{"cleanup missing-key-id", mustReadVector(t, "cleanup", "success", "cmd.json"), nil, mustReadVector(t, "cleanup", "missing-key-id", "collinfo.json"), "has no keyId"},
		{"siblings of a schema", parseRaw(t, `{"find": "test", "filter": {"ssn": "1"}}`), nil, mustReadVector(t, "root", "collinfo-siblings.json"), analysis.SchemaSiblings("db.test")},
		{"view", parseRaw(t, `{"find": "v", "filter": {}}`), nil, mustReadVector(t, "root", "collection-info-view.json"), "cannot auto encrypt a view: db.v"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &Auto{
				Ring: ringOfVectors(t, "keys"), Random: rand.Reader, EncryptedFields: tt.fields,
				Collections: func(context.Context, string, []string) ([]bson.Raw, error) {
					if tt.info == nil {
						return nil, nil
					}
					return []bson.Raw{tt.info}, nil
				},
			}
			if got, err := a.Encrypt(t.Context(), "db", tt.command); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func parseRaw(t *testing.T, text string) bson.Raw {
	t.Helper()
	doc, err := bson.ExtJSONToRaw([]byte(text), false)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The driver reads the names of the first text queries like the current ones.
func TestPreviewsOfTheVectors(t *testing.T) {
	for _, name := range []string{"prefixPreview", "suffixPreview"} {
		a := &Auto{Ring: ringOfVectors(t, "keys"), Random: rand.Reader, EncryptedFields: splitNamespaces(
			mustReadVector(t, "fle2-insert-text-search-preview", "encrypted-field-map-"+name+".json"))}
		cmd := mustReadVector(t, "fle2-insert-text-search-preview", "cmd.json")
		if got, err := a.Encrypt(t.Context(), "db", cmd); err != nil || !bytes.Equal(got, cmd) { // the command lacks the encrypted field
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// A field refers to its key by an alternate name. The driver sends the id.
func TestKeyByName(t *testing.T) {
	request := mustReadVector(t, "qe_keyAltName", "cmd-to-mongocryptd.json")
	schemas, _ := request.Lookup("encryptionInformation", "schema").DocumentOK()
	create := mustReadVector(t, "qe_keyAltName", "create", "cmd.json")
	fields, _ := create.Lookup("encryptedFields").DocumentOK()
	f := flow{dir: "qe_keyAltName"}
	a := &Auto{
		Ring: ringOfVectors(t, f.dir), Random: rand.Reader, EncryptedFields: map[string]bson.Raw{"db.coll": fields},
	}
	a.analysis = f.answerWith(t, mustReadVector(t, "qe_keyAltName", "reply-from-mongocryptd.json"))
	cmd := removeFields(request, "encryptionInformation")
	got, err := a.Encrypt(t.Context(), "db", cmd)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := schemas.Lookup("db.coll").DocumentOK()
	information := appendInformation(cmd, queryanalysis.Target{Database: "db", Collections: []string{"coll"}}, map[string]collection{"coll": a.known["db.coll"]})
	if sent, _ := information.Lookup("encryptionInformation", "schema", "db.coll").DocumentOK(); !bytes.Equal(sent, want) {
		t.Errorf("the schema is %s, want %s", sent, want)
	}
	if subtype, data, _ := got.Lookup("documents", "0", "secret").BinaryOK(); subtype != 6 || data[0] != byte(encryption.FLE2UnindexedEncryptedValueV2) {
		t.Errorf("the value is %x", data)
	}
	opened, err := a.Decrypt(t.Context(), got)
	if err != nil || opened.Lookup("documents", "0", "secret").String() != `"bar"` {
		t.Errorf("opened %s, %v", opened, err)
	}
}

// To decrypt an indexed value, the driver reads the key of the index and then the key of the value. A server would make this value from
// the payload in fle2-insert-v2.
func TestFiltersOfTheVectors(t *testing.T) {
	_, sent, _ := mustReadVector(t, "fle2-insert-v2", "encrypted-payload.json").Lookup("documents", "0", "ssn").BinaryOK()
	insert, err := encryption.ParseInsertUpdate(sent)
	if err != nil {
		t.Fatal(err)
	}
	ring := ringOfVectors(t, "keys")
	keys := key.NewSet()
	defer keys.Wipe()
	ref := payload.Ref{ID: insert.IndexKeyID}
	if err := ring.Add(t.Context(), keys, []payload.Ref{ref}); err != nil {
		t.Fatal(err)
	}
	ring.Close() // forces the next use to read the keys again
	_, index, err := keys.Key(ref)
	if err != nil {
		t.Fatal(err)
	}
	token := encryption.ServerDataEncryptionLevel1Token(index.TokenKey())
	block, err := aes.NewCipher(token[:])
	if err != nil {
		t.Fatal(err)
	}
	inner := make([]byte, aes.BlockSize+len(insert.Value))
	cipher.NewCTR(block, inner[:aes.BlockSize]).XORKeyStream(inner[aes.BlockSize:], insert.Value)
	stored := append([]byte{byte(encryption.FLE2IndexedEqualityEncryptedValueV2)}, insert.IndexKeyID[:]...)
	stored = append(append(append(stored, byte(insert.Type)), inner...), make([]byte, 96)...)

	var asked []bson.UUID
	find := ring.Find
	again := &key.Ring{Unwrap: ring.Unwrap, Find: func(ctx context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error) {
		asked = append(asked, ids...)
		return find(ctx, ids, names)
	}}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "v", 6, stored)
	got, err := (&Auto{Ring: again, Random: rand.Reader}).Decrypt(t.Context(), bson.AppendDocumentEnd(dst, start))
	if err != nil || got.Lookup("v").String() != `"value123"` {
		t.Fatalf("opened %s, %v", got, err)
	}
	for i, name := range []string{"first-filter.json", "second-filter.json"} {
		_, want, _ := mustReadVector(t, "fle2-decrypt-ieev", name).Lookup("$or", "0", "_id", "$in", "0").BinaryOK()
		if len(asked) != 2 || !bytes.Equal(asked[i][:], want) {
			t.Errorf("asked for %v, want %x at %d", asked, want, i)
		}
	}
}

// Explicit encryption sends the parameters of a range with its payload.
func TestParametersOfTheVectors(t *testing.T) {
	dirs, err := filepath.Glob(vectors.Folder("testdata/vectors") + "/range-sends-cryptoParams/explicit-*")
	if err != nil || len(dirs) < 5 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			expected := mustReadVector(t, "range-sends-cryptoParams", name, "expected.json")
			find := strings.Contains(name, "find")
			value := expected.Lookup("v")
			if find {
				value = expected.Lookup("v", "$and", "0", "age", "$gte")
			}
			_, data, ok := value.BinaryOK()
			if !ok {
				t.Fatalf("there is no value in %s", expected)
			}
			parameters := bson.Raw(data[1:])
			o := &options.Encrypt{
				Algorithm: options.AlgorithmRange, ContentionFactor: new(int64(0)), RangeOptions: &options.Range{},
				KeyID: new(bson.UUID([]byte("\x12\x34\x56\x78\x12\x34\x98\x76\x12\x34\x12\x34\x56\x78\x90\x12"))),
			}
			if cm, ok := parameters.Lookup("payload", "cm").Int64OK(); ok {
				o.ContentionFactor = &cm
			}
			if !strings.HasSuffix(name, "defaults") {
				sparsity, _ := parameters.Lookup("sp").Int64OK()
				trim, _ := parameters.Lookup("tf").Int32OK()
				o.RangeOptions.Sparsity, o.RangeOptions.TrimFactor = &sparsity, &trim
			}
			if precision, ok := parameters.Lookup("pn").Int32OK(); ok {
				o.RangeOptions.Precision = &precision
			}
			if find {
				o.QueryType = new(options.QueryTypeRange)
			} else {
				contention, _ := parameters.Lookup("k").Int64OK()
				o.ContentionFactor = &contention // the only smaller factor is 0, which 1, 2, 3, ... does not draw
			}
			low, high := parameters.Lookup("mn"), parameters.Lookup("mx")
			plan, err := NewPlan(o, low, high)
			if err != nil {
				t.Fatal(err)
			}
			e := &Explicit{Ring: ringOfVectors(t, "keys"), Random: &repeating{}}
			if find {
				query, _ := mustReadVector(t, "range-sends-cryptoParams", name, "to-encrypt.json").Lookup("v").DocumentOK()
				got, err := e.EncryptExpression(t.Context(), query, plan)
				if want, _ := expected.Lookup("v").DocumentOK(); err != nil || !bytes.Equal(got, want) {
					t.Errorf("got  %s, %v\nwant %s", got, err, want)
				}
				return
			}
			plain, err := e.Decrypt(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := e.Encrypt(t.Context(), plain, plan)
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("got  %v, %v\nwant %v", bson.Raw(got[1:]), err, parameters)
			}
		})
	}
}

// Explicit encryption of a range yields the payloads of the vectors.
func TestExplicitRangesOfTheVectors(t *testing.T) {
	files, err := filepath.Glob(vectors.Folder("testdata/vectors") + "/*/*/rangeopts.json")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		dir, _ := filepath.Rel(vectors.Folder("testdata/vectors"), filepath.Dir(file))
		expression, ok := mustReadVector(t, dir, "value-to-encrypt.json").Lookup("v").DocumentOK()
		if !ok {
			continue // package payload tests values that are inserted
		}
		ran++
		t.Run(filepath.ToSlash(dir), func(t *testing.T) {
			opts := mustReadVector(t, dir, "rangeopts.json")
			o := &options.Encrypt{
				Algorithm: options.AlgorithmRange, QueryType: new(options.QueryTypeRange), ContentionFactor: new(int64(4)),
				RangeOptions: &options.Range{},
			}
			if n, ok := opts.Lookup("sparsity").AsInt64OK(); ok {
				o.RangeOptions.Sparsity = &n
			}
			if n, ok := opts.Lookup("precision").Int32OK(); ok {
				o.RangeOptions.Precision = &n
			}
			want, _ := mustReadVector(t, dir, "encrypted-payload-v2.json").Lookup("v").DocumentOK()
			if cm, ok := payloadsIn(want)[0].Lookup("payload", "cm").AsInt64OK(); ok {
				o.ContentionFactor = &cm
			}
			// The vectors do not say which of two keys they use.
			for _, start := range []string{"\x12\x34\x56\x78", "\xab\xcd\xef\xab"} {
				o.KeyID = new(bson.UUID([]byte(start + "\x12\x34\x98\x76\x12\x34\x12\x34\x56\x78\x90\x12")))
				plan, err := NewPlan(o, opts.Lookup("min"), opts.Lookup("max"))
				if err != nil {
					t.Fatal(err)
				}
				e := &Explicit{Ring: ringOfVectors(t, "keys"), Random: &repeating{}}
				got, err := e.EncryptExpression(t.Context(), expression, plan)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Equal(got, want) {
					return
				}
			}
			t.Errorf("no key yields %s", want)
		})
	}
	if ran == 0 {
		t.Error("there are no vectors")
	}
}

// payloadsIn lists the documents in the encrypted values of a command.
func payloadsIn(doc bson.Raw) (out []bson.Raw) {
	for _, v := range doc.All() {
		switch {
		case v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array:
			out = append(out, payloadsIn(bson.Raw(v.Value))...)
		case v.Type == bsontype.Binary:
			_, data, _ := v.BinaryOK()
			out = append(out, bson.Raw(data[1:]))
		}
	}
	return out
}
