package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// appendCBC appends the initialization vector and the padded, encrypted text.
func appendCBC(dst []byte, block cipher.Block, iv [IVSize]byte, plaintext []byte) []byte {
	dst = append(dst, iv[:]...)
	start := len(dst)
	pad := aes.BlockSize - len(plaintext)%aes.BlockSize
	dst = append(dst, plaintext...)
	for range pad {
		dst = append(dst, byte(pad))
	}
	cipher.NewCBCEncrypter(block, iv[:]).CryptBlocks(dst[start:], dst[start:])
	return dst
}

// openCBC opens a body whose authentication code was right: a wrong padding is then a mistake of whoever encrypted it, and
// no oracle.
func openCBC(block cipher.Block, body []byte) ([]byte, error) {
	if len(body) < IVSize+aes.BlockSize || len(body)%aes.BlockSize != 0 {
		return nil, errors.New("encrypt: error, ciphertext is not a whole number of blocks")
	}
	out := make([]byte, len(body)-IVSize)
	cipher.NewCBCDecrypter(block, body[:IVSize]).CryptBlocks(out, body[IVSize:])
	pad := int(out[len(out)-1])
	if pad == 0 || pad > aes.BlockSize || pad > len(out) {
		return nil, errors.New("encrypt: error, ciphertext malformed padding")
	}
	for _, b := range out[len(out)-pad:] {
		if int(b) != pad {
			return nil, errors.New("encrypt: error, ciphertext malformed padding")
		}
	}
	return out[:len(out)-pad], nil
}
