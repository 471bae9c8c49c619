package kms

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
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

// TestAnswersOfTheVectors reads what services answer. No error repeats the body of a success, which other drivers do.
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
