package bson

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// EncryptedKind is the first byte of a binary value of subtype 6, which says what the rest is.
type EncryptedKind byte

// Binary Encrypted, "Specification". The two kinds of ciphertext are also the two algorithms.
const (
	EncryptedMarking       EncryptedKind = 0 // a value in plain text that asks to be encrypted, never stored
	EncryptedDeterministic EncryptedKind = 1 // AEAD_AES_CBC_HMAC_SHA512, equal values have equal ciphertexts
	EncryptedRandomized    EncryptedKind = 2 // AEAD_AES_CBC_HMAC_SHA512, equal values have different ciphertexts
)

// ErrInvalidEncrypted is matched (errors.Is) by errors about data that is not a valid value of binary subtype 6, or not
// of the requested kind.
var ErrInvalidEncrypted = errors.New("invalid encrypted value")

// Ciphertext is an encrypted value as the server stores it.
type Ciphertext struct {
	Algorithm    EncryptedKind // EncryptedDeterministic or EncryptedRandomized
	KeyID        UUID          // the _id of the data key
	OriginalType bsontype.Type // the type of the value before it was encrypted
	Data         []byte        // begins with the initialization vector
}

// ciphertextHeader is the kind, the key's identifier and the original type.
const ciphertextHeader = form.CiphertextValueAt

// ParseCiphertext reads the data of a binary value of subtype 6 that holds a ciphertext. Data of the result aliases it.
func ParseCiphertext(data []byte) (Ciphertext, error) {
	if len(data) < ciphertextHeader {
		return Ciphertext{}, encryptedErrorf("%d bytes are too few: %d bytes precede the ciphertext", len(data), ciphertextHeader)
	}
	c := Ciphertext{
		Algorithm:    EncryptedKind(data[form.CiphertextSubtypeAt]),
		KeyID:        UUID(data[form.CiphertextKeyIDAt:form.CiphertextTypeAt]),
		OriginalType: bsontype.Type(data[form.CiphertextTypeAt]),
		Data:         data[ciphertextHeader:],
	}
	return c, c.validate()
}

func (c *Ciphertext) validate() error {
	// Binary Encrypted, "Security Implication": a marking must never pass for a ciphertext.
	if !c.Algorithm.isAlgorithm() {
		return encryptedErrorf("kind %d is not a ciphertext", c.Algorithm)
	}
	if !c.OriginalType.IsValid() {
		return encryptedErrorf("original type 0x%02x is unknown", byte(c.OriginalType))
	}
	return nil
}

func (k EncryptedKind) isAlgorithm() bool {
	return k == EncryptedDeterministic || k == EncryptedRandomized
}

// Binary returns the ciphertext as a binary value of subtype 6, in a copy.
func (c Ciphertext) Binary() (Binary, error) {
	if err := c.validate(); err != nil {
		return Binary{}, err
	}
	data := append(make([]byte, 0, ciphertextHeader+len(c.Data)), byte(c.Algorithm))
	data = append(append(data, c.KeyID[:]...), byte(c.OriginalType))
	return Binary{Subtype: bsontype.BinaryEncrypted, Data: append(data, c.Data...)}, nil
}

func encryptedErrorf(format string, args ...any) error {
	return fmt.Errorf("bson: %w: %s", ErrInvalidEncrypted, fmt.Sprintf(format, args...))
}
