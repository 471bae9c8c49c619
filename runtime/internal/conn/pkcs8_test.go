package conn

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"hash"
	"strings"
	"testing"
)

// sealedKey describes an encrypted key file, perhaps with a mistake.
type sealedKey struct {
	scheme, derivation, prf, cipher asn1.ObjectIdentifier
	hash                            func() hash.Hash
	iterations, claimed             int // claimed is what the file says, iterations if 0
	pad                             []byte
	iv, data                        []byte // instead of the right ones
	behind                          []byte // follows the file
	vector, key, params             []byte // the whole of what the file says about the vector, the derivation of the key, and both
	cut                             bool   // the file ends early
}

var (
	hmacSHA256 = asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 9}
	aes256     = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}
)

func newSealedKey() *sealedKey {
	return &sealedKey{scheme: oidPBES2, derivation: oidPBKDF2, prf: hmacSHA256, cipher: aes256, hash: sha256.New, iterations: 3,
		pad: bytes.Repeat([]byte{10}, 10)}
}

// der encodes the file. RFC 8018, appendix A.
func (s *sealedKey) der(t *testing.T, secret, password string) []byte {
	t.Helper()
	encode := func(v any) []byte {
		out, err := asn1.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	salt, iv := []byte("sixteen bytes !!"), []byte("0123456789abcdef")
	key, err := pbkdf2.Key(s.hash, password, salt, s.iterations, 32)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte(secret), s.pad...)
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
	if s.iv != nil {
		iv = s.iv
	}
	if s.data != nil {
		data = s.data
	}
	derivation := pbkdf2Params{Salt: salt, Iterations: s.iterations}
	if s.claimed != 0 {
		derivation.Iterations = s.claimed
	}
	if s.prf != nil {
		derivation.PRF = pkix.AlgorithmIdentifier{Algorithm: s.prf}
	}
	params := pbes2Params{
		KeyDerivation: pkix.AlgorithmIdentifier{Algorithm: s.derivation, Parameters: asn1.RawValue{FullBytes: encode(derivation)}},
		Encryption:    pkix.AlgorithmIdentifier{Algorithm: s.cipher, Parameters: asn1.RawValue{FullBytes: encode(iv)}},
	}
	if s.vector != nil {
		params.Encryption.Parameters.FullBytes = s.vector
	}
	if s.key != nil {
		params.KeyDerivation.Parameters.FullBytes = s.key
	}
	both := encode(params)
	if s.params != nil {
		both = s.params
	}
	info := encryptedPrivateKeyInfo{
		Algorithm: pkix.AlgorithmIdentifier{Algorithm: s.scheme, Parameters: asn1.RawValue{FullBytes: both}}, Data: data,
	}
	if s.cut {
		return encode(info)[:20]
	}
	return append(encode(info), s.behind...)
}

func TestEncryptedKeysAreReadWithCare(t *testing.T) {
	const secret, password = "attack", "open"
	other := asn1.ObjectIdentifier{1, 2, 3}
	for _, tt := range []struct {
		name   string
		change func(*sealedKey)
		says   string // empty if the key is read
	}{
		{"as it should be", func(*sealedKey) {}, ""},
		{"the default hash", func(s *sealedKey) { s.prf, s.hash = nil, sha1.New }, ""},
		{"a whole block of padding", func(s *sealedKey) { s.pad = append([]byte("0123456789"), bytes.Repeat([]byte{16}, 16)...) }, ""},
		{"another scheme", func(s *sealedKey) { s.scheme = other }, "the scheme 1.2.3 is not known"},
		{"another derivation", func(s *sealedKey) { s.derivation = other }, "the key derivation 1.2.3 is not known"},
		{"another hash", func(s *sealedKey) { s.prf = other }, "the hash 1.2.3 is not known"},
		{"another cipher", func(s *sealedKey) { s.cipher = other }, "the cipher 1.2.3 is not known"},
		{"no iterations", func(s *sealedKey) { s.claimed = -1 }, "-1 iterations are out of range"},
		{"one iteration", func(s *sealedKey) { s.iterations = 1 }, ""},
		{"too many iterations", func(s *sealedKey) { s.claimed = maxKeyIterations + 1 }, "10000001 iterations are out of range"},
		{"a short vector", func(s *sealedKey) { s.iv = []byte("short") }, "wrong length"},
		{"no data", func(s *sealedKey) { s.data = []byte{} }, "wrong length"},
		{"half a block", func(s *sealedKey) { s.data = make([]byte, 24) }, "wrong length"},
		{"padding of 0", func(s *sealedKey) { s.pad = make([]byte, 10) }, "wrong password"},
		{"padding beyond a block", func(s *sealedKey) { s.pad = bytes.Repeat([]byte{17}, 10) }, "wrong password"},
		{"padding that differs", func(s *sealedKey) { s.pad = append([]byte{9}, bytes.Repeat([]byte{10}, 9)...) }, "wrong password"},
		{"a vector that is a number", func(s *sealedKey) { s.vector = []byte{2, 1, 1} }, "asn1: structure error"},
		{"a derivation that is a number", func(s *sealedKey) { s.key = []byte{2, 1, 1} }, "asn1: structure error"},
		{"parameters that are a number", func(s *sealedKey) { s.params = []byte{2, 1, 1} }, "asn1: structure error"},
		{"a file that was cut", func(s *sealedKey) { s.cut = true }, "asn1: syntax error"},
		{"something behind it", func(s *sealedKey) { s.behind = []byte{5, 0} }, "2 bytes are left over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSealedKey()
			tt.change(s)
			block, err := decryptKey(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: s.der(t, secret, password)}, password)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasPrefix(err.Error(), "decrypting the private key: ") {
					t.Errorf("err = %v, want it to say %q", err, tt.says)
				}
				return
			}
			if err != nil || block.Type != "PRIVATE KEY" || !bytes.HasPrefix(block.Bytes, []byte(secret)) {
				t.Errorf("%+v, %v", block, err)
			}
		})
	}
	s := newSealedKey()
	file := &pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: s.der(t, secret, password)}
	if _, err := decryptKey(file, ""); err != errNoPassword {
		t.Errorf("without a password: %v", err)
	}
	for _, wrong := range []string{"Open", "ope", "open!"} {
		if block, err := decryptKey(file, wrong); err == nil {
			t.Errorf("%q opens it: %q", wrong, block.Bytes)
		}
	}
	//lint:ignore SA1019 the form is insecure, and still what users have
	legacy, err := x509.EncryptPEMBlock(rand.Reader, "EC PRIVATE KEY", []byte(secret), []byte(password), x509.PEMCipherAES256)
	if err != nil {
		t.Fatal(err)
	}
	if block, err := decryptKey(legacy, password); err != nil || string(block.Bytes) != secret || block.Type != "EC PRIVATE KEY" {
		t.Errorf("the older form: %+v, %v", block, err)
	}
	legacy.Bytes = legacy.Bytes[1:]
	if block, err := decryptKey(legacy, password); err == nil || !strings.HasPrefix(err.Error(), "decrypting the private key: ") {
		t.Errorf("the older form, cut: %+v, %v", block, err)
	}
	plain := &pem.Block{Type: "PRIVATE KEY", Bytes: []byte(secret)}
	if block, err := decryptKey(plain, ""); block != plain || err != nil {
		t.Errorf("a plain key: %v, %v", block, err)
	}
}
