package aead

import (
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson/emitted/sealed"
)

// KeySize is the length of a data key, and of a local master key.
const KeySize = 96

// Key is a data key or a master key. Printing it never shows its bytes. It is safe for concurrent use, except for Wipe.
type Key struct {
	material [KeySize]byte

	// fle1 and fle2 keep what is derived from the key between operations: the key schedule of the cipher, and the states of the
	// authentication codes. Making them is half the cost of a short value. The standard library has no way to overwrite them, so
	// Wipe drops them and leaves them to the garbage collector.
	fle1, fle2 sync.Pool
}

// NewKey copies key material.
func NewKey(material []byte) (*Key, error) {
	if len(material) != KeySize {
		return nil, fmt.Errorf("encrypt: decrypted key is incorrect length, expected: %d, got: %d", KeySize, len(material))
	}
	return &Key{material: [KeySize]byte(material)}, nil
}

// RandomKey makes a key.
func RandomKey() *Key {
	k := new(Key)
	rand.Read(k.material[:]) // it never fails
	return k
}

// Wipe overwrites the key. The key must not be in use at the same time.
func (k *Key) Wipe() {
	clear(k.material[:])
	k.fle1, k.fle2 = sync.Pool{}, sync.Pool{}
}

// Material is the key itself, which shares its bytes with k.
func (k *Key) Material() []byte { return k.material[:] }

// String hides the key from every way of printing it.
func (*Key) String() string { return "[a key]" }

// GoString hides the key from %#v.
func (*Key) GoString() string { return "[a key]" }

// Format hides the key from the verbs that look at bytes.
func (*Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[a key]")) }

// MarshalText hides the key from encoders.
func (*Key) MarshalText() ([]byte, error) { return []byte("[a key]"), nil }

// TokenKey is the part from which the tokens of Queryable Encryption derive.
func (k *Key) TokenKey() sealed.TokenKey { return sealed.TokenKey(k.material[64:]) }

// Of client-side field level encryption.
func (k *Key) macFLE1() []byte { return k.material[:32] }
func (k *Key) encFLE1() []byte { return k.material[32:64] }
func (k *Key) ivFLE1() []byte  { return k.material[64:] }

// Of Queryable Encryption.
func (k *Key) encFLE2() []byte { return k.material[:32] }
func (k *Key) macFLE2() []byte { return k.material[32:64] }
