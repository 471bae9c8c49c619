package kms

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/kmstable"
)

// provider is a provider with the settings that the options have for it.
type provider struct {
	kmstable.Provider
	id       string // its name in the options: the name of the provider, perhaps followed by a colon and a name of its own
	fields   values
	onDemand bool // the settings are empty: the machine supplies the credentials
}

// accessTokenField is the one setting of a provider whose program fetches tokens itself.
const accessTokenField = "accessToken"

// parseProvider reads the settings of one provider.
func parseProvider(id string, settings map[string]any) (*provider, error) {
	row, named, err := parseID(id)
	if err != nil {
		return nil, err
	}
	p := &provider{Provider: row, id: id}
	if len(settings) == 0 && row.OnDemand {
		if named {
			return nil, fmt.Errorf(
				"encrypt: unexpected empty document for named KMS provider: '%s': "+
					"on-demand credentials are not supported for named KMS providers",
				id)
		}
		p.onDemand = true
		return p, nil
	}
	fields := row.Settings
	if _, ok := settings[accessTokenField]; ok && row.Token {
		fields = []kmstable.Field{{Name: accessTokenField}}
	}
	if p.fields, err = parseFields(fields, row.AnyHost, settings); err != nil {
		return nil, fmt.Errorf("encrypt: settings of the KMS provider %s: %w", id, err)
	}
	return p, nil
}

// parseID splits the name of a provider in the options. Names are compared as a whole.
func parseID(id string) (row kmstable.Provider, named bool, err error) {
	kind, name, named := strings.Cut(id, ":")
	row, ok := kmstable.ByName(kind)
	if !ok {
		return row, named, errors.New(
			"encrypt: unrecognized KMS provider: the names are aws, azure, gcp, kmip and local, perhaps with a colon and a name")
	}
	if named && (name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "") {
		return row, named, fmt.Errorf(
			"encrypt: the name of a KMS provider %s has characters other than letters, digits and underscores", kind)
	}
	return row, named, nil
}

// values are the fields of a provider's settings or of a master key.
type values struct {
	text  map[string]string // endpoints included
	bytes map[string][]byte
	flags map[string]bool
}

// parseFields reads the fields that a table row lists, and refuses others. No error quotes a text of the program: it may be a
// secret in the wrong place.
func parseFields(fields []kmstable.Field, anyHost bool, given map[string]any) (values, error) {
	out := values{map[string]string{}, map[string][]byte{}, map[string]bool{}}
	rest := maps.Clone(given)
	for _, f := range fields {
		value, ok := rest[f.Name]
		delete(rest, f.Name)
		if !ok {
			if !f.Optional {
				return out, fmt.Errorf("expected UTF-8 %s: it is missing", f.Name)
			}
			continue
		}
		if err := out.set(f, anyHost, value); err != nil {
			return out, err
		}
	}
	if len(rest) > 0 {
		return out, unexpectedFields(fields)
	}
	return out, nil
}

// unexpectedFields returns the error for an unknown field. It lists the fields that are allowed.
func unexpectedFields(fields []kmstable.Field) error {
	if len(fields) == 0 {
		return errors.New("unexpected field: this document has no fields")
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return fmt.Errorf("unexpected field: the fields are %s", strings.Join(names, ", "))
}

func (v values) set(f kmstable.Field, anyHost bool, value any) error {
	switch f.Type {
	case kmstable.Boolean:
		flag, ok := value.(bool)
		if !ok {
			return fmt.Errorf("expected boolean %s", f.Name)
		}
		v.flags[f.Name] = flag
	case kmstable.Bytes:
		b, err := parseMaterial(value)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		if f.Size > 0 && len(b) != f.Size {
			return fmt.Errorf("%s must be %d bytes, not %d", f.Name, f.Size, len(b))
		}
		v.bytes[f.Name] = b
	case kmstable.Text, kmstable.Endpoint:
		text, ok := value.(string)
		if !ok {
			return fmt.Errorf("expected UTF-8 %s", f.Name)
		}
		if text == "" {
			return fmt.Errorf("unexpected empty string for %s", f.Name)
		}
		if f.Type == kmstable.Endpoint {
			if _, err := parseEndpoint(text, anyHost, 0); err != nil {
				return err
			}
		}
		v.text[f.Name] = text
	}
	return nil
}

// parseMaterial copies key material: a byte slice, a binary value, or base64. No error quotes it.
func parseMaterial(value any) ([]byte, error) {
	switch v := value.(type) {
	case []byte:
		return slices.Clone(v), nil
	case bson.Binary:
		return slices.Clone(v.Data), nil
	case string:
		b, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, errors.New("the text is not base64")
		}
		return b, nil
	}
	return nil, fmt.Errorf("expected bytes or base64, not %T", value)
}
