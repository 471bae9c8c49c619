package kms

import (
	"fmt"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// masterKey is the master key that encrypts a data key.
type masterKey struct {
	kmstable.Provider
	id     string
	fields values
}

// ParseMasterKey checks the document of a master key in the key vault, and returns the name of its provider.
func ParseMasterKey(doc bson.Raw) (provider string, err error) {
	m, err := parseStored(doc)
	if err != nil {
		return "", err
	}
	return m.id, nil
}

// parseStored reads the document of a master key in the key vault.
func parseStored(doc bson.Raw) (*masterKey, error) {
	id, ok := doc.Lookup("provider").StringOK()
	if !ok {
		return nil, fmt.Errorf("encrypt: the master key: expected UTF-8 provider")
	}
	return parseMasterKey(id, doc, true)
}

// parseMasterKey reads the document of a master key for a provider. Only a stored document has a field provider.
func parseMasterKey(id string, doc bson.Raw, stored bool) (*masterKey, error) {
	row, _, err := parseID(id)
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	for key, value := range doc.All() {
		if key == "provider" && stored {
			continue
		}
		given[key] = plainValue(value)
	}
	if names := requiredFields(row); len(given) == 0 && len(names) > 0 && !stored {
		return nil, fmt.Errorf("encrypt: the master key of %s is missing: set MasterKey to a document with %s",
			id, strings.Join(names, ", "))
	}
	m := &masterKey{Provider: row, id: id}
	if m.fields, err = parseFields(row.MasterKey, row.AnyHost, given); err != nil {
		return nil, fmt.Errorf("encrypt: the master key of %s: %w", id, err)
	}
	return m, nil
}

// requiredFields lists the fields that every master key of a provider has.
func requiredFields(row kmstable.Provider) (names []string) {
	for _, f := range row.MasterKey {
		if !f.Optional {
			names = append(names, f.Name)
		}
	}
	return names
}

// plainValue converts a value to a type that parseFields accepts. Values of other types stay as they are, and parseFields refuses them
// by their type.
func plainValue(value bson.RawValue) any {
	switch value.Type {
	case bsontype.String:
		text, _ := value.StringOK()
		return text
	case bsontype.Boolean:
		flag, _ := value.BooleanOK()
		return flag
	}
	return value
}

// document returns the master key as it is stored: the provider, and the fields that are set, in the order of the table.
func (m *masterKey) document() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "provider", m.id)
	for _, f := range m.MasterKey {
		if text, ok := m.fields.text[f.Name]; ok {
			dst = bson.AppendStringElement(dst, f.Name, text)
		}
		if m.fields.flags[f.Name] { // a flag that is false is left out
			dst = bson.AppendBooleanElement(dst, f.Name, true)
		}
	}
	return bson.AppendDocumentEnd(dst, start)
}

// endpoint returns the endpoint in a field of the master key or in the provider's settings, or else the default host.
func (m *masterKey) endpoint(field string, otherwise string) (endpoint, error) {
	text := m.fields.text[field]
	if text == "" {
		text = otherwise
	}
	return parseEndpoint(text, m.AnyHost, m.Port)
}
