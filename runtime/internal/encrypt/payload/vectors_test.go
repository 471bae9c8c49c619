package payload

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// readRandomBytes returns the random bytes in the vectors.
func readRandomBytes(t testing.TB, name string) io.Reader {
	t.Helper()
	data, err := os.ReadFile(vectors.Folder("testdata") + "/rng-data.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]string
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(unhex(t, all[name]))
}

func readDocument(t testing.TB, name string) bson.Raw {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.ExtJSONToRaw(data, false)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// listEncrypted lists the encrypted values of a document.
func listEncrypted(t testing.TB, doc bson.Raw) (out [][]byte) {
	t.Helper()
	if err := visit(doc, bson.DefaultMaxDepth, func(value []byte) error {
		out = append(out, value)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Each vector has a command with placeholders, and the same command with the payloads in their place.
func TestCommandVectors(t *testing.T) {
	var dirs []string
	for _, pattern := range []string{"testdata/commands/*", "testdata/commands/*/*"} {
		files, err := filepath.Glob(pattern + "/mongocryptd-reply.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	if len(dirs) != 17 {
		t.Fatalf("%d vectors, want 17", len(dirs))
	}
	for _, dir := range dirs {
		name, _ := filepath.Rel("testdata/commands", dir)
		t.Run(name, func(t *testing.T) {
			marked, ok := readDocument(t, dir+"/mongocryptd-reply.json").Lookup("result").DocumentOK()
			if !ok {
				t.Fatal("no command")
			}
			out, err := Encrypt(marked, lookup(t), readRandomBytes(t, strings.TrimSuffix(filepath.ToSlash(name), "-v2")))
			if strings.Count(name, "/") == 0 {
				out, err = Encrypt(marked, lookup(t), readRandomBytes(t, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			got, want := listEncrypted(t, out), listEncrypted(t, readDocument(t, dir+"/encrypted-payload.json"))
			if len(got) != len(want) || len(got) == 0 {
				t.Fatalf("%d values, want %d", len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("value %d is\n%v, want\n%v", i, bson.Raw(got[i][1:]), bson.Raw(want[i][1:]))
				}
			}
		})
	}
}

// seal makes a value of a placeholder.
func seal(t testing.TB, p encryption.Placeholder, random io.Reader) ([]byte, error) {
	t.Helper()
	return Seal(p.Append(nil), lookup(t), random)
}

func textOf(value string, spec encryption.TextPlaceholder) bson.RawValue {
	spec.Value = value
	return bson.RawValue{Type: 3, Value: spec.Append(nil)}
}

func TestExplicitVectors(t *testing.T) {
	index, user := bson.UUID(unhex(t, "12345678123498761234123456789012")), bson.UUID(unhex(t, "abcdefab123498761234123456789012"))
	affix, part := &encryption.Affix{Upper: 100, Lower: 1}, &encryption.Substring{MaxLength: 100, Upper: 100, Lower: 1}
	value := bson.Raw(document(t, bson.Doc("v", "value123"))).Lookup("v")
	for name, p := range map[string]encryption.Placeholder{
		"insert-prefix":        {Intent: 1, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Prefix: affix})},
		"insert-suffix":        {Intent: 1, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Suffix: affix})},
		"insert-prefix-suffix": {Intent: 1, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Prefix: affix, Suffix: affix})},
		"insert-substring":     {Intent: 1, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Substring: part})},
		"insert-casef-diacf":   {Intent: 1, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Prefix: affix, CaseFold: true, DiacriticFold: true})},
		"find-prefix":          {Intent: 2, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Prefix: affix})},
		"find-suffix":          {Intent: 2, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Suffix: affix})},
		"find-substring":       {Intent: 2, Algorithm: 4, MaxContention: 1, Value: textOf("abc", encryption.TextPlaceholder{Substring: part})},

		"find-indexed-v2":                           {Intent: 2, Algorithm: 2, IndexKeyID: index, Value: valueOf(int32(123456))},
		"find-indexed-contentionFactor1-v2":         {Intent: 2, Algorithm: 2, IndexKeyID: index, Value: valueOf(int32(123456)), MaxContention: 1},
		"insert-indexed-v2":                         {Intent: 1, Algorithm: 2, IndexKeyID: index, Value: value},
		"insert-indexed-contentionFactor1-v2":       {Intent: 1, Algorithm: 2, IndexKeyID: index, Value: value, MaxContention: 1},
		"insert-indexed-same-user-and-index-key-v2": {Intent: 1, Algorithm: 2, Value: value},
	} {
		t.Run(name, func(t *testing.T) {
			if p.UserKeyID = user; p.IndexKeyID.IsZero() {
				p.IndexKeyID = user
			}
			random := readRandomBytes(t, "fle2-insert-v2")
			switch {
			case p.Algorithm == encryption.AlgorithmText:
				random = readRandomBytes(t, "fle2-insert-text-search")
			case p.MaxContention == 1: // draw 1
				random = io.MultiReader(bytes.NewReader([]byte{1, 0, 0, 0, 0, 0, 0, 0}), random)
			}
			got, err := seal(t, p, random)
			want := vectorValue(t, "explicit/"+name+".json")
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got\n%v, %v, want\n%v", bson.Raw(got[1:]), err, bson.Raw(want[1:]))
			}
		})
	}
}

func TestExplicitRangeVectors(t *testing.T) {
	for _, name := range []string{"double", "double-precision", "int32", "sparsity-2"} {
		t.Run(name, func(t *testing.T) {
			dir := "testdata/explicit/range-" + name
			opts := readDocument(t, dir+"/rangeopts.json")
			spec := encryption.RangeInsert{Value: readDocument(t, dir+"/value-to-encrypt.json").Lookup("v"), Min: opts.Lookup("min"), Max: opts.Lookup("max")}
			if n, ok := opts.Lookup("precision").Int32OK(); ok {
				spec.Precision = &n
			}
			sparsity, _ := opts.Lookup("sparsity").Int64OK()
			want := vectorValue(t, "explicit/range-"+name+"/encrypted-payload-v2.json")
			payload, err := encryption.ParseInsertUpdate(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := seal(t, encryption.Placeholder{
				Intent: encryption.IntentInsert, Algorithm: encryption.AlgorithmRange, Sparsity: &sparsity,
				IndexKeyID: payload.IndexKeyID, UserKeyID: bson.UUID(payload.Value[:16]),
				Value: bson.RawValue{Type: 3, Value: spec.Append(nil)},
			}, readRandomBytes(t, "fle2-insert-range-explicit/"+name))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %v, want\n%v", err, bson.Raw(want[1:]))
			}
		})
	}
}
