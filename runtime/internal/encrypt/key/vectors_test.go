package key

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/payload"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// namedKey is a key in the vectors of the cache. Its id is a number there.
type namedKey struct {
	ID    *int     `json:"_id"`
	Name  string   `json:"keyAltName"`
	Names []string `json:"keyAltNames"`
}

func (n namedKey) id() bson.UUID { return bson.UUID{0: byte(*n.ID), 15: 1} }

func (n namedKey) document() *Document {
	return &Document{
		ID: n.id(), AltNames: n.Names, Material: make([]byte, 160), Created: time.Unix(1, 0), Updated: time.Unix(1, 0),
		Master: func() bson.Raw {
			dst, start := bson.AppendDocumentStart(nil)
			return bson.AppendDocumentEnd(bson.AppendStringElement(dst, "provider", "local"), start)
		}(),
	}
}

func TestCacheOfTheVectors(t *testing.T) {
	b, err := os.ReadFile(vectors.Dir() + "/root/cache-tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var tests []struct {
		Description               string
		Cached, Requests, Replies []namedKey
		Expect                    struct {
			Cached []namedKey
			Errmsg string
		}
	}
	if err := json.Unmarshal(b, &tests); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.Description, func(t *testing.T) {
			r := &Ring{
				Unwrap: func(context.Context, bson.Raw, []byte) (*aead.Key, error) { return aead.RandomKey(), nil },
				Find: func(context.Context, []bson.UUID, []string) (out []bson.Raw, err error) {
					for _, n := range tt.Replies {
						out = append(out, n.document().Raw())
					}
					return out, nil
				},
			}
			for _, n := range tt.Cached {
				r.keep(newKept(n.document(), aead.RandomKey()))
			}
			var refs []payload.Ref
			for _, n := range tt.Requests {
				if n.ID != nil {
					refs = append(refs, payload.Ref{ID: n.id()})
				} else {
					refs = append(refs, payload.Ref{Name: n.Name})
				}
			}
			set := NewSet()
			err := r.Add(t.Context(), set, refs)
			if tt.Expect.Errmsg != "" {
				if want := strings.Replace(tt.Expect.Errmsg, "unexpected duplicate", "duplicate", 1); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, want := map[string]string{}, map[string]string{}
			for id, k := range r.kept {
				got[id.String()] = fmt.Sprint(k.names)
			}
			for _, n := range tt.Expect.Cached {
				want[n.id().String()] = fmt.Sprint(n.Names)
				for _, name := range n.Names {
					if r.names[name] != n.id() {
						t.Errorf("the name %s is of %s", name, r.names[name])
					}
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the cache has %v, want %v", got, want)
			}
		})
	}
}

// The driver reads every key document, whichever service wrapped the key. It writes the same document, except for the
// version.
func TestDocumentsOfTheVectors(t *testing.T) {
	var files []string
	for _, pattern := range []string{"root/key-document*.json", "keys/*-document.json", "multikey/key-document*.json", "qe_keyAltName/key-document*.json", "qe_keyAltName/*/key-document.json"} {
		found, err := filepath.Glob(vectors.Dir() + "/" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := bson.ExtJSONToRaw(b, false)
		if err != nil {
			t.Fatal(file, err)
		}
		d, err := Parse(doc)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		written := d.Raw()
		for name, v := range doc.All() {
			if w := written.Lookup(name); name != "version" && w.String() != v.String() {
				t.Errorf("%s: %s is %s, want %s", file, name, w, v)
			}
		}
	}
}
