package bson

import (
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// EncryptionMarking marks a value that is to be encrypted. Exactly one of KeyID and KeyAltName names the data key.
type EncryptionMarking struct {
	Value      RawValue
	Algorithm  EncryptedKind // EncryptedDeterministic or EncryptedRandomized
	KeyID      *UUID
	KeyAltName string
}

// ParseEncryptionMarking reads the data of a binary value of subtype 6 that holds a marking. Value of the result
// aliases it.
func ParseEncryptionMarking(data []byte) (EncryptionMarking, error) {
	var m EncryptionMarking
	if len(data) == 0 || EncryptedKind(data[0]) != EncryptedMarking {
		return m, encryptedErrorf("not a marking")
	}
	doc := Raw(data[1:])
	if err := doc.Validate(); err != nil {
		return m, encryptedErrorf("marking: %v", err)
	}
	for key, v := range doc.All() {
		if err := m.set(key, v); err != nil {
			return EncryptionMarking{}, err
		}
	}
	return m, m.validate()
}

// set takes one field of Binary Encrypted, "Type 0: Intent-to-encrypt marking".
func (m *EncryptionMarking) set(key string, v RawValue) error {
	ok := true
	switch key {
	case form.MarkingValue:
		m.Value = v
	case form.MarkingAlgorithm:
		var a int32
		a, ok = v.Int32OK()
		m.Algorithm = EncryptedKind(a)
		ok = ok && a == int32(m.Algorithm) // of one byte; validate looks at the rest
	case form.MarkingKeyID:
		var id UUID
		ok = id.DecodeBSONValue(v) == nil
		m.KeyID = &id
	case form.MarkingKeyAltName:
		m.KeyAltName, ok = v.StringOK()
	}
	if !ok {
		return encryptedErrorf("field %q of the marking has the wrong type %v", key, v.Type)
	}
	return nil
}

func (m *EncryptionMarking) validate() error {
	switch {
	case m.Value.IsZero():
		return encryptedErrorf("the marking has no value")
	case !m.Algorithm.isAlgorithm():
		return encryptedErrorf("the marking has no algorithm")
	case (m.KeyID == nil) == (m.KeyAltName == ""):
		return encryptedErrorf("the marking needs either a key identifier or a key name")
	}
	return nil
}

// Binary returns the marking as a binary value of subtype 6, in a copy.
func (m EncryptionMarking) Binary() (Binary, error) {
	if err := m.validate(); err != nil {
		return Binary{}, err
	}
	data, start := AppendDocumentStart([]byte{byte(EncryptedMarking)})
	data = AppendRawValueElement(data, form.MarkingValue, m.Value)
	data = AppendInt32Element(data, form.MarkingAlgorithm, int32(m.Algorithm))
	if m.KeyID != nil {
		data = AppendBinaryElement(data, form.MarkingKeyID, bsontype.BinaryUUID, m.KeyID[:])
	} else {
		data = AppendStringElement(data, form.MarkingKeyAltName, m.KeyAltName)
	}
	return Binary{Subtype: bsontype.BinaryEncrypted, Data: AppendDocumentEnd(data, start)}, nil
}
