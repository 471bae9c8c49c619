package kms

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// The driver reads or refuses an HTTP answer. An error about a successful answer does not quote it, because it may hold
// a key.
func FuzzAnswer(f *testing.F) {
	for _, pattern := range []string{"kms-*/*.txt", "kms-message/*.bin", "keys/*-reply.txt"} {
		files, err := filepath.Glob(vectors.Dir() + "/" + pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	p, err := parseProvider("aws", map[string]any{"accessKeyId": "a", "secretAccessKey": "b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, _, err, lost := p.interpret(bufio.NewReader(bytes.NewReader(b)))
		if err != nil || lost != nil {
			return
		}
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if _, err := base64Field(doc, "Plaintext", encoding); err != nil {
				if v, ok := doc.Lookup("Plaintext").StringOK(); ok && len(v) > 8 && strings.Contains(err.Error(), v) {
					t.Errorf("the error repeats the key: %v", err)
				}
			}
		}
	})
}

// The driver accepts or refuses settings of providers and master keys.
func FuzzSettings(f *testing.F) {
	for _, file := range []string{"root/kms-tests.json", "root/kek-tests.json"} {
		b, err := os.ReadFile(vectors.Dir() + "/" + file)
		if err != nil {
			f.Fatal(err)
		}
		var tests []struct{ Input json.RawMessage }
		if err := json.Unmarshal(b, &tests); err != nil {
			f.Fatal(err)
		}
		for _, test := range tests {
			f.Add(string(test.Input))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := bson.ExtJSONToRaw([]byte(text), false)
		if err != nil {
			return
		}
		_, _ = ParseMasterKey(doc)
		for id, v := range doc.All() {
			settings := map[string]any{}
			if given, ok := v.DocumentOK(); ok && bson.Unmarshal(given, &settings) == nil {
				_, _ = parseProvider(id, settings)
				_, _ = parseMasterKey(id, given, true)
			}
		}
	})
}
