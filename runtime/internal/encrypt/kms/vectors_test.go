package kms

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmip"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/auth"
)

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
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
	readJSON(t, "kek-tests.json", &tests)
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
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(test.Expect)) {
				t.Errorf("got %v, want %q", err, test.Expect)
			}
		})
	}
}

func TestKMIPMessagesOfTheVectors(t *testing.T) {
	var vectors map[string]string
	readJSON(t, "kmip.json", &vectors)
	bytes := func(name string) []byte {
		b, err := hex.DecodeString(vectors[name])
		if err != nil || len(b) == 0 {
			t.Fatal(name, err)
		}
		return b
	}
	ivAndText := bytes("IV_CIPHERTEXT")
	for _, test := range []struct {
		name string
		got  []byte
	}{
		{"REGISTER_REQUEST", registerSecret(make([]byte, 96))},
		{"ACTIVATE_REQUEST", byID(kmip.OperationActivate, vectors["SUCCESS_REGISTER_RESPONSE_UNIQUE_IDENTIFIER"])},
		{"GET_REQUEST", byID(kmip.OperationGet, vectors["GET_REQUEST_UNIQUE_IDENTIFIER"])},
		{"CREATE_REQUEST", createKey()},
		{"ENCRYPT_REQUEST", encryptData(vectors["KEK_UNIQUE_IDENTIFIER"], bytes("PLAINTEXT"))},
		{"DECRYPT_REQUEST", decryptData(vectors["KEK_UNIQUE_IDENTIFIER"], ivAndText[:16], ivAndText[16:])},
	} {
		if want := bytes(test.name); !slices.Equal(test.got, want) {
			t.Errorf("%s: got %x, want %x", test.name, test.got, want)
		}
	}
	payload, err := parseResponse(bytes("SUCCESS_GET_RESPONSE"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := found(payload, kmip.TagSecretData, kmip.TagKeyBlock, kmip.TagKeyValue, kmip.TagKeyMaterial)
	if err != nil || !slices.Equal(secret, bytes("SUCCESS_GET_RESPONSE_SECRETDATA")) {
		t.Errorf("the secret is %x, %v", secret, err)
	}
	if payload, err = parseResponse(bytes("SUCCESS_DECRYPT_RESPONSE")); err != nil {
		t.Fatal(err)
	}
	if data, err := found(payload, kmip.TagData); err != nil || !slices.Equal(data, bytes("PLAINTEXT")) {
		t.Errorf("the data is %x, %v", data, err)
	}
	_, err = parseResponse(bytes("ERROR_GET_RESPOSE_NOTFOUND"))
	if err == nil || !strings.Contains(err.Error(), "result status (1): Operation Failed, result reason (1): Item Not Found") {
		t.Errorf("the failure is %v", err)
	}
}

func TestAWSSignaturesOfTheVectors(t *testing.T) {
	key := options.AWSCredentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
	for _, name := range []string{"aws-encrypt.txt", "aws-decrypt.txt"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(b), "\n\n")
		var headers []auth.AWSHeader
		date, want := "", ""
		for _, line := range strings.Split(head, "\n")[1:] {
			name, value, _ := strings.Cut(line, ":")
			switch name = strings.ToLower(name); name {
			case "authorization":
				want = strings.TrimSpace(value)
				continue
			case "x-amz-date":
				date = value
			}
			headers = append(headers, auth.AWSHeader{Name: name, Value: value})
		}
		if got := auth.SignAWS(key, "us-east-1", "service", date, headers, body); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
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
	readJSON(t, "kms-tests.json", &tests)
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
	f.Add(byID(kmip.OperationGet, "1"))
	f.Add([]byte{0x42, 0, 0x7b, 1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if payload, err := parseResponse(b); err == nil {
			_, _ = found(payload, kmip.TagData)
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
	for file, field := range repliesOfTheVectors {
		t.Run(file, func(t *testing.T) {
			b, err := os.ReadFile("../testdata/vectors/" + file)
			if err != nil {
				t.Fatal(err)
			}
			doc, _, err, lost := row.interpret(bufio.NewReader(strings.NewReader(string(b))))
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
				want, err := os.ReadFile("../testdata/vectors/" + material + "-key-material.txt")
				got, err2 := base64Field(doc, field, base64.StdEncoding)
				if err != nil || err2 != nil || hex.EncodeToString(got) != strings.ToLower(strings.TrimSpace(string(want))) {
					t.Errorf("the key is %s, %v, %v", value, err, err2)
				}
			}
		})
	}
}

// The requests of Amazon's own suite that have the shape of ours: POST to the path / without a query.
func TestAmazonsSignatures(t *testing.T) {
	files, err := filepath.Glob("../testdata/vectors/kms-message/aws-sig-v4-test-suite/*/*.sreq")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	key := options.AWSCredentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
	ran := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, body, _ := strings.Cut(string(b), "\n\n")
			lines := strings.Split(head, "\n")
			if !strings.HasPrefix(lines[0], "POST / ") {
				t.Skip("the driver sends no such request")
			}
			ran++
			values, want := map[string]string{}, ""
			for _, line := range lines[1:] {
				name, value, _ := strings.Cut(line, ":")
				if name = strings.ToLower(name); name == "authorization" {
					want = strings.TrimSpace(value)
				}
				values[name] = strings.TrimSpace(value)
			}
			_, list, _ := strings.Cut(want, "SignedHeaders=")
			list, _, _ = strings.Cut(list, ",")
			var headers []auth.AWSHeader
			for _, name := range strings.Split(list, ";") {
				headers = append(headers, auth.AWSHeader{Name: name, Value: values[name]})
			}
			if got := auth.SignAWS(key, "us-east-1", "service", values["x-amz-date"], headers, body); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	if ran < 6 {
		t.Errorf("only %d requests were signed", ran)
	}
}
