package encrypt

import (
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
)

// checkValue refuses values that this algorithm cannot encrypt. Values that are encrypted deterministically are compared by their bytes,
// so there must be only one way to write each. For indexed values libmongocrypt leaves this check to the server.
func (p *Plan) checkValue(value bson.RawValue) error {
	switch value.Type {
	case bsontype.Null, bsontype.Undefined, bsontype.MinKey, bsontype.MaxKey, bsontype.Type(0):
		return fmt.Errorf("encrypt: BSON type invalid for encryption: %s", value.Type)
	case bsontype.Binary:
		if subtype, _, _ := value.BinaryOK(); subtype == bsontype.BinaryEncrypted {
			return fmt.Errorf("encrypt: BSON binary subtype 6 is invalid for encryption")
		}
	}
	switch p.algorithm {
	case deterministic:
		switch value.Type {
		case bsontype.Double, bsontype.EmbeddedDocument, bsontype.Array, bsontype.CodeWithScope, bsontype.Decimal128, bsontype.Boolean:
			return fmt.Errorf("encrypt: BSON type invalid for deterministic encryption: %s: use AlgorithmRandom", value.Type)
		}
	case ranges:
		return p.checkRangeOptions(value)
	case texts:
		if value.Type != bsontype.String {
			return fmt.Errorf("encrypt: BSON type invalid for string encryption: %s", value.Type)
		}
	}
	return nil
}

// marking returns what package payload encrypts. It names the key by its id.
func (p *Plan) marking(id bson.UUID, value bson.RawValue) ([]byte, error) {
	switch p.algorithm {
	case deterministic, random:
		dst, start := bson.AppendDocumentStart([]byte{byte(encryption.FLE1EncryptionPlaceholder)})
		dst = bson.AppendInt32Element(dst, "a", int32(p.algorithm))
		dst = bson.AppendBinaryElement(dst, "ki", bsontype.BinaryUUID, id[:])
		dst = bson.AppendRawValueElement(dst, "v", value)
		return bson.AppendDocumentEnd(dst, start), nil
	case ranges:
		return p.rangeInsertPlaceholder(id, value)
	case texts:
		return p.placeholder(id, p.intent(), 4, p.textValue(value), 0), nil
	}
	return p.placeholder(id, p.intent(), int32(p.algorithm-unindexed)+1, value, 0), nil
}

// What a placeholder is for.
const (
	toInsert = 1
	toFind   = 2
)

func (p *Plan) intent() int32 {
	if p.QueryType == queryNone {
		return toInsert
	}
	return toFind
}

// placeholder returns a placeholder of Queryable Encryption. The same key encrypts the value and derives the tokens.
func (p *Plan) placeholder(id bson.UUID, intent, algorithm int32, value bson.RawValue, sparsity int64) []byte {
	dst, start := bson.AppendDocumentStart([]byte{byte(encryption.FLE2EncryptionPlaceholder)})
	dst = bson.AppendInt32Element(dst, "t", intent)
	dst = bson.AppendInt32Element(dst, "a", algorithm)
	dst = bson.AppendBinaryElement(dst, "ki", bsontype.BinaryUUID, id[:])
	dst = bson.AppendBinaryElement(dst, "ku", bsontype.BinaryUUID, id[:])
	dst = bson.AppendRawValueElement(dst, "v", value)
	dst = bson.AppendInt64Element(dst, "cm", p.Cm)
	if sparsity != 0 {
		dst = bson.AppendInt64Element(dst, "s", sparsity)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// textValue returns the value in the placeholder of a text. For a query it has only the options of the query's type.
func (p *Plan) textValue(value bson.RawValue) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, "v", value)
	dst = bson.AppendBooleanElement(dst, "casef", !p.Text.CaseSensitive)
	dst = bson.AppendBooleanElement(dst, "diacf", !p.Text.DiacriticSensitive)
	wants := func(q queryType) bool { return p.QueryType == queryNone || p.QueryType == q }
	if o := p.Text.Prefix; o != nil && wants(queryPrefix) {
		dst = appendBounds(dst, "prefix", 0, o.StrMaxQueryLength, o.StrMinQueryLength)
	}
	if o := p.Text.Suffix; o != nil && wants(querySuffix) {
		dst = appendBounds(dst, "suffix", 0, o.StrMaxQueryLength, o.StrMinQueryLength)
	}
	if o := p.Text.Substring; o != nil && wants(querySubstring) {
		dst = appendBounds(dst, "substr", o.StrMaxLength, o.StrMaxQueryLength, o.StrMinQueryLength)
	}
	return documentValue(bson.AppendDocumentEnd(dst, start))
}

func appendBounds(dst []byte, name string, length, most, least int32) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, name)
	if length > 0 {
		dst = bson.AppendInt32Element(dst, "mlen", length)
	}
	dst = bson.AppendInt32Element(dst, "ub", most)
	dst = bson.AppendInt32Element(dst, "lb", least)
	return bson.AppendDocumentEnd(dst, start)
}

// documentValue returns a document as a value.
func documentValue(raw bson.Raw) bson.RawValue {
	return bson.RawValue{Type: bsontype.EmbeddedDocument, Value: raw}
}

// doubleValue returns a double as a value.
func doubleValue(f float64) bson.RawValue {
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendDoubleElement(dst, "", f)
	return bson.Raw(bson.AppendDocumentEnd(dst, start)).Lookup("")
}

// sparsityOf returns the sparsity in range options, or its default.
func sparsityOf(o *options.Range) int64 {
	if o.Sparsity == nil {
		return 2
	}
	return *o.Sparsity
}
