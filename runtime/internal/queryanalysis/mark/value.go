package mark

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// check refuses a value that the field cannot hold.
func check(v bson.RawValue, f *schema.Field, operator string) error {
	if subtype, _, ok := v.BinaryOK(); ok && subtype == bsontype.BinaryEncrypted {
		return refusal.Text(operator, f.Path, analysis.EncryptedAlready())
	}
	if f.Takes(v.Type) {
		return nil
	}
	because := "a field with this encryption cannot hold it"
	if len(f.Types) > 0 {
		because = "schema requires that type is one of: [ " + strings.Join(f.Types, ", ") + " ]"
	}
	return refusal.Text(operator, f.Path, analysis.CannotEncryptElement(v.Type.String(), because))
}

// AppendStored appends a placeholder for a value that is written into a document.
func (m *Marker) AppendStored(dst []byte, key string, v bson.RawValue, f *schema.Field, operator string) ([]byte, error) {
	if err := check(v, f, operator); err != nil {
		return dst, err
	}
	if !f.Queryable() {
		return m.appendMarking(dst, key, v, f)
	}
	return m.appendPlaceholder(dst, key, forInsert, f, func(dst []byte) []byte {
		switch f.Kind {
		case analysis.KindRange:
			return appendRangeInsert(dst, v, f)
		case analysis.KindText:
			return appendText(dst, v, f, nil)
		}
		return bson.AppendRawValueElement(dst, "v", v)
	})
}

// AppendCompared appends a placeholder for a value that an encrypted field is compared with for equality.
func (m *Marker) AppendCompared(dst []byte, key string, v bson.RawValue, f *schema.Field, operator string) ([]byte, error) {
	if err := m.refuseIncomparable(v, f, operator); err != nil {
		return dst, err
	}
	if err := check(v, f, operator); err != nil {
		return dst, err
	}
	if f.Kind == analysis.KindDeterministic {
		return m.appendMarking(dst, key, v, f)
	}
	return m.appendPlaceholder(dst, key, forFind, f, func(dst []byte) []byte { return bson.AppendRawValueElement(dst, "v", v) })
}

// refuseIncomparable refuses what no encrypted field can be compared with.
func (m *Marker) refuseIncomparable(v bson.RawValue, f *schema.Field, operator string) error {
	switch {
	case m.Refuse:
		return refusal.Text(operator, f.Path, analysis.ComparisonNotSupported())
	case f.Kind == analysis.KindRandom:
		return refusal.Text(operator, f.Path, analysis.RandomizedQuery())
	case f.Kind == analysis.KindUnindexed:
		return refusal.New(operator, f.Path, "cannot query an encrypted field without queries in encryptedFields")
	case v.Type == bsontype.Regex:
		return refusal.Text(operator, f.Path, analysis.RegexPredicate())
	case v.Type == bsontype.Null && (operator == analysis.OpIn || operator == analysis.OpNin):
		return refusal.Text(operator, f.Path, analysis.NullInside())
	case v.Type == bsontype.Null:
		return refusal.Text(operator, f.Path, analysis.NullPredicate())
	case m.Collated && (v.Type == bsontype.String || v.Type == bsontype.Symbol):
		return refusal.New(operator, f.Path, "a collation cannot apply to an encrypted text")
	}
	return nil
}
