package payload

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// errMalformed is a value that is none of the layouts.
var errMalformed = errors.New("encrypt: malformed ciphertext")

// Stored is an encrypted value as it lies in a document.
type Stored struct {
	Kind  encryption.Payload
	KeyID bson.UUID // of the index where there is one, else of the user
	Type  bson.Type // of the value inside

	// Of values without an index, and of client-side field level encryption: what stands under the key.
	ciphertext []byte

	// Of indexed values: the part that the server encrypted once more, and one block for each tag.
	server []byte
	blocks []byte
}

// header is the first byte, the id of a key and the type of the value.
const header = 1 + 16 + 1

// blockSize is the length of a metadata block: an encrypted count, a tag, and encrypted zeros.
const blockSize = 96

// Parse takes an encrypted value apart. The result shares its bytes. Kinds that a driver does not open are an error.
func Parse(value []byte) (*Stored, error) {
	if len(value) < header+1 {
		return nil, errMalformed
	}
	s := &Stored{Kind: encryption.Payload(value[0]), KeyID: bson.UUID(value[1:17]), Type: bson.Type(value[17])}
	rest := value[header:]
	switch s.Kind {
	case encryption.FLE1DeterministicEncryptedValue, encryption.FLE1RandomEncryptedValue,
		encryption.FLE2UnindexedEncryptedValue, encryption.FLE2UnindexedEncryptedValueV2:
		s.ciphertext = rest
		return s, nil
	case encryption.FLE2IndexedEqualityEncryptedValueV2:
		return s.split(rest, 1)
	case encryption.FLE2IndexedRangeEncryptedValueV2:
		return s.split(rest[1:], uint64(rest[0]))
	case encryption.FLE2IndexedTextEncryptedValue:
		if len(rest) < 12 {
			return nil, errMalformed
		}
		count := uint64(binary.LittleEndian.Uint32(rest))
		within := uint64(binary.LittleEndian.Uint32(rest[4:])) + uint64(binary.LittleEndian.Uint32(rest[8:]))
		if count == 0 || within > count-1 {
			return nil, errMalformed
		}
		return s.split(rest[12:], count)
	}
	return nil, fmt.Errorf("encrypt: a driver does not open a value whose first byte is %d", value[0])
}

// split separates what the server encrypted from the blocks behind it.
func (s *Stored) split(rest []byte, blocks uint64) (*Stored, error) {
	if blocks == 0 || blocks > uint64(len(rest))/blockSize {
		return nil, errMalformed
	}
	at := len(rest) - int(blocks)*blockSize
	if at <= aead.IVSize {
		return nil, errMalformed
	}
	s.server, s.blocks = rest[:at], rest[at:]
	return s, nil
}

// Indexed reports whether the value has an index, so that it takes two keys to open it.
func (s *Stored) Indexed() bool { return s.server != nil }

// Blocks are the metadata blocks, one for each tag in __safeContent__.
func (s *Stored) Blocks() [][]byte {
	var out [][]byte
	for rest := s.blocks; len(rest) > 0; rest = rest[blockSize:] {
		out = append(out, rest[:blockSize:blockSize])
	}
	return out
}

// UserKeyID is the id of the key under which the value itself is encrypted. That of an indexed value is known only with
// the key of the index.
func (s *Stored) UserKeyID(index *aead.Key) (bson.UUID, error) {
	if !s.Indexed() {
		return s.KeyID, nil
	}
	if len(s.server) <= aead.IVSize+16 {
		return bson.UUID{}, errMalformed
	}
	// The cipher is a stream: the first bytes open without the others.
	id, err := aead.OpenToken(encryption.ServerDataEncryptionLevel1Token(index.TokenKey()), s.server[:aead.IVSize+16])
	if err != nil {
		return bson.UUID{}, err
	}
	return bson.UUID(id), nil
}

// client is what the client encrypted: the id of its key, and the ciphertext.
func (s *Stored) client(index *aead.Key) ([]byte, error) {
	client, err := aead.OpenToken(encryption.ServerDataEncryptionLevel1Token(index.TokenKey()), s.server)
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
func (s *Stored) Open(index, user *aead.Key) (bson.RawValue, error) {
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
		plaintext, err = aead.OpenFLE2(user, aad, s.ciphertext)
	case s.Kind == encryption.FLE2UnindexedEncryptedValue:
		plaintext, err = aead.OpenFLE2v1(user, aad, s.ciphertext)
	default:
		plaintext, err = aead.OpenFLE1(user, aad, s.ciphertext)
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
	if err := bson.Raw(doc).Validate(); err != nil {
		return bson.RawValue{}, fmt.Errorf("encrypt: what was decrypted is no value of type %s: %w", t, err)
	}
	v := bson.Raw(doc).Lookup("")
	if v.Type != t || len(v.Value) != len(value) {
		return bson.RawValue{}, fmt.Errorf("encrypt: what was decrypted is not one value of type %s", t)
	}
	return v, nil
}
