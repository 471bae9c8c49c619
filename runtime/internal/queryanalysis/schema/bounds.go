package schema

import (
	"math"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/form"
)

// fillBounds checks the bounds of a range and fills in the bounds of the type where encryptedFields name none.
func (f *Field) fillBounds() error {
	if len(f.Types) != 1 {
		return invalidError(f.Path, "a range needs a bsonType")
	}
	if f.Min.IsZero() != f.Max.IsZero() {
		return invalidError(f.Path, "a range needs both bounds or none")
	}
	if !f.Min.IsZero() {
		if f.Min.Type.String() != f.Types[0] || f.Max.Type.String() != f.Types[0] {
			return invalidError(f.Path, "the bounds of a range must have its bsonType")
		}
		return nil
	}
	var doc []byte
	doc, start := bson.AppendDocumentStart(doc)
	switch f.Types[0] {
	case bsontype.Int32.String():
		doc = bson.AppendInt32Element(doc, "min", math.MinInt32)
		doc = bson.AppendInt32Element(doc, "max", math.MaxInt32)
	case bsontype.Int64.String():
		doc = bson.AppendInt64Element(doc, "min", math.MinInt64)
		doc = bson.AppendInt64Element(doc, "max", math.MaxInt64)
	case bsontype.DateTime.String():
		doc = bson.AppendDateTimeElement(doc, "min", math.MinInt64)
		doc = bson.AppendDateTimeElement(doc, "max", math.MaxInt64)
	case bsontype.Double.String():
		doc = bson.AppendDoubleElement(doc, "min", -math.MaxFloat64)
		doc = bson.AppendDoubleElement(doc, "max", math.MaxFloat64)
	case bsontype.Decimal128.String():
		low, err := bson.ParseDecimal128("-" + largestDecimal())
		if err != nil {
			return invalidError(f.Path, "%v", err)
		}
		high, err := bson.ParseDecimal128(largestDecimal())
		if err != nil {
			return invalidError(f.Path, "%v", err)
		}
		doc = bson.AppendDecimal128Element(doc, "min", low)
		doc = bson.AppendDecimal128Element(doc, "max", high)
	}
	raw := bson.Raw(bson.AppendDocumentEnd(doc, start))
	f.Min, f.Max = raw.Lookup("min"), raw.Lookup("max")
	return nil
}

// largestDecimal is the largest decimal: nines alone, with the largest exponent.
func largestDecimal() string {
	return strings.Repeat("9", form.DecimalDigits) + "E" + strconv.Itoa(form.DecimalMaxExponent)
}
