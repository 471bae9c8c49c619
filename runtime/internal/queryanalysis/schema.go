package queryanalysis

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Mode is a family of encryption.
type Mode uint8

// The families of encryption.
const (
	None  Mode = iota
	CSFLE      // client-side field level encryption, by a JSON schema
	QE         // Queryable Encryption, by encryptedFields
)

// Schema says which fields of one collection are encrypted. Compile it once for each collection; it does not change. A nil
// Schema is one without encrypted fields.
type Schema struct {
	mode Mode
	tree *schema.Node
}

// FromJSONSchema compiles a JSON schema, the value of $jsonSchema in a validator or of a schema map. A remote one comes from the
// server, and may use keywords that a local one may not. The schema's error is the error of every command on its collection.
func FromJSONSchema(doc bson.Raw, remote bool) (*Schema, error) {
	tree, err := schema.FromJSONSchema(doc, remote)
	if err != nil {
		return nil, err
	}
	return &Schema{CSFLE, tree}, nil
}

// FromEncryptedFields compiles encryptedFields. Each field that is to be marked needs its keyId: replace a keyAltName first.
func FromEncryptedFields(doc bson.Raw) (*Schema, error) {
	tree, err := schema.FromEncryptedFields(doc)
	if err != nil {
		return nil, err
	}
	return &Schema{QE, tree}, nil
}

// Mode returns the family of the schema, None if it encrypts no field.
func (s *Schema) Mode() Mode {
	if s == nil || s.tree == nil {
		return None
	}
	return s.mode
}

func (s *Schema) node() *schema.Node {
	if s == nil {
		return nil
	}
	return s.tree
}

// Schemas are the schemas of one database's collections, by name. A collection without encrypted fields has a nil Schema; a
// collection that is absent is not known, and a command that needs it is refused.
type Schemas map[string]*Schema
