package payload

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// errEncryptedTwice refuses to encrypt a value that is already encrypted.
var errEncryptedTwice = errors.New("encrypt: BSON binary subtype 6 is invalid for encryption")

// checkType refuses values of types that a kind of encryption does not take.
func checkType(kind analysis.Kind, v bson.RawValue) error {
	if subtype, _, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
		return errEncryptedTwice
	}
	switch {
	case kind.Takes(v.Type.String()):
		return nil
	case kind == analysis.KindDeterministic && analysis.KindRandom.Takes(v.Type.String()):
		return fmt.Errorf("encrypt: BSON type invalid for deterministic encryption: %s: use AlgorithmRandom", v.Type)
	}
	return fmt.Errorf("encrypt: BSON type invalid for encryption: %s", v.Type)
}

// kindOf returns the kind of encryption that a marking asks for.
func kindOf(m bson.EncryptionMarking) analysis.Kind {
	if encryption.Payload(m.Algorithm) == encryption.FLE1DeterministicEncryptedValue {
		return analysis.KindDeterministic
	}
	return analysis.KindRandom
}
