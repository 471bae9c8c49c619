package key

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// Document is a data key as the key vault stores it.
//
// Client Side Encryption, "Key vault collection schema for data keys".
type Document struct {
	ID       bson.UUID
	AltNames []string
	Material []byte // the encrypted key
	Created  time.Time
	Updated  time.Time
	Status   int64
	Master   bson.Raw // the master key
}

// Parse reads the document of a data key. Material and Master share its bytes.
func Parse(raw bson.Raw) (*Document, error) {
	if err := raw.Validate(); err != nil {
		return nil, fmt.Errorf("encrypt: invalid key: %w", err)
	}
	d := &Document{}
	var has fields
	for name, value := range raw.All() {
		if err := d.set(&has, name, value); err != nil {
			return nil, err
		}
	}
	return d, has.checkMissing()
}

// fields records which of the required fields a document has.
type fields struct{ id, material, created, updated, status, master bool }

func (f fields) checkMissing() error {
	for _, field := range []struct {
		name string
		has  bool
	}{
		{"_id", f.id}, {encryption.FieldKeyMaterial, f.material}, {encryption.FieldMasterKey, f.master}, {encryption.FieldStatus, f.status},
		{encryption.FieldCreationDate, f.created}, {encryption.FieldUpdateDate, f.updated},
	} {
		if !field.has {
			return fmt.Errorf("encrypt: invalid key, no '%s'", field.name)
		}
	}
	return nil
}

func (d *Document) set(has *fields, name string, value bson.RawValue) error {
	var ok bool
	switch name {
	case "_id":
		var subtype byte
		var data []byte
		if subtype, data, ok = value.BinaryOK(); ok && subtype == bsontype.BinaryUUID && len(data) == len(d.ID) {
			d.ID, has.id = bson.UUID(data), true
		} else {
			ok = false
		}
	case "version":
		var version int64
		if version, ok = value.AsInt64OK(); ok && version != 0 {
			return errors.New("encrypt: unsupported key document version, only supports version=0")
		}
	case encryption.FieldKeyAltNames:
		var err error
		if d.AltNames, err = altNames(value); err != nil {
			return err
		}
		ok = true
	case encryption.FieldKeyMaterial:
		_, d.Material, ok = value.BinaryOK()
		has.material = ok
	case encryption.FieldCreationDate:
		d.Created, ok = value.TimeOK()
		has.created = ok
	case encryption.FieldUpdateDate:
		d.Updated, ok = value.TimeOK()
		has.updated = ok
	case encryption.FieldStatus:
		d.Status, _ = value.AsInt64OK() // it has no meaning yet, and libmongocrypt accepts any type
		ok, has.status = true, true
	case encryption.FieldMasterKey:
		d.Master, ok = value.DocumentOK()
		has.master = ok
	default:
		return fmt.Errorf("encrypt: invalid key, unrecognized field '%s'", name)
	}
	if !ok {
		return fmt.Errorf("encrypt: invalid key, '%s' has the wrong type", name)
	}
	return nil
}

func altNames(value bson.RawValue) ([]string, error) {
	list, ok := value.ArrayOK()
	if !ok {
		return nil, errors.New("encrypt: invalid key, 'keyAltNames' has the wrong type")
	}
	var out []string
	for _, item := range list.All() {
		name, ok := item.StringOK()
		if !ok {
			return nil, errors.New("encrypt: invalid key, 'keyAltNames' has an item that is not a string")
		}
		out = append(out, name)
	}
	return out, CheckAltNames(out)
}

// CheckAltNames refuses a name that occurs twice.
func CheckAltNames(names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return errors.New("encrypt: duplicate keyAltNames found")
		}
	}
	return nil
}

// Raw returns the document as it is stored.
func (d *Document) Raw() bson.Raw {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "_id", bsontype.BinaryUUID, d.ID[:])
	if len(d.AltNames) > 0 {
		var list int
		dst, list = bson.AppendArrayElementStart(dst, encryption.FieldKeyAltNames)
		for i, name := range d.AltNames {
			dst = bson.AppendStringElement(dst, fmt.Sprint(i), name)
		}
		dst = bson.AppendDocumentEnd(dst, list)
	}
	dst = bson.AppendBinaryElement(dst, encryption.FieldKeyMaterial, bsontype.BinaryGeneric, d.Material)
	dst = bson.AppendDateTimeElement(dst, encryption.FieldCreationDate, d.Created.UnixMilli())
	dst = bson.AppendDateTimeElement(dst, encryption.FieldUpdateDate, d.Updated.UnixMilli())
	dst = bson.AppendInt32Element(dst, encryption.FieldStatus, int32(d.Status))
	dst = bson.AppendDocumentElement(dst, encryption.FieldMasterKey, d.Master)
	return bson.AppendDocumentEnd(dst, start)
}
