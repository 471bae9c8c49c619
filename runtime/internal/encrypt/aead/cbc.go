package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// cbc encrypts and decrypts with one key, one text at a time.
type cbc struct {
	block      cipher.Block
	seal, open cipher.BlockMode // nil until they are needed
}

func (c *cbc) prepare(key []byte) (err error) {
	if c.block == nil {
		c.block, err = aes.NewCipher(key)
	}
	return err
}

// restart sets another initialization vector in a mode, because a new mode would copy the whole key schedule. crypto/tls does the
// same. It reports false if there is no mode yet, or if the mode has no such method.
func restart(mode cipher.BlockMode, iv []byte) bool {
	m, ok := mode.(interface{ SetIV(iv []byte) })
	if ok {
		m.SetIV(iv)
	}
	return ok
}

// appendSealed appends the initialization vector and the padded, encrypted text.
func (c *cbc) appendSealed(dst []byte, iv [IVSize]byte, plaintext []byte) []byte {
	dst = append(dst, iv[:]...)
	start := len(dst)
	pad := aes.BlockSize - len(plaintext)%aes.BlockSize
	dst = append(dst, plaintext...)
	for range pad {
		dst = append(dst, byte(pad))
	}
	if !restart(c.seal, dst[start-IVSize:start]) {
		c.seal = cipher.NewCBCEncrypter(c.block, dst[start-IVSize:start])
	}
	c.seal.CryptBlocks(dst[start:], dst[start:])
	return dst
}

// appendOpened appends the text of a body whose authentication code was right: a wrong padding is then a mistake of the
// program that encrypted it, and the error gives attackers no padding oracle.
func (c *cbc) appendOpened(dst, body []byte) ([]byte, error) {
	if len(body) < IVSize+aes.BlockSize || len(body)%aes.BlockSize != 0 {
		return nil, errors.New("encrypt: error, ciphertext is not a whole number of blocks")
	}
	start := len(dst)
	dst = append(dst, body[IVSize:]...)
	out := dst[start:]
	if !restart(c.open, body[:IVSize]) {
		c.open = cipher.NewCBCDecrypter(c.block, body[:IVSize])
	}
	c.open.CryptBlocks(out, out)
	pad := int(out[len(out)-1])
	if pad == 0 || pad > aes.BlockSize || pad > len(out) {
		return nil, errors.New("encrypt: error, ciphertext malformed padding")
	}
	for _, b := range out[len(out)-pad:] {
		if int(b) != pad {
			return nil, errors.New("encrypt: error, ciphertext malformed padding")
		}
	}
	return dst[:len(dst)-pad], nil
}
