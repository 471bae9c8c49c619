package payload

import (
	"encoding/binary"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// errMalformed is a value that is none of the layouts.
var errMalformed = encryption.ErrMalformed

// Stored is an encrypted value as it lies in a document.
type Stored struct{ encryption.Stored }

// Parse takes an encrypted value apart. The result shares its bytes. Kinds that a driver does not open are an error.
func Parse(value []byte) (*Stored, error) {
	s, err := encryption.ParseStored(value)
	if err != nil {
		return nil, err
	}
	return &Stored{s}, nil
}

// UserKeyID is the id of the key under which the value itself is encrypted. That of an indexed value is known only with
// the key of the index.
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

// client is what the client encrypted: the id of its key, and the ciphertext.
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

// Open decrypts the value. index is the key with the id KeyID, which counts for indexed values alone; user is the key with
// the id UserKeyID.
func (s *Stored) Open(index, user *aead.Key) (bson.RawValue, error) { return s.open(index, user, nil) }

func (s *Stored) open(index, user *aead.Key, known prepared) (bson.RawValue, error) {
	var plaintext []byte
	var err error
	aad := append([]byte{byte(s.Kind)}, s.KeyID[:]...)
	aad = append(aad, byte(s.Type))
	switch {
	case s.Indexed():
		var client []byte
		if client, err = s.client(index); err == nil {
			plaintext, err = aead.OpenFLE2(user, client[:16], client[16:])
		}
	case s.Kind == encryption.FLE2UnindexedEncryptedValueV2:
		plaintext, err = aead.OpenFLE2(user, aad, s.Ciphertext)
	case s.Kind == encryption.FLE2UnindexedEncryptedValue:
		plaintext, err = aead.OpenFLE2v1(user, aad, s.Ciphertext)
	default:
		plaintext, err = known.fle1(user).Open(aad, s.Ciphertext)
	}
	if err != nil {
		return bson.RawValue{}, err
	}
	return whole(s.Type, plaintext)
}

// whole makes a value of a type and its bytes; nothing may be left over.
func whole(t bson.Type, value []byte) (bson.RawValue, error) {
	doc := make([]byte, 4, 4+2+len(value)+1)
	doc = append(doc, byte(t), 0)
	doc = append(doc, value...)
	doc = append(doc, 0)
	binary.LittleEndian.PutUint32(doc, uint32(len(doc)))
	if bson.Raw(doc).Validate() != nil { // which would tell keys that were encrypted
		return bson.RawValue{}, fmt.Errorf("encrypt: what was decrypted is no value of type %s", t)
	}
	v := bson.Raw(doc).Lookup("")
	if v.Type != t || len(v.Value) != len(value) {
		return bson.RawValue{}, fmt.Errorf("encrypt: what was decrypted is not one value of type %s", t)
	}
	return v, nil
}
