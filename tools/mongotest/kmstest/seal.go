package kmstest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
)

// magic is the prefix of everything that the server wraps.
var magic = []byte("kmstest\x00")

var errForeign = errors.New("the ciphertext was not made here")

// keyCipher returns the cipher of a provider's key.
func (s *Server) keyCipher(provider, key string) cipher.AEAD {
	sum := sha256.Sum256(append(s.seal[:], provider+"\x00"+key...))
	return must(cipher.NewGCM(must(aes.NewCipher(sum[:]))))
}

// wrap encrypts a data key. The result contains the name of the key.
func (s *Server) wrap(provider, key string, plaintext []byte) []byte {
	gcm := s.keyCipher(provider, key)
	nonce := make([]byte, gcm.NonceSize())
	must(rand.Read(nonce))
	out := append(bytes.Clone(magic), byte(len(key)>>8), byte(len(key)))
	out = append(append(out, key...), nonce...)
	return gcm.Seal(out, nonce, plaintext, out[:len(magic)+2+len(key)])
}

// unwrap decrypts a data key and returns the name of the key that wrapped it. For anything that the server did not
// wrap, it returns the data key of [Foreign].
func (s *Server) unwrap(provider string, wrapped []byte) (plaintext []byte, key string, err error) {
	rest, ours := bytes.CutPrefix(wrapped, magic)
	if !ours || len(rest) < 2 {
		if foreign := s.foreign[provider]; foreign != nil {
			return foreign, "", nil
		}
		return nil, "", errForeign
	}
	n := int(rest[0])<<8 | int(rest[1])
	if len(rest) < 2+n {
		return nil, "", errForeign
	}
	key, rest = string(rest[2:2+n]), rest[2+n:]
	gcm := s.keyCipher(provider, key)
	if len(rest) < gcm.NonceSize() {
		return nil, "", errForeign
	}
	nonce, rest := rest[:gcm.NonceSize()], rest[gcm.NonceSize():]
	plaintext, err = gcm.Open(nil, nonce, rest, wrapped[:len(magic)+2+n])
	return plaintext, key, err
}
