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

// Where a directory has what the options say and what the server says, each alone yields what is sent.
func TestFlowsWithTheServersSchemas(t *testing.T) {
	ran := 0
	for _, f := range flows(t) {
		a := f.auto(t)
		if f.readFirst(t, "collinfo.json") == nil || len(a.EncryptedFields)+len(a.Schemas) == 0 {
			continue
		}
		ran++
		t.Run(f.dir, func(t *testing.T) {
			a.EncryptedFields, a.Schemas = nil, nil
			if reply := f.readFirst(t, "mongocryptd-reply.json", "reply-from-mongocryptd.json"); reply != nil {
				a.analysis = f.answerWith(t, reply)
			}
			cmd := mustVector(t, f.command)
			got, err := a.Encrypt(t.Context(), database(cmd), cmd)
			if want := f.sentCommand(t); err != nil || !like(got, want) {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
	if ran < 6 {
		t.Errorf("only %d directories", ran)
	}
}

// amazonsKey is the data key in an answer of AWS.
func amazonsKey(t *testing.T) *aead.Key {
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

// plaintextIn is what AWS has decrypted, in its answer, whose lines may end in either way.
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

// The command of the loose files opens with the key of the answer of AWS, and its value becomes the same ciphertext.
func TestEncryptedCommandOfTheVectors(t *testing.T) {
	id := bson.UUID([]byte(strings.Repeat("a", 16)))
	ring := newRing(t, map[string]string{string(id[:]): ""})
	ring.Unwrap = func(context.Context, bson.Raw, []byte) (*aead.Key, error) { return amazonsKey(t), nil }
	cmd := mustVector(t, "root", "encrypted-cmd.json")
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
	_, data, _ := mustVector(t, "root", "explicit-decryption-input.json").Lookup("v").BinaryOK()
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

// Fields that may be left out are in what is sent.
func TestInformationOfTheVectors(t *testing.T) {
	fields, err := bson.Marshal(bson.Doc("fields", bson.A{}))
	if err != nil {
		t.Fatal(err)
	}
	target := queryanalysis.Target{Database: "db", Collections: []string{"coll"}}
	got := appendInformation(raw(t, `{"find": "coll"}`), target, map[string]collection{"coll": {fields: fields}})
	if want := mustVector(t, "root", "find-with-encryptionInformation.json"); !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A collection without a validator encrypts nothing.
func TestCollectionWithoutAValidator(t *testing.T) {
	info := mustVector(t, "root", "collection-info-no-validator.json")
	a := &Auto{Ring: ringOfVectors(t, "keys"), Random: rand.Reader, Collections: func(context.Context, string, []string) ([]bson.Raw, error) {
		return []bson.Raw{info}, nil
	}}
	cmd := raw(t, `{"find": "test", "filter": {"ssn": "457-55-5462"}}`)
	if got, err := a.Encrypt(t.Context(), "db", cmd); err != nil || !bytes.Equal(got, cmd) {
		t.Errorf("got %s, %v", got, err)
	}
}
