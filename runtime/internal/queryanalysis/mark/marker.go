package mark

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// Marker writes the placeholders of one command. The zero Marker is ready.
type Marker struct {
	Count    int   // of placeholders written
	Payload  int32 // the number of the next range
	Collated bool  // the command compares texts by a collation
	Refuse   bool  // nothing may be compared with an encrypted field
	Inserts  bool  // the command inserts

	root bson.Raw // of the document that is marked: where JSON pointers lead
}

// purpose is what a placeholder of Queryable Encryption is for.
type purpose int32

const (
	forInsert purpose = 1
	forFind   purpose = 2
)

// algorithms are the numbers of the kinds of encryption: in markings of client-side field level encryption, and in placeholders of
// Queryable Encryption.
var algorithms = [...]int32{
	analysis.KindDeterministic: 1,
	analysis.KindRandom:        2,
	analysis.KindUnindexed:     1,
	analysis.KindEquality:      2,
	analysis.KindRange:         3,
	analysis.KindText:          4,
}

// start opens a binary element of subtype 6 with its first byte; end closes it.
func start(dst []byte, key string, kind encryption.Payload) (out []byte, length, doc int) {
	dst = bson.AppendHeader(dst, bsontype.Binary, key)
	length = len(dst)
	dst = append(dst, 0, 0, 0, 0, bsontype.BinaryEncrypted, byte(kind))
	dst, doc = bson.AppendDocumentStart(dst)
	return dst, length, doc
}

func end(dst []byte, length, doc int) []byte {
	dst = bson.AppendDocumentEnd(dst, doc)
	binary.LittleEndian.PutUint32(dst[length:], uint32(len(dst)-length-5))
	return dst
}

// appendMarking appends a marking of client-side field level encryption.
func (m *Marker) appendMarking(dst []byte, key string, v bson.RawValue, f *schema.Field) ([]byte, error) {
	out, length, doc := start(dst, key, encryption.FLE1EncryptionPlaceholder)
	out = bson.AppendInt32Element(out, "a", algorithms[f.Kind])
	if f.KeyPath == nil {
		out = bson.AppendBinaryElement(out, "ki", bsontype.BinaryUUID, f.KeyID[:])
	} else {
		name, err := m.readKeyName(f)
		if err != nil {
			return dst, err
		}
		out = bson.AppendStringElement(out, "ka", name)
	}
	out = bson.AppendRawValueElement(out, "v", v)
	m.Count++
	return end(out, length, doc), nil
}

// readKeyName reads the name of a key from the document that is marked.
func (m *Marker) readKeyName(f *schema.Field) (string, error) {
	if m.root == nil {
		return "", refusal.Text("", f.Path, analysis.PointerNotSupported())
	}
	name, ok := m.root.Lookup(f.KeyPath...).StringOK()
	if !ok || name == "" {
		return "", refusal.New("", f.Path, "the document has no string at the path in the schema's keyId")
	}
	return name, nil
}

// appendPlaceholder appends a placeholder of Queryable Encryption around the value that value appends.
func (m *Marker) appendPlaceholder(dst []byte, key string, p purpose, f *schema.Field, value func([]byte) []byte) ([]byte, error) {
	if f.KeyID == nil {
		return dst, refusal.New("", f.Path, "encryptedFields do not name a keyId")
	}
	dst, length, doc := start(dst, key, encryption.FLE2EncryptionPlaceholder)
	dst = bson.AppendInt32Element(dst, "t", int32(p))
	dst = bson.AppendInt32Element(dst, "a", algorithms[f.Kind])
	dst = bson.AppendBinaryElement(dst, "ki", bsontype.BinaryUUID, f.KeyID[:])
	dst = bson.AppendBinaryElement(dst, "ku", bsontype.BinaryUUID, f.KeyID[:])
	dst = value(dst)
	dst = bson.AppendInt64Element(dst, "cm", f.Contention)
	if f.Kind == analysis.KindRange {
		dst = bson.AppendInt64Element(dst, "s", f.Sparsity)
	}
	m.Count++
	return end(dst, length, doc), nil
}
