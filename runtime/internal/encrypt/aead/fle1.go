package aead

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"hash"
)

// IVSize is the length of an initialization vector.
const IVSize = aes.BlockSize

// macSize is how many bytes of each authentication code are kept.
const macSize = 32

// errEmpty refuses to encrypt nothing.
var errEmpty = errors.New("encrypt: input plaintext too small: it must be more than zero bytes")

// errMAC says that a ciphertext was changed, or that it was encrypted with another key.
var errMAC = errors.New("encrypt: HMAC validation failure")

// fle1 is what client-side field level encryption derives from a key. One goroutine uses it at a time.
type fle1 struct {
	cbc
	mac, iv hash.Hash // nil until they are needed
	sum     [sha512.Size]byte
	length  [8]byte
}

// takeFLE1 prepares the key, or takes what another operation has prepared. Its user puts it back.
func (k *Key) takeFLE1() *fle1 {
	if f, ok := k.fle1.Get().(*fle1); ok {
		return f
	}
	return new(fle1)
}

// keyedCode returns the hash of an authentication code under a part of the key, reset.
func keyedCode(h *hash.Hash, newHash func() hash.Hash, key []byte) hash.Hash {
	if *h == nil {
		*h = hmac.New(newHash, key)
	} else {
		(*h).Reset()
	}
	return *h
}

// DeterministicIV is the initialization vector under which equal values become equal ciphertexts.
func (k *Key) DeterministicIV(aad, plaintext []byte) [IVSize]byte {
	f := k.takeFLE1()
	defer k.fle1.Put(f)
	mac := keyedCode(&f.iv, sha512.New, k.ivFLE1())
	mac.Write(aad)
	mac.Write(f.bits(aad))
	mac.Write(plaintext)
	return [IVSize]byte(mac.Sum(f.sum[:0]))
}

// SealFLE1 appends a wrapped data key, or a ciphertext of client-side field level encryption.
func SealFLE1(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	f := k.takeFLE1()
	defer k.fle1.Put(f)
	if err := f.prepare(k.encFLE1()); err != nil {
		return nil, err
	}
	start := len(dst)
	dst = f.appendSealed(dst, iv, plaintext)
	return append(dst, f.code(k, aad, dst[start:])...), nil
}

// OpenFLE1 opens what SealFLE1 made.
func OpenFLE1(k *Key, aad, ciphertext []byte) ([]byte, error) {
	return AppendFLE1(nil, k, aad, ciphertext)
}

// AppendFLE1 appends what OpenFLE1 returns.
func AppendFLE1(dst []byte, k *Key, aad, ciphertext []byte) ([]byte, error) {
	if len(ciphertext) < IVSize+aes.BlockSize+macSize {
		return nil, errors.New("encrypt: input ciphertext too small: it must be more than 63 bytes")
	}
	f := k.takeFLE1()
	defer k.fle1.Put(f)
	body, mac := ciphertext[:len(ciphertext)-macSize], ciphertext[len(ciphertext)-macSize:]
	if !hmac.Equal(mac, f.code(k, aad, body)) {
		return nil, errMAC
	}
	if err := f.prepare(k.encFLE1()); err != nil {
		return nil, err
	}
	return f.appendOpened(dst, body)
}

// code returns an authentication code, which the next call overwrites.
func (f *fle1) code(k *Key, aad, body []byte) []byte {
	mac := keyedCode(&f.mac, sha512.New, k.macFLE1())
	mac.Write(aad)
	mac.Write(body)
	mac.Write(f.bits(aad))
	return mac.Sum(f.sum[:0])[:macSize]
}

// bits is the length of a text in bits, as the authentication code counts it.
func (f *fle1) bits(b []byte) []byte {
	return binary.BigEndian.AppendUint64(f.length[:0], uint64(len(b))*8)
}
