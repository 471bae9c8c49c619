package mark

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// End is one end of a range: a zero Value leaves it open.
type End struct {
	Value    bson.RawValue
	Operator encryption.Operator
}

// Range is a search for values between two ends; one of them may be open. First is the end that comes first in the
// command.
type Range struct {
	Lower, Upper End
	First        encryption.Operator
	ID           int32
}

// NewRange numbers a range.
func (m *Marker) NewRange(lower, upper End, first encryption.Operator) Range {
	m.Payload++
	return Range{lower, upper, first, m.Payload - 1}
}

// operators returns the operators in the order of the command; second is 0 if there is only one.
func (r Range) operators() (first, second encryption.Operator) {
	switch {
	case r.Lower.Value.IsZero():
		return r.Upper.Operator, 0
	case r.Upper.Value.IsZero():
		return r.Lower.Operator, 0
	case r.First == r.Lower.Operator:
		return r.Lower.Operator, r.Upper.Operator
	}
	return r.Upper.Operator, r.Lower.Operator
}

// AppendRange appends the placeholder of a range: whole for the end that comes first, and a stub that refers to it for the other.
func (m *Marker) AppendRange(dst []byte, key string, r Range, whole bool, f *schema.Field, operator string) ([]byte, error) {
	for _, v := range []bson.RawValue{r.Lower.Value, r.Upper.Value} {
		if v.IsZero() {
			continue
		}
		if err := m.refuseIncomparable(v, f, operator); err != nil {
			return dst, err
		}
		if !f.Takes(v.Type) {
			return dst, refusal.Text(operator, f.Path, analysis.FieldTypeNotSupported())
		}
	}
	return m.appendPlaceholder(dst, key, forFind, f, func(dst []byte) []byte {
		dst, v := bson.AppendDocumentElementStart(dst, "v")
		if whole {
			dst = r.appendEdges(dst, f)
		}
		first, second := r.operators()
		dst = bson.AppendInt32Element(dst, "payloadId", r.ID)
		dst = bson.AppendInt32Element(dst, "firstOperator", int32(first))
		if second != 0 {
			dst = bson.AppendInt32Element(dst, "secondOperator", int32(second))
		}
		return bson.AppendDocumentEnd(dst, v)
	})
}

func (r Range) appendEdges(dst []byte, f *schema.Field) []byte {
	dst, edges := bson.AppendDocumentElementStart(dst, "edgesInfo")
	dst = appendEnd(dst, "lowerBound", r.Lower.Value, math.Inf(-1))
	dst = bson.AppendBooleanElement(dst, "lbIncluded", r.Lower.Operator != encryption.OperatorGreater)
	dst = appendEnd(dst, "upperBound", r.Upper.Value, math.Inf(1))
	dst = bson.AppendBooleanElement(dst, "ubIncluded", r.Upper.Operator != encryption.OperatorLess)
	dst = appendNumbers(dst, f)
	dst = bson.AppendRawValueElement(dst, "indexMin", f.Min)
	dst = bson.AppendRawValueElement(dst, "indexMax", f.Max)
	return bson.AppendDocumentEnd(dst, edges)
}

// appendEnd appends one end; an open one is infinite, whatever the type of the index.
func appendEnd(dst []byte, key string, v bson.RawValue, open float64) []byte {
	if v.IsZero() {
		return bson.AppendDoubleElement(dst, key, open)
	}
	return bson.AppendRawValueElement(dst, key, v)
}

func appendNumbers(dst []byte, f *schema.Field) []byte {
	if f.Precision != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldPrecision, *f.Precision)
	}
	if f.TrimFactor != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldTrimFactor, *f.TrimFactor)
	}
	return dst
}

func appendRangeInsert(dst []byte, v bson.RawValue, f *schema.Field) []byte {
	dst, doc := bson.AppendDocumentElementStart(dst, "v")
	dst = bson.AppendRawValueElement(dst, "v", v)
	dst = bson.AppendRawValueElement(dst, "min", f.Min)
	dst = bson.AppendRawValueElement(dst, "max", f.Max)
	dst = appendNumbers(dst, f)
	return bson.AppendDocumentEnd(dst, doc)
}
