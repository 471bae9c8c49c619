package encrypted

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// SafeContent is the field that holds the tags of a document.
const SafeContent = "__safeContent__"

// Schema is what a server needs to know about a collection's encrypted fields.
type Schema struct {
	DB, Name  string
	ESC, ECOC string // the state collections
	Fields    []Field
}

// Field is an encrypted field.
type Field struct {
	Path    string
	Type    bsontype.Type // 0 for any
	Indexed bool
}

// field finds an encrypted field by its path.
func (s *Schema) field(path string) (Field, bool) {
	i := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Path == path })
	if i < 0 {
		return Field{}, false
	}
	return s.Fields[i], true
}

// NewSchema reads the encryptedFields of a collection.
func NewSchema(db, name string, fields bson.Raw) (*Schema, error) {
	s := &Schema{DB: db, Name: name, ESC: "enxcol_." + name + ".esc", ECOC: "enxcol_." + name + ".ecoc"}
	for key, v := range fields.All() {
		switch key {
		case "escCollection":
			s.ESC = value.Text(v)
		case "ecocCollection":
			s.ECOC = value.Text(v)
		case "fields":
			for _, e := range value.Elements(v) {
				f, err := newField(e)
				if err != nil {
					return nil, err
				}
				s.Fields = append(s.Fields, f)
			}
		}
	}
	return s, nil
}

func newField(v bson.RawValue) (Field, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return Field{}, status.WrongType("encryptedFields.fields", v, "object")
	}
	f := Field{Path: value.Text(d.Lookup("path")), Indexed: !d.Lookup("queries").IsZero()}
	if name := d.Lookup("bsonType"); !name.IsZero() {
		for t := range bsontype.Type(0xff) {
			if t.String() == value.Text(name) {
				f.Type = t
			}
		}
	}
	return f, nil
}

// Information reads encryptionInformation: the schemas of the collections that a command works on.
func Information(d bson.Raw) ([]*Schema, error) {
	if n, ok := d.Lookup("type").AsInt64OK(); !ok || n != 1 {
		return nil, status.Errorf(errcode.BadValue, "BSON field 'EncryptionInformation.type' must be 1")
	}
	schemas, ok := d.Lookup("schema").DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location40414, "BSON field 'EncryptionInformation.schema' is missing but a required field")
	}
	var out []*Schema
	for ns, v := range schemas.All() {
		fields, ok := v.DocumentOK()
		db, name, dotted := strings.Cut(ns, ".")
		if !ok || !dotted {
			return nil, status.WrongType("EncryptionInformation.schema."+ns, v, "object")
		}
		s, err := NewSchema(db, name, fields)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Of returns a collection's schema among several, or nil.
func Of(schemas []*Schema, db, name string) *Schema {
	for _, s := range schemas {
		if s.DB == db && s.Name == name {
			return s
		}
	}
	return nil
}
