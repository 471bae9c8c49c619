package payload

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func key(t testing.TB, s string) *aead.Key {
	t.Helper()
	k, err := aead.NewKey(unhex(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// keys are the published test keys, by their ids.
func keys(t testing.TB) map[bson.UUID]*aead.Key {
	t.Helper()
	files, err := filepath.Glob(vectors.Folder("testdata") + "/keys/*-key-material.txt")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d keys, %v", len(files), err)
	}
	out := map[bson.UUID]*aead.Key{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(name), "-key-material.txt")
		out[bson.UUID(unhex(t, id))] = key(t, string(text))
	}
	return out
}

func TestLocalKeysUnwrap(t *testing.T) {
	for id, want := range keys(t) {
		name := strings.ToUpper(hex.EncodeToString(id[:]))
		data, err := os.ReadFile(vectors.Folder("testdata") + "/keys/" + name + "-local-document.json")
		if err != nil {
			t.Fatal(err)
		}
		doc, err := bson.ExtJSONToRaw(data, false)
		if err != nil {
			t.Fatal(err)
		}
		_, wrapped, _ := doc.Lookup("keyMaterial").BinaryOK()
		got, err := aead.OpenFLE1(new(aead.Key), nil, wrapped)
		if err != nil || !bytes.Equal(got, want.Material()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// indexedVector is a test vector of an indexed value.
type indexedVector struct {
	Payload string
	SKeyID  string    `json:"S_KeyId"`
	SKey    string    `json:"S_Key"`
	KKeyID  string    `json:"K_KeyId"`
	KKey    string    `json:"K_Key"`
	Type    bson.Type `json:"bson_value_type"`
	Value   string    `json:"bson_value"`
	Blocks  []string  `json:"metadata"`
}

func TestIndexedValues(t *testing.T) {
	files, err := filepath.Glob(vectors.Folder("testdata") + "/iev-v2/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d vectors, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var v indexedVector
			if err := json.Unmarshal(data, &v); err != nil {
				t.Fatal(err)
			}
			s, err := Parse(unhex(t, v.Payload))
			if err != nil {
				t.Fatal(err)
			}
			index, user := key(t, v.SKey), key(t, v.KKey)
			id, err := s.UserKeyID(index)
			if err != nil || !bytes.Equal(id[:], unhex(t, v.KKeyID)) || !bytes.Equal(s.KeyID[:], unhex(t, v.SKeyID)) || s.Type != v.Type || !s.Indexed() {
				t.Errorf("keys %x and %x, type %s, %v", s.KeyID, id, s.Type, err)
			}
			got, err := s.Open(index, user)
			if err != nil || !bytes.Equal(got.Value, unhex(t, v.Value)) {
				t.Errorf("got %x, %v, want %s", got.Value, err, v.Value)
			}
			if !bytes.Equal(s.Blocks, unhex(t, strings.Join(v.Blocks, ""))) {
				t.Errorf("the blocks are %x", s.Blocks)
			}
			if tags := s.Tags(); len(tags) != len(v.Blocks) || !bytes.Equal(tags[0][:], s.Blocks[32:64]) {
				t.Errorf("the tags are %x", tags)
			}
			if again := s.Append(nil); !bytes.Equal(again, unhex(t, v.Payload)) {
				t.Errorf("written again it is %x", again)
			}
		})
	}
}

// The tag of a block equals the one that the driver's tokens yield for the first insert.
func TestTagOfAStoredValue(t *testing.T) {
	data, err := os.ReadFile(vectors.Folder("testdata") + "/iev-v2/FLECrudTest-insertOneV2.json")
	if err != nil {
		t.Fatal(err)
	}
	var v indexedVector
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	edc := encryption.EDCToken(encryption.CollectionsLevel1Token(key(t, v.SKey).TokenKey()))
	factor := encryption.EDCDerivedFromDataTokenAndContentionFactor(encryption.EDCDerivedFromDataToken(edc.Root(), unhex(t, v.Value)), 0)
	tag := encryption.EDCTwiceDerivedToken(factor).Tag(1)
	if got := unhex(t, v.Blocks[0])[32:64]; !bytes.Equal(got, tag[:]) {
		t.Errorf("the tag is %x, want %x", tag, got)
	}
}

// openedVectors has the value that each kind of vector decrypts to.
var openedVectors = map[string]string{
	"FLE1DeterministicEncryptedValue": `"foo"`, "FLE1RandomEncryptedValue": `"foo"`,
	"FLE2IndexedEqualityEncryptedValueV2": `"foo"`, "FLE2IndexedRangeEncryptedValueV2": "123",
	"FLE2InsertUpdatePayload": "value123", "FLE2InsertUpdatePayloadV2": "value123",
	"FLE2InsertUpdatePayload-RangeV1": "123456", "FLE2InsertUpdatePayloadV2-RangeV1": "123456", "FLE2InsertUpdatePayloadV2-RangeV2": "123456",
	"FLE2UnindexedEncryptedValue": "value123", "FLE2UnindexedEncryptedValueV2": `"foo"`,
}

func TestExplicitValues(t *testing.T) {
	known := keys(t)
	files, err := filepath.Glob(vectors.Folder("testdata") + "/explicit-decrypt/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d vectors, %v", len(files), err)
	}
	for _, name := range files {
		kind := strings.TrimSuffix(filepath.Base(name), ".json")
		t.Run(kind, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := bson.ExtJSONToRaw(data, false)
			if err != nil {
				t.Fatal(err)
			}
			_, value, _ := doc.Lookup("v").BinaryOK()
			got, err := open(known, value)
			want, opens := openedVectors[kind]
			if !opens {
				if err == nil {
					t.Errorf("opened %v", got)
				}
				return
			}
			if err != nil || !strings.Contains(got.String(), want) {
				t.Errorf("got %v, %v, want %s", got, err, want)
			}
		})
	}
}

// open opens a value of any kind with the keys that it names.
func open(known map[bson.UUID]*aead.Key, value []byte) (bson.RawValue, error) {
	if insert, err := ParseInsert(value); err == nil {
		return insert.Open(known[insert.KeyID])
	}
	s, err := Parse(value)
	if err != nil {
		return bson.RawValue{}, err
	}
	index := known[s.KeyID]
	if index == nil {
		return bson.RawValue{}, errMalformed
	}
	id, err := s.UserKeyID(index)
	if err != nil {
		return bson.RawValue{}, err
	}
	user := known[id]
	if user == nil {
		return bson.RawValue{}, errMalformed
	}
	return s.Open(index, user)
}

// Opening arbitrary bytes never hangs or panics. It fails unless the bytes are a value.
func FuzzOpen(f *testing.F) {
	known := keys(f)
	files, err := filepath.Glob(vectors.Folder("testdata") + "/explicit-decrypt/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if doc, err := bson.ExtJSONToRaw(data, false); err == nil {
			if _, value, ok := doc.Lookup("v").BinaryOK(); ok {
				f.Add(value)
			}
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if v, err := open(known, value); err == nil && v.Validate() != nil {
			t.Errorf("opened a value that is none: %v", v)
		}
	})
}
