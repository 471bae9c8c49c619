package kms

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// The data keys of the vectors are wrapped by a local key of 96 zero bytes.
func TestLocalKeysOfTheVectors(t *testing.T) {
	service, err := New(Config{
		Providers: map[string]map[string]any{"local": {"key": make([]byte, 96)}}, Getenv: func(string) string { return "" }, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(vectors.Dir() + "/keys/*-local-document.json")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := bson.ExtJSONToRaw(b, false)
			if err != nil {
				t.Fatal(err)
			}
			master, _ := doc.Lookup("masterKey").DocumentOK()
			_, wrapped, _ := doc.Lookup("keyMaterial").BinaryOK()
			key, err := service.Unwrap(t.Context(), master, wrapped)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, "-local-document.json") + "-key-material.txt")
			if err != nil || hex.EncodeToString(key.Material()) != strings.ToLower(strings.TrimSpace(string(want))) {
				t.Errorf("another key than %s, %v", want, err)
			}
		})
	}
}
