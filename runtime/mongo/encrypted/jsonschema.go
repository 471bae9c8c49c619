package encrypted

import (
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// JSONSchema returns the schema in the form for options.AutoEncryption.SchemaMap, and for the $jsonSchema of a validator.
// keys maps alternate names to the IDs of data keys, and must have every name that [Schema.Keys] lists. An error names
// every field that is wrong.
func (s Schema) JSONSchema(keys map[string]bson.UUID) (bson.Raw, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	root := &level{}
	var wrong []error
	for i := range s {
		wrong = append(wrong, s[i].checkJSONSchema(keys))
		root.place(&s[i], s[i].Path)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	doc, start := bson.AppendDocumentStart(nil)
	out := bson.Raw(bson.AppendDocumentEnd(root.append(doc, keys), start))
	if _, err := queryanalysis.FromJSONSchema(out, false); err != nil {
		return nil, err
	}
	return out, nil
}

// checkJSONSchema finds what a field lacks.
func (f *Field) checkJSONSchema(keys map[string]bson.UUID) error {
	deterministic := f.Algorithm == options.AlgorithmDeterministic
	id, pointer := f.describeKey()
	_, known := keys[f.Key]
	switch {
	case f.isQueryable():
		return f.errorf("is for Queryable Encryption, which a JSON schema does not describe: use EncryptedFields, or the " +
			"algorithm deterministic or random")
	case !deterministic && f.Algorithm != options.AlgorithmRandom:
		return f.errorf("has the unknown algorithm %q: use options.AlgorithmDeterministic or options.AlgorithmRandom", f.Algorithm)
	case f.Key == "":
		return f.errorf("names no data key: %s", f.remedy("key=<name>", "Key"))
	case deterministic && f.Type == "":
		return f.errorf("has no BSON type, which deterministic encryption needs: %s", f.remedy("type=<BSON type>", "Type"))
	case deterministic && pointer:
		return f.errorf("takes the name of its key from the document, which deterministic encryption cannot: " +
			"use random, or name the key itself")
	case id == nil && !pointer && !known:
		return f.errorf("has the data key %q, whose id is not among those given: create the key with "+
			"ClientEncryption.CreateDataKey, or look it up with GetKeyByAltName", f.Key)
	}
	return nil
}

// level is a document with encrypted fields in it, in the order of the schema.
type level struct {
	names  []string
	fields []*Field // an entry is nil if the value is a document
	inner  []*level
}

func (l *level) place(f *Field, path string) {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		l.names, l.fields, l.inner = append(l.names, name), append(l.fields, f), append(l.inner, nil)
		return
	}
	for i, known := range l.names {
		if known == name && l.inner[i] != nil {
			l.inner[i].place(f, rest)
			return
		}
	}
	inner := &level{}
	inner.place(f, rest)
	l.names, l.fields, l.inner = append(l.names, name), append(l.fields, nil), append(l.inner, inner)
}

func (l *level) append(dst []byte, keys map[string]bson.UUID) []byte {
	dst = bson.AppendStringElement(dst, encryption.FieldBSONType, "object")
	dst, properties := bson.AppendDocumentElementStart(dst, "properties")
	for i, name := range l.names {
		var property int
		dst, property = bson.AppendDocumentElementStart(dst, name)
		if l.inner[i] != nil {
			dst = l.inner[i].append(dst, keys)
		} else {
			dst = l.fields[i].appendEncrypt(dst, keys)
		}
		dst = bson.AppendDocumentEnd(dst, property)
	}
	return bson.AppendDocumentEnd(dst, properties)
}

// appendEncrypt appends the keyword encrypt.
func (f *Field) appendEncrypt(dst []byte, keys map[string]bson.UUID) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "encrypt")
	if id, pointer := f.describeKey(); pointer {
		dst = bson.AppendStringElement(dst, encryption.FieldKeyID, f.Key)
	} else {
		if id == nil {
			known := keys[f.Key]
			id = &known
		}
		var list int
		dst, list = bson.AppendArrayElementStart(dst, encryption.FieldKeyID)
		dst = bson.AppendBinaryElement(dst, "0", bsontype.BinaryUUID, id[:])
		dst = bson.AppendDocumentEnd(dst, list)
	}
	if f.Type != "" {
		dst = bson.AppendStringElement(dst, encryption.FieldBSONType, f.Type)
	}
	dst = bson.AppendStringElement(dst, encryption.FieldAlgorithm, f.Algorithm)
	return bson.AppendDocumentEnd(dst, start)
}
