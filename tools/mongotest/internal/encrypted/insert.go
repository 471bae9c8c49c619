package encrypted

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// inserter replaces payloads with stored values and collects their tags.
type inserter struct {
	*Schema
	state Writer
	tags  []bson.RawValue
}

// Insert returns a document in its stored form, with its tags, and counts its values in the state collections.
func (s *Schema) Insert(doc bson.Raw, state Writer) (bson.Raw, error) {
	if !doc.Lookup(SafeContent).IsZero() {
		return nil, errSafeContent()
	}
	in := &inserter{Schema: s, state: state}
	out, err := in.storeDocument(doc, "")
	if err != nil || len(in.tags) == 0 {
		return out, err
	}
	return replaceTags(out, in.tags), nil
}

func errSafeContent() error {
	return status.Errorf(6666200, "Cannot modify %s field in document.", SafeContent)
}

// replaceTags replaces the tags of a document, or adds them as its last field.
func replaceTags(doc bson.Raw, tags []bson.RawValue) bson.Raw {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)+48*len(tags)))
	found := false
	for key, v := range doc.All() {
		if key == SafeContent {
			v, found = value.ArrayOf(tags...), true
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	if !found {
		dst = bson.AppendRawValueElement(dst, SafeContent, value.ArrayOf(tags...))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// storeDocument replaces the payloads of a document. at is its path followed by a dot, or empty.
func (in *inserter) storeDocument(doc bson.Raw, at string) (bson.Raw, error) {
	dst, start := bson.AppendDocumentStart(make([]byte, 0, len(doc)))
	for key, v := range doc.All() {
		var err error
		switch kind, data := parsePayload(v); {
		case v.Type == bsontype.EmbeddedDocument || v.Type == bsontype.Array:
			var inner bson.Raw
			inner, err = in.storeDocument(bson.Raw(v.Value), at+key+".")
			v.Value = inner
		case kind == encryption.FLE2InsertUpdatePayloadV2:
			v, err = in.storePayload(at+key, data)
		}
		if err != nil {
			return nil, err
		}
		dst = bson.AppendRawValueElement(dst, key, v)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

// parsePayload parses an encrypted value. A value that is not encrypted has kind 255.
func parsePayload(v bson.RawValue) (encryption.Payload, []byte) {
	subtype, data, ok := v.BinaryOK()
	if !ok || subtype != bsontype.BinaryEncrypted || len(data) == 0 {
		return 255, nil
	}
	return encryption.Payload(data[0]), data
}

// storePayload stores one value: it counts each token and adds its tag to the document.
func (in *inserter) storePayload(path string, data []byte) (bson.RawValue, error) {
	if f, ok := in.field(path); !ok || !f.Indexed {
		return bson.RawValue{}, status.Errorf(6373601, "Field '%s' is encrypted, but absent from schema", path)
	}
	p, err := encryption.ParseInsertUpdate(data)
	if err != nil {
		return bson.RawValue{}, status.Errorf(errcode.BadValue, "the payload of field '%s' cannot be read: %v", path, err)
	}
	s := sealed.Stored[encryption.Payload]{
		Kind: encryption.FLE2IndexedEqualityEncryptedValueV2, KeyID: p.IndexKeyID, Type: bsontype.Type(p.Type),
	}
	sets := []encryption.TokenSet{{EDC: p.EDC, ESC: p.ESC, Server: p.Server, ECOC: p.ECOC}}
	switch {
	case p.Text != nil:
		s.Kind = encryption.FLE2IndexedTextEncryptedValue
		s.Substrings, s.Suffixes = uint32(len(p.Text.Substrings)), uint32(len(p.Text.Suffixes))
		sets = append([]encryption.TokenSet{p.Text.Exact}, p.Text.Substrings...)
		sets = append(append(sets, p.Text.Suffixes...), p.Text.Prefixes...)
	case p.Edges != nil:
		s.Kind, sets = encryption.FLE2IndexedRangeEncryptedValueV2, p.Edges
		if len(sets) == 0 || len(sets) > 255 {
			return bson.RawValue{}, status.Errorf(errcode.BadValue, "a range has %d edges", len(sets))
		}
	}
	s.Ciphertext = p.ServerEncryption.Seal(nil, newIV(), p.Value)
	for _, set := range sets {
		if err := in.storeSet(&s, path, set, p.Contention); err != nil {
			return bson.RawValue{}, err
		}
	}
	return value.Binary(bsontype.BinaryEncrypted, s.Append(nil)), nil
}

// storeSet counts one edge or text, and adds its block and its tag.
func (in *inserter) storeSet(s *sealed.Stored[encryption.Payload], path string, set encryption.TokenSet, contention int64) error {
	c := in.counter(in.state, set.ESC)
	count := c.position().count + 1
	id := c.tag.Position(count)
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "_id", bsontype.BinaryGeneric, id[:])
	if err := in.state.Insert(in.DB, in.ESC, bson.AppendDocumentEnd(dst, start)); err != nil {
		return err
	}
	dst, start = bson.AppendDocumentStart(nil)
	dst = bson.AppendObjectIDElement(dst, "_id", bson.NewObjectID())
	dst = bson.AppendStringElement(dst, "fieldName", path)
	dst = bson.AppendBinaryElement(dst, "value", bsontype.BinaryGeneric, set.ECOC)
	if err := in.state.Insert(in.DB, in.ECOC, bson.AppendDocumentEnd(dst, start)); err != nil {
		return err
	}
	tag := encryption.EDCTwiceDerivedToken(set.EDC).Tag(count)
	counts, zeros := encryption.ServerCountAndContentionFactorEncryptionToken(set.Server), encryption.ServerZerosEncryptionToken(set.Server)
	s.AddBlock(counts, zeros, tag, count, contention, [2][sealed.IVSize]byte{newIV(), newIV()})
	in.tags = append(in.tags, value.Binary(bsontype.BinaryGeneric, tag[:]))
	return nil
}
