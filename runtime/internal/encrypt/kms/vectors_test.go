package kms

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(vectors.Dir() + "/" + name)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestMasterKeysOfTheVectors(t *testing.T) {
	var tests []struct {
		Input  json.RawMessage
		Expect string
	}
	readJSON(t, "root/kek-tests.json", &tests)
	for _, test := range tests {
		t.Run(string(test.Input), func(t *testing.T) {
			doc, err := bson.ExtJSONToRaw(test.Input, false)
			if err != nil {
				t.Fatal(err)
			}
			id, err := ParseMasterKey(doc)
			if test.Expect == "ok" {
				if want, _ := doc.Lookup("provider").StringOK(); err != nil || id != want {
					t.Errorf("got %q, %v", id, err)
				}
				return
			}
			want, _, _ := strings.Cut(test.Expect, " '") // the name of an unexpected field is not quoted: it may be a secret
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
				t.Errorf("got %v, want %q", err, test.Expect)
			}
		})
	}
}

// TestAnswersOfTheVectors reads the services' answers. No error quotes the body of a successful answer, although other
// drivers do.
func TestAnswersOfTheVectors(t *testing.T) {
	var tests []struct {
		Description string
		Reply       []string `json:"http_reply"`
		Expect      any
	}
	readJSON(t, "root/kms-tests.json", &tests)
	row, err := parseProvider("aws", map[string]any{"accessKeyId": "a", "secretAccessKey": "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.Description, func(t *testing.T) {
			doc, _, err, lost := row.interpret(bufio.NewReader(strings.NewReader(strings.Join(test.Reply, ""))))
			switch test.Description {
			case "JSON in response missing needed field":
				if err == nil {
					_, err = text(doc, "Plaintext")
				}
			case "Encryption response with invalid base64":
				if err == nil {
					_, err = base64Field(doc, "CiphertextBlob", base64.StdEncoding)
				}
			}
			if failed := err != nil || lost != nil; failed == (test.Expect == "ok") {
				t.Errorf("error %v, lost %v", err, lost)
			}
		})
	}
}

// FuzzKMIPResponse feeds the reader of KMIP what a server could send.
func FuzzKMIPResponse(f *testing.F) {
	f.Add(requestByID(kmip.OperationGet, "1"))
	f.Add([]byte{0x42, 0, 0x7b, 1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if payload, err := parseResponse(b); err == nil {
			_, _ = findField(payload, kmip.TagData)
		}
		_, _ = readItem(bufio.NewReader(strings.NewReader(string(b))))
	})
}

// repliesOfTheVectors are answers of services, each with the field that the driver wants.
var repliesOfTheVectors = map[string]string{
	"kms-aws/encrypt-response.txt": "CiphertextBlob", "kms-aws/decrypt-response.txt": "Plaintext", "root/kms-encrypt-reply.txt": "CiphertextBlob",
	"kms-azure/oauth-response.txt": "access_token", "kms-azure/encrypt-response.txt": "value", "kms-azure/decrypt-response.txt": "value",
	"kms-gcp/oauth-response.txt": "access_token", "kms-gcp/encrypt-response.txt": "ciphertext", "kms-gcp/decrypt-response.txt": "plaintext",
	"kms-message/example-response.bin": "CiphertextBlob", "kms-message/example-chunked-response.bin": "access_token",
	"kms-message/example-multi-chunked-response.bin":              "access_token",
	"keys/12345678123498761234123456789012-aws-decrypt-reply.txt": "Plaintext",
	"keys/12345678123498761234123456789013-aws-decrypt-reply.txt": "Plaintext",
	"keys/ABCDEFAB123498761234123456789012-aws-decrypt-reply.txt": "Plaintext",
	"kms-aws/encrypt-response-partial.txt":                        "",
}

func TestRepliesOfTheVectors(t *testing.T) {
	row, err := parseProvider("aws", map[string]any{"accessKeyId": "a", "secretAccessKey": "b"})
	if err != nil {
		t.Fatal(err)
	}
	replies := maps.Clone(repliesOfTheVectors)
	for pattern, field := range map[string]string{"*/kms-decrypt-reply*.txt": "Plaintext", "*/kms-encrypt-reply*.txt": "CiphertextBlob"} {
		files, err := filepath.Glob(vectors.Dir() + "/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			rel, _ := filepath.Rel(vectors.Dir(), file)
			replies[filepath.ToSlash(rel)] = field
		}
	}
	for file, field := range replies {
		t.Run(file, func(t *testing.T) {
			b, err := os.ReadFile(vectors.Dir() + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(b), "\r\n") { // a checkout may have changed the line endings, which Content-Length counts
				b = []byte(strings.ReplaceAll(string(b), "\n", "\r\n"))
			}
			doc, passing, err, lost := row.interpret(bufio.NewReader(strings.NewReader(string(b))))
			if _, status, _ := strings.Cut(string(b), " "); !strings.HasPrefix(status, "200 ") {
				if err == nil || lost != nil || passing != isPassingStatus(row.Provider, http.StatusTooManyRequests) || !strings.HasPrefix(status, "429 ") {
					t.Errorf("a failure is taken for %s: %v, %v", doc, err, lost)
				}
				return
			}
			if field == "" {
				if lost == nil {
					t.Errorf("half an answer is taken for %s, %v", doc, err)
				}
				return
			}
			if err != nil || lost != nil {
				t.Fatal(err, lost)
			}
			value, err := text(doc, field)
			if err != nil {
				t.Fatal(err, doc)
			}
			if material, found := strings.CutSuffix(file, "-aws-decrypt-reply.txt"); found {
				want, err := os.ReadFile(vectors.Dir() + "/" + material + "-key-material.txt")
				got, err2 := base64Field(doc, field, base64.StdEncoding)
				if err != nil || err2 != nil || hex.EncodeToString(got) != strings.ToLower(strings.TrimSpace(string(want))) {
					t.Errorf("the key is %s, %v, %v", value, err, err2)
				}
			}
		})
	}
}
