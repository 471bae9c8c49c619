package aead

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/runtime/internal/encrypt/vectors"
)

// roundtrip is one vector.
type roundtrip struct {
	Name, Algo, Key, IV, AAD, Plaintext, Ciphertext string
	Mismatch                                        bool   `json:"ignore_ciphertext_mismatch_on_encrypt"`
	EncryptError                                    string `json:"encrypt_error"`
	DecryptError                                    string `json:"decrypt_error"`
}

// cipherSuites are the ciphers, by the names that the vectors use.
var cipherSuites = map[string]struct {
	seal func(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error)
	open func(k *Key, aad, ciphertext []byte) ([]byte, error)
}{
	"AES-256-CBC/SHA-512-256": {SealFLE1, OpenFLE1},
	"AES-256-CBC/SHA-256":     {SealFLE2, OpenFLE2},
	"AES-256-CTR/SHA-256":     {SealFLE2v1, OpenFLE2v1},
	"AES-256-CTR/NONE": {
		func(dst []byte, k *Key, iv [IVSize]byte, _, plaintext []byte) ([]byte, error) {
			return sealed.Token(k.encFLE2()).Seal(dst, iv, plaintext), nil
		},
		func(k *Key, _, ciphertext []byte) ([]byte, error) {
			return sealed.Token(k.encFLE2()).Open(ciphertext)
		},
	},
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRoundtripVectors(t *testing.T) {
	files, err := filepath.Glob(vectors.Folder("testdata") + "/roundtrip/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cases []roundtrip
		if err := json.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(filepath.Base(name)+"/"+c.Name, func(t *testing.T) { checkRoundtrip(t, c) })
		}
	}
}

func checkRoundtrip(t *testing.T, c roundtrip) {
	s, known := cipherSuites[c.Algo]
	if !known {
		t.Fatalf("there is no cipher %s", c.Algo)
	}
	material := unhex(t, c.Key)
	key, err := NewKey(append(material, make([]byte, max(0, KeySize-len(material)))...))
	if err != nil {
		t.Fatal(err)
	}
	aad, plaintext, want := unhex(t, c.AAD), unhex(t, c.Plaintext), unhex(t, c.Ciphertext)
	got, err := s.seal(nil, key, [IVSize]byte(unhex(t, c.IV)), aad, plaintext)
	switch {
	case c.EncryptError != "":
		if err == nil {
			t.Errorf("sealed, want %q", c.EncryptError)
		}
	case err != nil:
		t.Error(err)
	case !c.Mismatch && !bytes.Equal(got, want):
		t.Errorf("sealed %x, want %x", got, want)
	}
	if len(want) == 0 {
		return
	}
	opened, err := s.open(key, aad, want)
	switch {
	case c.DecryptError != "":
		if err == nil {
			t.Errorf("opened, want %q", c.DecryptError)
		}
	case err != nil || !bytes.Equal(opened, plaintext):
		t.Errorf("opened %x, %v, want %x", opened, err, plaintext)
	}
}

func TestDeterministicIV(t *testing.T) {
	key, err := NewKey(unhex(t, "efd263d61835c048a0c4c01a52cc27aba414378a82b07659ae5b86a7821c6ecb"+
		"5a34743cdbd1aebaec22eafecb7bdae299a8f104af3c5bbc0047d30ebbe66c6f3bc32c2e90f65967383362d9fef83cd9ff70d504ac79c05a280095148114018f"))
	if err != nil {
		t.Fatal(err)
	}
	aad := unhex(t, "012ce0802c00000000000000000000000002")
	plaintext := []byte("\x08\x00\x00\x00mongodb\x00")
	iv := key.DeterministicIV(aad, plaintext)
	got, err := SealFLE1(aad, key, iv, aad, plaintext)
	const want = "012ce0802c000000000000000000000000025b471931858e6377a8a9042449d06d4bd8870b8092400dbb772e972467264d5f" +
		"040ee8463673e66f1d042854c36f43c24b20a3332b84e27b2098d6208d3692bb"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("got %x, %v, want %s", got, err, want)
	}
}

func TestShortAndForeignCiphertextsAreErrors(t *testing.T) {
	key, other := &Key{material: [KeySize]byte{1}}, &Key{material: [KeySize]byte{2}}
	for name, s := range cipherSuites {
		sealed, err := s.seal(nil, key, [IVSize]byte{}, []byte("aad"), []byte("a text"))
		if err != nil {
			t.Fatal(err)
		}
		for n := range sealed {
			if _, err := s.open(key, []byte("aad"), sealed[:n]); err == nil && name != "AES-256-CTR/NONE" {
				t.Errorf("%s opens the first %d bytes", name, n)
			}
		}
		if name == "AES-256-CTR/NONE" {
			continue // nothing identifies another key
		}
		if _, err := s.open(other, []byte("aad"), sealed); err == nil && name != "AES-256-CBC/SHA-256" && name != "AES-256-CTR/SHA-256" {
			t.Errorf("%s opens with a foreign key", name)
		}
		if _, err := s.open(key, []byte("other"), sealed); err == nil {
			t.Errorf("%s opens with other associated data", name)
		}
	}
}

func TestKeysAreNeverPrinted(t *testing.T) {
	key := &Key{material: [KeySize]byte{'s', 'e', 'c', 'r', 'e', 't'}}
	text, err := json.Marshal(map[string]any{"key": key})
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %x %s %d", key, key, key, key, key, key), string(text)} {
		if strings.Contains(got, "115") || strings.Contains(got, "736563") || strings.Contains(got, "secret") || !strings.Contains(got, "[a key]") {
			t.Errorf("the key is printed as %s", got)
		}
	}
	key.Wipe()
	if key.material != [KeySize]byte{} {
		t.Error("the key is still there")
	}
	if _, err := NewKey(make([]byte, 95)); err == nil {
		t.Error("a short key was accepted")
	}
}
