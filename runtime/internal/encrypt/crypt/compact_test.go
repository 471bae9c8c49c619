package crypt_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/crypt"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/kms"
)

func extJSON(t *testing.T, parts ...string) bson.Raw {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.ExtJSONToRaw(b, false)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// ringOfVectors has the keys of the vectors.
func ringOfVectors(t *testing.T) *key.Ring {
	t.Helper()
	service, err := kms.New(kms.Config{
		Providers: map[string]map[string]any{"local": {"key": make([]byte, 96)}}, Getenv: func(string) string { return "" }, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/keys/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return &key.Ring{Unwrap: service.Unwrap, Find: func(_ context.Context, ids []bson.UUID, _ []string) ([]bson.Raw, error) {
		var found []bson.Raw
		for _, name := range files {
			doc := extJSON(t, "keys", filepath.Base(name))
			d, err := key.Parse(doc)
			if err != nil {
				return nil, err
			}
			if slices.Contains(ids, d.ID) {
				found = append(found, doc)
			}
		}
		return found, nil
	}}
}

func TestCompactionOfTheVectors(t *testing.T) {
	for _, name := range []string{"compact-success", "compact-text-search", "compact-no-range", "compact-anchor-pad", "cleanup-success", "cleanup-text-search"} {
		t.Run(name, func(t *testing.T) {
			a := &crypt.Auto{
				Ring: ringOfVectors(t), Random: rand.Reader,
				Collections: func(context.Context, string, []string) ([]bson.Raw, error) {
					return []bson.Raw{extJSON(t, name, "collinfo.json")}, nil
				},
			}
			got, err := a.Encrypt(t.Context(), "db", extJSON(t, name, "cmd.json"))
			if err != nil {
				t.Fatal(err)
			}
			if want := extJSON(t, name, "encrypted-payload.json"); !slices.Equal(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
