package mark

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/schema"
)

// AppendSearch appends a placeholder for a text that is searched for.
func (m *Marker) AppendSearch(
	dst []byte, key string, v bson.RawValue, by analysis.Expression, f *schema.Field, operator string,
) ([]byte, error) {
	if m.Refuse {
		return dst, refusal.Text(operator, f.Path, analysis.ComparisonNotSupported())
	}
	if err := check(v, f, operator); err != nil {
		return dst, err
	}
	only := &schema.Text{}
	switch by {
	case analysis.ExpressionPrefix:
		only.Prefix = f.Text.Prefix
	case analysis.ExpressionSuffix:
		only.Suffix = f.Text.Suffix
	case analysis.ExpressionSubstring:
		only.Substring = f.Text.Substring
	}
	if f.Kind != analysis.KindText || by != analysis.ExpressionExact && *only == (schema.Text{}) {
		return dst, refusal.New(operator, f.Path, "encryptedFields do not declare this search of an encrypted field")
	}
	return m.appendPlaceholder(dst, key, forFind, f, func(dst []byte) []byte { return appendText(dst, v, f, only) })
}

// appendText appends the value of a text's placeholder: with all searches that its field declares, or only some of them.
func appendText(dst []byte, v bson.RawValue, f *schema.Field, only *schema.Text) []byte {
	if only == nil {
		only = &f.Text
	}
	dst, doc := bson.AppendDocumentElementStart(dst, "v")
	dst = bson.AppendRawValueElement(dst, "v", v)
	dst = bson.AppendBooleanElement(dst, "casef", f.Text.CaseFold)
	dst = bson.AppendBooleanElement(dst, "diacf", f.Text.DiacriticFold)
	dst = appendLengths(dst, "prefix", only.Prefix)
	dst = appendLengths(dst, "suffix", only.Suffix)
	if s := only.Substring; s != nil {
		var sub int
		dst, sub = bson.AppendDocumentElementStart(dst, "substr")
		dst = bson.AppendInt32Element(dst, "mlen", s.Total)
		dst = bson.AppendInt32Element(dst, "ub", s.Max)
		dst = bson.AppendInt32Element(dst, "lb", s.Min)
		dst = bson.AppendDocumentEnd(dst, sub)
	}
	return bson.AppendDocumentEnd(dst, doc)
}

func appendLengths(dst []byte, key string, l *schema.Lengths) []byte {
	if l == nil {
		return dst
	}
	dst, doc := bson.AppendDocumentElementStart(dst, key)
	dst = bson.AppendInt32Element(dst, "ub", l.Max)
	dst = bson.AppendInt32Element(dst, "lb", l.Min)
	return bson.AppendDocumentEnd(dst, doc)
}
