package encrypt

import (
	"errors"
	"fmt"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
)

// checkRangeOptions checks the options of a range against the type of a value.
//
// Client Side Encryption, "rangeOpts".
func (p *Plan) checkRangeOptions(value bson.RawValue) error {
	switch value.Type {
	case bsontype.Int32, bsontype.Int64, bsontype.DateTime:
		if p.Range.Precision != nil {
			return fmt.Errorf("encrypt: expected 'precision' to be set with double or decimal128 index, but got: %s", value.Type)
		}
		if p.Min.IsZero() {
			return errors.New("encrypt: range option 'min' is required for the type of the value")
		}
		if p.Max.IsZero() {
			return errors.New("encrypt: range option 'max' is required for the type of the value")
		}
	case bsontype.Double, bsontype.Decimal128:
		set := !p.Min.IsZero()
		if set == p.Max.IsZero() || set != (p.Range.Precision != nil) {
			return errors.New("encrypt: min, max, and precision must all be set or must all be unset")
		}
	default:
		return fmt.Errorf("encrypt: BSON type invalid for range encryption: %s", value.Type)
	}
	for _, bound := range []struct {
		name  string
		value bson.RawValue
	}{{"min", p.Min}, {"max", p.Max}} {
		if !bound.value.IsZero() && bound.value.Type != value.Type {
			return fmt.Errorf("encrypt: expected matching '%s' and value type, got %s and %s", bound.name, bound.value.Type, value.Type)
		}
	}
	if p.Range.Precision != nil && *p.Range.Precision < 0 {
		return errors.New("encrypt: 'precision' must be non-negative")
	}
	return nil
}

// boundsOf returns the least and the greatest value of an index, from the options or from the type.
func (p *Plan) boundsOf(t bsontype.Type) (least, most bson.RawValue) {
	if !p.Min.IsZero() {
		return p.Min, p.Max
	}
	if t == bsontype.Double {
		return doubleValue(-math.MaxFloat64), doubleValue(math.MaxFloat64)
	}
	dst, start := bson.AppendDocumentStart(nil)
	for _, b := range []struct{ name, value string }{
		{"n", "-9.999999999999999999999999999999999E+6144"}, {"x", "9.999999999999999999999999999999999E+6144"},
	} {
		d, _ := bson.ParseDecimal128(b.value) // both are valid
		dst = bson.AppendDecimal128Element(dst, b.name, d)
	}
	doc := bson.Raw(bson.AppendDocumentEnd(dst, start))
	return doc.Lookup("n"), doc.Lookup("x")
}

// rangeInsertPlaceholder returns the placeholder of a value in a field that is searched for ranges.
func (p *Plan) rangeInsertPlaceholder(id bson.UUID, value bson.RawValue) ([]byte, error) {
	least, most := p.boundsOf(value.Type)
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendRawValueElement(dst, "v", value)
	dst = bson.AppendRawValueElement(dst, "min", least)
	dst = bson.AppendRawValueElement(dst, "max", most)
	dst = p.appendShape(dst)
	return p.placeholder(id, toInsert, 3, documentValue(bson.AppendDocumentEnd(dst, start)), sparsityOf(p.Range)), nil
}

// appendShape appends the options of the index that may be left out.
func (p *Plan) appendShape(dst []byte) []byte {
	if p.Range.Precision != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldPrecision, *p.Range.Precision)
	}
	if p.Range.TrimFactor != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldTrimFactor, *p.Range.TrimFactor)
	}
	return dst
}
