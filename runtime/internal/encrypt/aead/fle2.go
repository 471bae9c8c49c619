package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
)

var errShort = errors.New("encrypt: the ciphertext is too short")

// SealFLE2 appends a ciphertext of Queryable Encryption: AES-256-CBC and an authentication code.
func SealFLE2(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	start := len(dst)
	block, err := aes.NewCipher(k.encFLE2())
	if err != nil {
		return nil, err
	}
	dst = appendCBC(dst, block, iv, plaintext)
	return append(dst, macFLE2(k, aad, dst[start:])...), nil
}

// OpenFLE2 opens what SealFLE2 made.
func OpenFLE2(k *Key, aad, ciphertext []byte) ([]byte, error) {
	body, err := checkFLE2(k, aad, ciphertext, IVSize+aes.BlockSize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(k.encFLE2())
	if err != nil {
		return nil, err
	}
	return openCBC(block, body)
}

// SealFLE2v1 appends a ciphertext of the first version of the protocol: AES-256-CTR and an authentication code. Nothing
// sends these any more; the vectors have them.
func SealFLE2v1(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	start := len(dst)
	dst, err := appendCTR(dst, k.encFLE2(), iv, plaintext)
	if err != nil {
		return nil, err
	}
	return append(dst, macFLE2(k, aad, dst[start:])...), nil
}

// OpenFLE2v1 opens a value of the first version of the protocol.
func OpenFLE2v1(k *Key, aad, ciphertext []byte) ([]byte, error) {
	body, err := checkFLE2(k, aad, ciphertext, IVSize+1)
	if err != nil {
		return nil, err
	}
	return openCTR(k.encFLE2(), body)
}

func checkFLE2(k *Key, aad, ciphertext []byte, least int) ([]byte, error) {
	if len(ciphertext) < least+macSize {
		return nil, errShort
	}
	body, mac := ciphertext[:len(ciphertext)-macSize], ciphertext[len(ciphertext)-macSize:]
	if !hmac.Equal(mac, macFLE2(k, aad, body)) {
		return nil, errMAC
	}
	return body, nil
}

func macFLE2(k *Key, aad, body []byte) []byte {
	mac := hmac.New(sha256.New, k.macFLE2())
	mac.Write(aad)
	mac.Write(body)
	return mac.Sum(nil)
}

func appendCTR(dst, key []byte, iv [IVSize]byte, plaintext []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	dst = append(dst, iv[:]...)
	start := len(dst)
	dst = append(dst, plaintext...)
	cipher.NewCTR(block, iv[:]).XORKeyStream(dst[start:], dst[start:])
	return dst, nil
}

func openCTR(key, body []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(body)-IVSize)
	cipher.NewCTR(block, body[:IVSize]).XORKeyStream(out, body[IVSize:])
	return out, nil
}
