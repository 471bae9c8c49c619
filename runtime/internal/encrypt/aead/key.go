package aead

import (
	"crypto/rand"
	"fmt"

	"github.com/specdrivers/onion/generated/core/encryption"
)

// KeySize is the length of a data key, and of a local master key.
const KeySize = 96

// Key is a data key or a master key. Its text never shows what is in it.
type Key [KeySize]byte

// NewKey copies key material.
func NewKey(material []byte) (*Key, error) {
	if len(material) != KeySize {
		return nil, fmt.Errorf("encrypt: decrypted key is incorrect length, expected: %d, got: %d", KeySize, len(material))
	}
	return (*Key)(append([]byte(nil), material...)), nil
}

// RandomKey makes a key.
func RandomKey() *Key {
	k := new(Key)
	rand.Read(k[:]) // it never fails
	return k
}

// Wipe overwrites the key.
func (k *Key) Wipe() { clear(k[:]) }

// String hides the key from every way of printing it.
func (*Key) String() string { return "[a key]" }

// GoString hides the key from %#v.
func (*Key) GoString() string { return "[a key]" }

// Format hides the key from the verbs that look at bytes.
func (*Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[a key]")) }

// MarshalText hides the key from encoders.
func (*Key) MarshalText() ([]byte, error) { return []byte("[a key]"), nil }

// TokenKey is the part from which the tokens of Queryable Encryption derive.
func (k *Key) TokenKey() encryption.TokenKey { return encryption.TokenKey(k[64:]) }

// Of client-side field level encryption.
func (k *Key) macFLE1() []byte { return k[:32] }
func (k *Key) encFLE1() []byte { return k[32:64] }
func (k *Key) ivFLE1() []byte  { return k[64:] }

// Of Queryable Encryption.
func (k *Key) encFLE2() []byte { return k[:32] }
func (k *Key) macFLE2() []byte { return k[32:64] }
