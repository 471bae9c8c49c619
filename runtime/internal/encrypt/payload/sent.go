package payload

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// ParseInsert finds the parts of a value on its way to the server that a driver can open again: the id of the user's key
// and the ciphertext in field v, and the type in field t. Kinds are the payloads of both versions of the protocol.
func ParseInsert(value []byte) (*Insert, error) {
	if !isInsert(value) {
		return nil, errMalformed
	}
	kind := encryption.Payload(value[0])
	doc := bson.Raw(value[1:])
	if err := doc.Validate(); err != nil {
		return nil, err
	}
	t, ok := doc.Lookup("t").AsInt64OK()
	_, v, isBinary := doc.Lookup("v").BinaryOK()
	if !ok || !isBinary || len(v) <= 16 || t < 0 || t > 0xff {
		return nil, errMalformed
	}
	return &Insert{Kind: kind, KeyID: bson.UUID(v[:16]), Type: bson.Type(t), ciphertext: v[16:]}, nil
}

// Insert is a value that a driver inserts into an indexed field.
type Insert struct {
	Kind       encryption.Payload
	KeyID      bson.UUID
	Type       bson.Type
	ciphertext []byte
}

// Open decrypts the value with the key that it names.
func (i *Insert) Open(user *aead.Key) (bson.RawValue, error) {
	out, err := appendWhole(nil, i.Type, func(dst []byte) ([]byte, error) { return i.append(dst, user) })
	if err != nil {
		return bson.RawValue{}, err
	}
	return bson.RawValue{Type: i.Type, Value: out}, nil
}

// append appends the bytes of the value.
func (i *Insert) append(dst []byte, user *aead.Key) ([]byte, error) {
	if i.Kind == encryption.FLE2InsertUpdatePayload {
		plaintext, err := aead.OpenFLE2v1(user, i.KeyID[:], i.ciphertext)
		return append(dst, plaintext...), err
	}
	return aead.AppendFLE2(dst, user, i.KeyID[:], i.ciphertext)
}

// isInsert reports whether a value is on its way to the server, of either version of the protocol.
func isInsert(value []byte) bool {
	if len(value) == 0 {
		return false
	}
	kind := encryption.Payload(value[0])
	return kind == encryption.FLE2InsertUpdatePayloadV2 || kind == encryption.FLE2InsertUpdatePayload
}
