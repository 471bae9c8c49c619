package payload

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

var errNoKey = errors.New("no such key")

// lookup finds the published test keys by their ids, and one of them by a name.
func lookup(t testing.TB) Keys {
	known := keys(t)
	return func(ref Ref) (bson.UUID, *aead.Key, error) {
		if ref.Name == "named" {
			ref.ID = bson.UUID(unhex(t, "12345678123498761234123456789012"))
		}
		if k := known[ref.ID]; k != nil {
			return ref.ID, k, nil
		}
		return bson.UUID{}, nil, errNoKey
	}
}

func vectorValue(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := bson.ExtJSONToRaw(data, false)
	if err != nil {
		t.Fatal(err)
	}
	_, value, ok := doc.Lookup("v").BinaryOK()
	if !ok {
		t.Fatalf("%s has no value", name)
	}
	return value
}

func marking(t testing.TB, m bson.EncryptionMarking) bson.Binary {
	t.Helper()
	b, err := m.Binary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func document(t testing.TB, v any) bson.Raw {
	t.Helper()
	doc, err := bson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The value inside each vector encrypts to the same bytes again.
func TestDeterministicValuesAreReproduced(t *testing.T) {
	want := vectorValue(t, "explicit-decrypt/FLE1DeterministicEncryptedValue.json")
	value, err := Open(want, lookup(t))
	if err != nil {
		t.Fatal(err)
	}
	id := bson.UUID(want[1:17])
	m := marking(t, bson.EncryptionMarking{Value: value, Algorithm: bson.EncryptedDeterministic, KeyID: &id})
	got, err := Seal(m.Data, lookup(t), nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
}

func TestMarkingsAtAnyDepth(t *testing.T) {
	id := bson.UUID(unhex(t, "12345678123498761234123456789012"))
	value := document(t, bson.Doc("v", bson.Doc("a", bson.A{int64(1), "x"}))).Lookup("v")
	byID := marking(t, bson.EncryptionMarking{Value: value, Algorithm: bson.EncryptedRandomized, KeyID: &id})
	byName := marking(t, bson.EncryptionMarking{Value: value, Algorithm: bson.EncryptedRandomized, KeyAltName: "named"})
	doc := document(t, bson.Doc("plain", 1, "a", byID, "list", bson.A{"x", bson.Doc("b", byName)}, "again", byID))

	refs, err := KeysToEncrypt(doc)
	if want := []Ref{{ID: id}, {Name: "named"}}; err != nil || !slices.Equal(refs, want) {
		t.Errorf("needs %v, %v", refs, err)
	}
	sealed, err := Encrypt(doc, lookup(t), rand.Reader)
	if err != nil || sealed.Validate() != nil {
		t.Fatal(err)
	}
	if Queryable(sealed) {
		t.Error("client-side field level encryption needs no encryptionInformation")
	}
	_, data, _ := sealed.Lookup("list", "1", "b").BinaryOK()
	if encryption.Payload(data[0]) != encryption.FLE1RandomEncryptedValue {
		t.Errorf("the value in the list became %x", data)
	}
	refs, err = NeededToDecrypt(sealed, nil)
	if want := []Ref{{ID: id}}; err != nil || !slices.Equal(refs, want) {
		t.Errorf("opening needs %v, %v", refs, err)
	}
	opened, changed, err := Decrypt(sealed, lookup(t))
	want := document(t, bson.Doc("plain", 1, "a", value, "list", bson.A{"x", bson.Doc("b", value)}, "again", value))
	if err != nil || !changed || !bytes.Equal(opened, want) {
		t.Errorf("got %v, %v, want %v", opened, err, want)
	}
}

func TestNothingToDoReturnsTheDocument(t *testing.T) {
	stored := vectorValue(t, "explicit-decrypt/FLE2FindEqualityPayloadV2.json")
	doc := document(t, bson.Doc("a", 1, "b", bson.Binary{Subtype: 6, Data: stored}, "c", bson.Binary{Subtype: 0}))
	if out, err := Encrypt(doc, nil, nil); err != nil || &out[0] != &doc[0] {
		t.Error("a document without a marking was copied", err)
	}
	if out, changed, err := Decrypt(doc, nil); err != nil || changed || &out[0] != &doc[0] {
		t.Error("a document that nothing opens was copied", err)
	}
	if !Queryable(doc) {
		t.Error("a payload of a find needs encryptionInformation")
	}
}

func TestHiddenKeys(t *testing.T) {
	data, err := os.ReadFile(vectors.Folder("testdata") + "/iev-v2/FLECrudTest-insertOneRangeV2.json")
	if err != nil {
		t.Fatal(err)
	}
	var v indexedVector
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	doc := document(t, bson.Doc("a", bson.Binary{Subtype: 6, Data: unhex(t, v.Payload)}))
	index, user := Ref{ID: bson.UUID(unhex(t, v.SKeyID))}, Ref{ID: bson.UUID(unhex(t, v.KKeyID))}
	known := map[Ref]*aead.Key{index: key(t, v.SKey), user: key(t, v.KKey)}
	find := func(ref Ref) (bson.UUID, *aead.Key, error) { return ref.ID, known[ref], nil }
	if refs, err := NeededToDecrypt(doc, nil); err != nil || !slices.Equal(refs, []Ref{index}) {
		t.Errorf("in the open: %v, %v", refs, err)
	}
	if refs, err := NeededToDecrypt(doc, find); err != nil || !slices.Equal(refs, []Ref{index, user}) {
		t.Errorf("with the key of the index: %v, %v", refs, err)
	}
	out, changed, err := Decrypt(doc, find)
	if err != nil || !changed || !bytes.Equal(out.Lookup("a").Value, unhex(t, v.Value)) {
		t.Errorf("opened %v, %v", out, err)
	}
}

func TestErrorsNameTheField(t *testing.T) {
	id := bson.UUID{1}
	lost := marking(t, bson.EncryptionMarking{Value: document(t, bson.Doc("v", 1)).Lookup("v"), Algorithm: bson.EncryptedRandomized, KeyID: &id})
	for name, tt := range map[string]struct {
		value bson.Binary
		want  string
	}{
		"an empty value": {bson.Binary{Subtype: 6}, "malformed ciphertext, in field a.0.b"},
		"a missing key":  {lost, "no such key, in field a.0.b"},
	} {
		doc := document(t, bson.Doc("a", bson.A{bson.Doc("b", tt.value)}))
		if _, err := Encrypt(doc, lookup(t), rand.Reader); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(nil, lookup(t)); err == nil || !strings.Contains(err.Error(), "malformed ciphertext") {
		t.Errorf("decrypting an empty value: %v", err)
	}
	if _, _, err := Decrypt(document(t, bson.Doc("a", bson.Binary{Subtype: 6, Data: []byte{1}})), lookup(t)); err == nil ||
		!strings.Contains(err.Error(), "malformed ciphertext, in field a") {
		t.Errorf("decrypting a value that is too short: %v", err)
	}
	// A value that no driver can open stays as it is, so that a find that returns one does not fail.
	for _, data := range [][]byte{nil, append([]byte{7}, make([]byte, 40)...), append([]byte{9}, make([]byte, 40)...), {7}, {9}, {200}} {
		doc := document(t, bson.Doc("a", bson.Binary{Subtype: 6, Data: data}, "b", 1))
		out, changed, err := Decrypt(doc, lookup(t))
		if refs, wrong := NeededToDecrypt(doc, nil); wrong != nil || len(refs) > 0 || err != nil || changed || !bytes.Equal(out, doc) {
			t.Errorf("a value %x: %v, %v, %v", data, out, err, wrong)
		}
		mixed := document(t, bson.Doc("a", bson.Binary{Subtype: 6, Data: data}, "b",
			bson.Binary{Subtype: 6, Data: vectorValue(t, "explicit-decrypt/FLE2IndexedEqualityEncryptedValueV2.json")}))
		if out, changed, err := Decrypt(mixed, lookup(t)); err != nil || !changed || !bytes.Equal(out.Lookup("a").Value, mixed.Lookup("a").Value) {
			t.Errorf("a value %x beside another: %v, %v", data, out, err)
		}
	}
}

// Decrypting any reply neither hangs nor panics, and what it yields is a document.
func FuzzDecrypt(f *testing.F) {
	known := lookup(f)
	f.Add([]byte(document(f, bson.Doc("a", bson.Binary{Subtype: 6, Data: vectorValue(f, "explicit-decrypt/FLE2IndexedEqualityEncryptedValueV2.json")}))))
	f.Fuzz(func(t *testing.T, doc []byte) {
		out, changed, err := Decrypt(doc, known)
		if err == nil && changed && bson.Raw(doc).Validate() == nil && out.Validate() != nil {
			t.Errorf("decrypted %x to %x", doc, out)
		}
	})
}
