package encrypt

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/key"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// Where a directory has both the schemas of the options and those of the server, either of them alone yields the command that is sent.
func TestFlowsWithTheServersSchemas(t *testing.T) {
	ran := 0
	for _, f := range findFlows(t) {
		a := f.newAuto(t)
		if f.readFirst(t, "collinfo.json") == nil || len(a.EncryptedFields)+len(a.Schemas) == 0 {
			continue
		}
		ran++
		t.Run(f.dir, func(t *testing.T) {
			a.EncryptedFields, a.Schemas = nil, nil
			if reply := f.readFirst(t, "mongocryptd-reply.json", "reply-from-mongocryptd.json"); reply != nil {
				a.analysis = f.answerWith(t, reply)
			}
			cmd := mustReadVector(t, f.command)
			got, err := a.Encrypt(t.Context(), database(cmd), cmd)
			if want := f.sentCommand(t); err != nil || !isLike(got, want) {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
	if ran < 6 {
		t.Errorf("only %d directories", ran)
	}
}

// keyFromAWS returns the data key in an answer of AWS.
func keyFromAWS(t *testing.T) *aead.Key {
	t.Helper()
	b, err := os.ReadFile(vectors.Folder("testdata/vectors") + "/kms-aws/decrypt-response.txt")
	if err != nil {
		t.Fatal(err)
	}
	k, err := aead.NewKey(plaintextIn(t, b))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// plaintextIn returns what AWS decrypted, from its answer, in which lines may end with or without a carriage return.
func plaintextIn(t *testing.T, b []byte) []byte {
	t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var body struct{ Plaintext string }
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	material, err := base64.StdEncoding.DecodeString(body.Plaintext)
	if err != nil {
		t.Fatal(err)
	}
	return material
}

// The key in the answer of AWS decrypts the command in the vectors' root folder, and encrypts its value to the same ciphertext.
func TestEncryptedCommandOfTheVectors(t *testing.T) {
	id := bson.UUID([]byte(strings.Repeat("a", 16)))
	ring := newRing(t, map[string]string{string(id[:]): ""})
	ring.Unwrap = func(context.Context, bson.Raw, []byte) (*aead.Key, error) { return keyFromAWS(t), nil }
	cmd := mustReadVector(t, "root", "encrypted-cmd.json")
	opened, err := (&Auto{Ring: ring, Random: rand.Reader}).Decrypt(t.Context(), cmd)
	if err != nil || opened.Lookup("filter", "ssn").String() != `"457-55-5462"` {
		t.Fatalf("opened %s, %v", opened, err)
	}
	plan, err := NewPlan(&options.Encrypt{KeyID: &id, Algorithm: options.AlgorithmDeterministic}, bson.RawValue{}, bson.RawValue{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Explicit{Ring: ring, Random: rand.Reader}).Encrypt(t.Context(), opened.Lookup("filter", "ssn"), plan)
	if _, want, _ := cmd.Lookup("filter", "ssn").BinaryOK(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v; want %x", got, err, want)
	}
}

// The value of an unknown key asks for that key.
func TestExplicitInputOfTheVectors(t *testing.T) {
	_, data, _ := mustReadVector(t, "root", "explicit-decryption-input.json").Lookup("v").BinaryOK()
	var asked []bson.UUID
	ring := &key.Ring{Find: func(_ context.Context, ids []bson.UUID, _ []string) ([]bson.Raw, error) {
		asked = append(asked, ids...)
		return nil, nil
	}}
	_, err := (&Explicit{Ring: ring, Random: rand.Reader}).Decrypt(t.Context(), data)
	if err == nil || !strings.Contains(err.Error(), analysis.KeysNotSatisfied()) || len(asked) != 1 || asked[0] != (bson.UUID{}) {
		t.Errorf("asked for %v, %v", asked, err)
	}
}

// What is sent has the fields that encryptedFields may leave out.
func TestInformationOfTheVectors(t *testing.T) {
	fields, err := bson.Marshal(bson.Doc("fields", bson.A{}))
	if err != nil {
		t.Fatal(err)
	}
	target := queryanalysis.Target{Database: "db", Collections: []string{"coll"}}
	got := appendInformation(parseRaw(t, `{"find": "coll"}`), target, map[string]collection{"coll": {fields: fields}})
	if want := mustReadVector(t, "root", "find-with-encryptionInformation.json"); !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A collection without a validator encrypts nothing.
func TestCollectionWithoutAValidator(t *testing.T) {
	info := mustReadVector(t, "root", "collection-info-no-validator.json")
	a := &Auto{Ring: ringOfVectors(t, "keys"), Random: rand.Reader, Collections: func(context.Context, string, []string) ([]bson.Raw, error) {
		return []bson.Raw{info}, nil
	}}
	cmd := parseRaw(t, `{"find": "test", "filter": {"ssn": "457-55-5462"}}`)
	if got, err := a.Encrypt(t.Context(), "db", cmd); err != nil || !bytes.Equal(got, cmd) {
		t.Errorf("got %s, %v", got, err)
	}
}
