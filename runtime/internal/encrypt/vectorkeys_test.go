package encrypt

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/kms"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// What the vectors of whole commands share: their keys, their random bytes, and how commands are compared.

// isLike reports whether a command equals the expected one, which may have {$$type: "binData"} where ciphertext is expected.
func isLike(got, want bson.Raw) bool {
	g, w := bson.NewReader(got), bson.NewReader(want)
	for w.Next() {
		if !g.Next() || g.Key() != w.Key() {
			return false
		}
		a, b := g.Value(), w.Value()
		doc, _ := b.DocumentOK()
		if kind, ok := doc.Lookup("$$type").StringOK(); ok && doc.Len() == 1 {
			if a.Type.String() != kind {
				return false
			}
			continue
		}
		nested := b.Type == bsontype.EmbeddedDocument || b.Type == bsontype.Array
		if a.Type != b.Type || nested && !isLike(bson.Raw(a.Value), bson.Raw(b.Value)) || !nested && !bytes.Equal(a.Value, b.Value) {
			return false
		}
	}
	return !g.Next()
}

// repeating yields the bytes 1, 2, 3 again and again.
type repeating struct{ n int }

func (r *repeating) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r.n%3 + 1)
		r.n++
	}
	return len(p), nil
}

// ringOfVectors returns a ring with the keys of the vectors. Keys of the directory take precedence.
func ringOfVectors(t *testing.T, dir string) *key.Ring {
	t.Helper()
	service, err := kms.New(kms.Config{
		Providers: map[string]map[string]any{"local": {"key": make([]byte, 96)}}, Getenv: func(string) string { return "" }, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	var docs []bson.Raw
	amazon := map[string][]byte{} // what AWS answers when it decrypts
	for _, pattern := range []string{dir + "/key-doc*.json", "keys/*-local-document.json", "*/key-document-*.json"} {
		files, err := filepath.Glob(filepath.Join(vectors.Folder("testdata/vectors"), pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			rel, _ := filepath.Rel(vectors.Folder("testdata/vectors"), name)
			doc := mustReadVector(t, rel)
			if provider, _ := doc.Lookup("masterKey", "provider").StringOK(); provider == "aws" {
				answer, err := os.ReadFile(strings.NewReplacer("key-document", "kms-decrypt-reply", ".json", ".txt").Replace(name))
				if err != nil {
					continue // it can be read, but not decrypted
				}
				_, wrapped, _ := doc.Lookup("keyMaterial").BinaryOK()
				amazon[string(wrapped)] = plaintextIn(t, answer)
			}
			if !slices.ContainsFunc(docs, func(d bson.Raw) bool { return sameKey(t, d, doc) }) {
				docs = append(docs, doc)
			}
		}
	}
	unwrap := func(ctx context.Context, master bson.Raw, wrapped []byte) (*aead.Key, error) {
		if material, ok := amazon[string(wrapped)]; ok {
			return aead.NewKey(material)
		}
		return service.Unwrap(ctx, master, wrapped)
	}
	return &key.Ring{Unwrap: unwrap, Find: func(_ context.Context, ids []bson.UUID, names []string) ([]bson.Raw, error) {
		var found []bson.Raw
		for _, doc := range docs {
			d, err := key.Parse(doc)
			if err != nil {
				return nil, err
			}
			if slices.Contains(ids, d.ID) || slices.ContainsFunc(d.AltNames, func(n string) bool { return slices.Contains(names, n) }) {
				found = append(found, doc)
			}
		}
		return found, nil
	}}
}

// sameKey reports whether a key vault can hold one of two documents only.
func sameKey(t *testing.T, a, b bson.Raw) bool {
	t.Helper()
	x, err1 := key.Parse(a)
	y, err2 := key.Parse(b)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return x.ID == y.ID || slices.ContainsFunc(x.AltNames, func(name string) bool { return slices.Contains(y.AltNames, name) })
}
