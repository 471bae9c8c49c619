package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"hash"
)

// IVSize is the length of an initialization vector.
const IVSize = aes.BlockSize

// macSize is what is kept of each authentication code.
const macSize = 32

// errEmpty refuses to encrypt nothing.
var errEmpty = errors.New("encrypt: input plaintext too small: it must be more than zero bytes")

// errMAC says that a ciphertext was changed, or that the key is another one.
var errMAC = errors.New("encrypt: HMAC validation failure")

// FLE1 encrypts and decrypts with one key for client-side field level encryption. It keeps what follows from the key, so that each
// value after the first costs less. It is for one goroutine and one operation: nothing wipes what it keeps.
type FLE1 struct {
	key     *Key
	block   cipher.Block
	mac, iv hash.Hash // nil until they are needed
}

// NewFLE1 prepares a key, which must not change meanwhile.
func NewFLE1(k *Key) *FLE1 { return &FLE1{key: k} }

// keyed is an authentication code under a part of the key, at its beginning.
func keyed(h *hash.Hash, key []byte) hash.Hash {
	if *h == nil {
		*h = hmac.New(sha512.New, key)
	} else {
		(*h).Reset()
	}
	return *h
}

func (f *FLE1) cipher() (block cipher.Block, err error) {
	if f.block == nil {
		f.block, err = aes.NewCipher(f.key.encFLE1())
	}
	return f.block, err
}

// DeterministicIV is the initialization vector under which equal values become equal ciphertexts.
func (f *FLE1) DeterministicIV(aad, plaintext []byte) [IVSize]byte {
	var sum [sha512.Size]byte
	mac := keyed(&f.iv, f.key.ivFLE1())
	mac.Write(aad)
	mac.Write(appendBits(sum[:0], aad))
	mac.Write(plaintext)
	return [IVSize]byte(mac.Sum(sum[:0]))
}

// Seal appends a ciphertext.
func (f *FLE1) Seal(dst []byte, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	block, err := f.cipher()
	if err != nil {
		return nil, err
	}
	start := len(dst)
	dst = appendCBC(dst, block, iv, plaintext)
	return f.appendMAC(dst, aad, dst[start:])[:len(dst)+macSize], nil
}

// Open opens what Seal made.
func (f *FLE1) Open(aad, ciphertext []byte) ([]byte, error) {
	if len(ciphertext) < IVSize+aes.BlockSize+macSize {
		return nil, errors.New("encrypt: input ciphertext too small: it must be more than 63 bytes")
	}
	body, mac := ciphertext[:len(ciphertext)-macSize], ciphertext[len(ciphertext)-macSize:]
	var sum [sha512.Size]byte
	if !hmac.Equal(mac, f.appendMAC(sum[:0], aad, body)[:macSize]) {
		return nil, errMAC
	}
	block, err := f.cipher()
	if err != nil {
		return nil, err
	}
	return openCBC(block, body)
}

// appendMAC appends an authentication code, of which the first macSize bytes are kept.
func (f *FLE1) appendMAC(dst []byte, aad, body []byte) []byte {
	var length [8]byte
	mac := keyed(&f.mac, f.key.macFLE1())
	mac.Write(aad)
	mac.Write(body)
	mac.Write(appendBits(length[:0], aad))
	return mac.Sum(dst)
}

// appendBits appends the length of a text in bits, as the authentication code counts it.
func appendBits(dst, b []byte) []byte { return binary.BigEndian.AppendUint64(dst, uint64(len(b))*8) }

// SealFLE1 appends a wrapped data key, or a ciphertext of client-side field level encryption.
func SealFLE1(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	return NewFLE1(k).Seal(dst, iv, aad, plaintext)
}

// OpenFLE1 opens what SealFLE1 made.
func OpenFLE1(k *Key, aad, ciphertext []byte) ([]byte, error) {
	return NewFLE1(k).Open(aad, ciphertext)
}
