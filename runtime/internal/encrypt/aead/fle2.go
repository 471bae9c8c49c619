package aead

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
)

var errShort = errors.New("encrypt: the ciphertext is too short")

// fle2 is what Queryable Encryption derives from a key. One goroutine uses it at a time.
type fle2 struct {
	cbc
	mac hash.Hash // nil until it is needed
	sum [sha256.Size]byte
}

// takeFLE2 prepares the key, or takes what another operation has prepared. Its user puts it back.
func (k *Key) takeFLE2() *fle2 {
	if f, ok := k.fle2.Get().(*fle2); ok {
		return f
	}
	return new(fle2)
}

// SealFLE2 appends a ciphertext of Queryable Encryption: AES-256-CBC and an authentication code.
func SealFLE2(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	f := k.takeFLE2()
	defer k.fle2.Put(f)
	if err := f.prepare(k.encFLE2()); err != nil {
		return nil, err
	}
	start := len(dst)
	dst = f.appendSealed(dst, iv, plaintext)
	return append(dst, f.code(k, aad, dst[start:])...), nil
}

// OpenFLE2 opens what SealFLE2 made.
func OpenFLE2(k *Key, aad, ciphertext []byte) ([]byte, error) {
	return AppendFLE2(nil, k, aad, ciphertext)
}

// AppendFLE2 appends what OpenFLE2 returns.
func AppendFLE2(dst []byte, k *Key, aad, ciphertext []byte) ([]byte, error) {
	f := k.takeFLE2()
	defer k.fle2.Put(f)
	body, err := f.check(k, aad, ciphertext, IVSize+aes.BlockSize)
	if err != nil {
		return nil, err
	}
	if err := f.prepare(k.encFLE2()); err != nil {
		return nil, err
	}
	return f.appendOpened(dst, body)
}

// SealFLE2v1 appends a ciphertext of the first version of the protocol: AES-256-CTR and an authentication code. Only
// the vectors still have such values.
func SealFLE2v1(dst []byte, k *Key, iv [IVSize]byte, aad, plaintext []byte) ([]byte, error) {
	if len(plaintext) == 0 {
		return nil, errEmpty
	}
	start := len(dst)
	dst, err := appendCTR(dst, k.encFLE2(), iv, plaintext)
	if err != nil {
		return nil, err
	}
	f := k.takeFLE2()
	defer k.fle2.Put(f)
	return append(dst, f.code(k, aad, dst[start:])...), nil
}

// OpenFLE2v1 opens a value of the first version of the protocol.
func OpenFLE2v1(k *Key, aad, ciphertext []byte) ([]byte, error) {
	f := k.takeFLE2()
	defer k.fle2.Put(f)
	body, err := f.check(k, aad, ciphertext, IVSize+1)
	if err != nil {
		return nil, err
	}
	return openCTR(k.encFLE2(), body)
}

func (f *fle2) check(k *Key, aad, ciphertext []byte, least int) ([]byte, error) {
	if len(ciphertext) < least+macSize {
		return nil, errShort
	}
	body, mac := ciphertext[:len(ciphertext)-macSize], ciphertext[len(ciphertext)-macSize:]
	if !hmac.Equal(mac, f.code(k, aad, body)) {
		return nil, errMAC
	}
	return body, nil
}

// code returns an authentication code, which the next call overwrites.
func (f *fle2) code(k *Key, aad, body []byte) []byte {
	mac := keyedCode(&f.mac, sha256.New, k.macFLE2())
	mac.Write(aad)
	mac.Write(body)
	return mac.Sum(f.sum[:0])
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
