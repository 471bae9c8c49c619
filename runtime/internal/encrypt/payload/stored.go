package payload

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// errMalformed reports a value that fits none of the layouts.
var errMalformed = sealed.ErrMalformed

// Stored is an encrypted value as a document holds it.
type Stored struct {
	sealed.Stored[encryption.Payload]
}

// Parse splits an encrypted value into its parts. The result shares its bytes. A kind that a driver does not open is an
// error.
func Parse(value []byte) (*Stored, error) {
	s, err := sealed.ParseStored[encryption.Payload](value)
	if err != nil {
		return nil, err
	}
	return &Stored{s}, nil
}

// UserKeyID returns the id of the key under which the value itself is encrypted. For an indexed value this takes the key of the
// index.
func (s *Stored) UserKeyID(index *aead.Key) (bson.UUID, error) {
	if !s.Indexed() {
		return s.KeyID, nil
	}
	if len(s.Ciphertext) <= aead.IVSize+16 {
		return bson.UUID{}, errMalformed
	}
	id, err := encryption.ServerDataEncryptionLevel1Token(index.TokenKey()).Open(s.Ciphertext[:aead.IVSize+16])
	if err != nil {
		return bson.UUID{}, err
	}
	return bson.UUID(id), nil
}

// client returns what the client encrypted: the id of its key, and the ciphertext.
func (s *Stored) client(index *aead.Key) ([]byte, error) {
	client, err := encryption.ServerDataEncryptionLevel1Token(index.TokenKey()).Open(s.Ciphertext)
	if err != nil {
		return nil, err
	}
	if len(client) <= 16 {
		return nil, errMalformed
	}
	return client, nil
}

// Open decrypts the value. index is the key with the id KeyID, which only indexed values need; user is the key with
// the id UserKeyID.
func (s *Stored) Open(index, user *aead.Key) (bson.RawValue, error) {
	out, err := appendWhole(nil, s.Type, func(dst []byte) ([]byte, error) { return s.append(dst, index, user) })
	if err != nil {
		return bson.RawValue{}, err
	}
	return bson.RawValue{Type: s.Type, Value: out}, nil
}

// append appends the bytes of the value.
func (s *Stored) append(dst []byte, index, user *aead.Key) ([]byte, error) {
	var head [sealed.Header]byte
	aad := append(append(append(head[:0], byte(s.Kind)), s.KeyID[:]...), byte(s.Type))
	switch {
	case s.Indexed():
		client, err := s.client(index)
		if err != nil {
			return nil, err
		}
		return aead.AppendFLE2(dst, user, client[:16], client[16:])
	case s.Kind == encryption.FLE2UnindexedEncryptedValueV2:
		return aead.AppendFLE2(dst, user, aad, s.Ciphertext)
	case s.Kind == encryption.FLE2UnindexedEncryptedValue:
		plaintext, err := aead.OpenFLE2v1(user, aad, s.Ciphertext)
		return append(dst, plaintext...), err
	}
	return aead.AppendFLE1(dst, user, aad, s.Ciphertext)
}

// appendWhole appends the bytes of a value, which must be exactly one of the type.
func appendWhole(dst []byte, t bson.Type, value func(dst []byte) ([]byte, error)) ([]byte, error) {
	start := len(dst)
	dst, err := value(dst)
	if err != nil {
		return nil, err
	}
	// A document that holds only the value is appended after it, and dropped once it has been checked.
	end := len(dst)
	dst, _ = bson.AppendDocumentStart(dst)
	dst = append(bson.AppendHeader(dst, t, ""), dst[start:end]...)
	dst = bson.AppendDocumentEnd(dst, end)
	doc := bson.Raw(dst[end:])
	if doc.Validate() != nil { // its error could show keys that were encrypted
		return nil, fmt.Errorf("encrypt: the decrypted bytes are not a value of type %s", t)
	}
	v := doc.Lookup("")
	if v.Type != t || len(v.Value) != end-start {
		return nil, fmt.Errorf("encrypt: the decrypted bytes are not exactly one value of type %s", t)
	}
	clear(doc)
	return dst[:end], nil
}
