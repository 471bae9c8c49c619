package aead

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
)

// IVSize is the length of an initialization vector.
const IVSize = aes.BlockSize

// macSize is what is kept of each authentication code.
const macSize = 32

// errEmpty refuses to encrypt nothing.
var errEmpty = errors.New("encrypt: input plaintext too small: it must be more than zero bytes")

// errMAC says that a ciphertext was changed, or that the key is another one.
var errMAC = errors.New("encrypt: HMAC validation failure")

// DeterministicIV is the initialization vector under which equal values become equal ciphertexts.
func DeterministicIV(k *Key, aad, plaintext []byte) [IVSize]byte {
	mac := hmac.New(sha512.New, k.ivFLE1())
	mac.Write(aad)
	mac.Write(bits(aad))
	mac.Write(plaintext)
	return [IVSize]byte(mac.Sum(nil))
}

// SealFLE1 appends a ciphertext of client-side field level encryption, or a wrapped data key, which has no aad.
func SealFLE1(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	start := len(dst)
	dst, err := appendCBC(dst, k.encFLE1(), iv, plaintext)
	if err != nil {
		return nil, err
	}
	return append(dst, macFLE1(k, aad, dst[start:])...), nil
}

// OpenFLE1 opens what SealFLE1 made.
func OpenFLE1(k *Key, aad, ciphertext []byte) ([]byte, error) {
	if len(ciphertext) < IVSize+aes.BlockSize+macSize {
		return nil, errors.New("encrypt: input ciphertext too small: it must be more than 63 bytes")
	}
	body, mac := ciphertext[:len(ciphertext)-macSize], ciphertext[len(ciphertext)-macSize:]
	if !hmac.Equal(mac, macFLE1(k, aad, body)) {
		return nil, errMAC
	}
	return openCBC(k.encFLE1(), body)
}

func macFLE1(k *Key, aad, body []byte) []byte {
	mac := hmac.New(sha512.New, k.macFLE1())
	mac.Write(aad)
	mac.Write(body)
	mac.Write(bits(aad))
	return mac.Sum(nil)[:macSize]
}

// bits is the length of a text in bits, as the authentication code counts it.
func bits(b []byte) []byte { return binary.BigEndian.AppendUint64(nil, uint64(len(b))*8) }
