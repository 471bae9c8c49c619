package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// IVSize is the length of an initialization vector.
const IVSize = aes.BlockSize

// errShort reports a ciphertext that is no longer than its initialization vector.
var errShort = errors.New("encrypt: the ciphertext is too short")

// Seal appends a text encrypted under the token: the initialization vector, then the AES-256-CTR ciphertext, without an
// authentication code.
func (t Token) Seal(dst []byte, iv [IVSize]byte, plaintext []byte) []byte {
	return t.Sealer().Seal(dst, iv, plaintext)
}

// Open decrypts what Seal wrote. It can decrypt the first bytes of a ciphertext without the rest.
func (t Token) Open(ciphertext []byte) ([]byte, error) {
	if len(ciphertext) <= IVSize {
		return nil, errShort
	}
	out := make([]byte, len(ciphertext)-IVSize)
	cipher.NewCTR(t.Sealer().block, ciphertext[:IVSize]).XORKeyStream(out, ciphertext[IVSize:])
	return out, nil
}

// Sealer is a token that seals many texts. It prepares its key only once.
type Sealer struct{ block cipher.Block }

// Sealer prepares a token that seals many texts. It cannot fail, because a token has the length of a key.
func (t Token) Sealer() Sealer {
	block, err := aes.NewCipher(t[:])
	if err != nil {
		panic("encrypt: " + err.Error())
	}
	return Sealer{block}
}

// Seal does the same as the token's Seal.
func (s Sealer) Seal(dst []byte, iv [IVSize]byte, plaintext []byte) []byte {
	dst = append(dst, iv[:]...)
	start := len(dst)
	dst = append(dst, plaintext...)
	cipher.NewCTR(s.block, iv[:]).XORKeyStream(dst[start:], dst[start:])
	return dst
}
