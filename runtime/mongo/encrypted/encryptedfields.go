package encrypted

import (
	"errors"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis"
)

// EncryptedFields returns the schema in the form for options.AutoEncryption.EncryptedFieldsMap and
// options.CreateCollection. keys maps alternate names to the IDs of data keys. A name that is not in keys goes into the
// result, and a client that encrypts looks it up. A field without a key gets null, for which
// ClientEncryption.CreateEncryptedCollection makes a key. An error names every field that is wrong.
func (s Schema) EncryptedFields(keys map[string]bson.UUID) (bson.Raw, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst, list := bson.AppendArrayElementStart(dst, encryption.FieldFields)
	var wrong []error
	for i := range s {
		f := &s[i]
		if err := f.checkQueryable(s[:i]); err != nil {
			wrong = append(wrong, err)
			continue
		}
		var field int
		dst, field = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		dst = bson.AppendStringElement(dst, encryption.FieldPath, f.Path)
		if f.Type != "" {
			dst = bson.AppendStringElement(dst, encryption.FieldBSONType, f.Type)
		}
		dst = f.appendKey(dst, keys)
		var err error
		if dst, err = f.appendQueries(dst); err != nil {
			wrong = append(wrong, err)
		}
		dst = bson.AppendDocumentEnd(dst, field)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	out := bson.Raw(bson.AppendDocumentEnd(bson.AppendDocumentEnd(dst, list), start))
	if _, err := queryanalysis.FromEncryptedFields(out); err != nil {
		return nil, err
	}
	return out, nil
}

// checkQueryable checks a field by itself and against the fields before it.
func (f *Field) checkQueryable(before []Field) error {
	_, pointer := f.describeKey()
	switch {
	case !f.isQueryable():
		return f.errorf("is for client-side field level encryption: use JSONSchema, or equality, range, prefix, suffix, substring or " +
			"unindexed")
	case pointer:
		return f.errorf("takes the name of its key from the document, which Queryable Encryption cannot: name the key itself, or none")
	case len(f.Queries) > 0 && f.Algorithm != "":
		return f.errorf("has both an algorithm and queries: leave Algorithm empty")
	case len(f.Queries) > 0 && f.Type == "":
		return f.errorf("has no BSON type, which a search needs: %s", f.remedy("type=<BSON type>", "Type"))
	}
	for _, o := range before {
		if f.Key != "" && f.Key == o.Key {
			return f.errorf("has the data key of %q: each field of Queryable Encryption needs a key of its own", o.Path)
		}
	}
	return nil
}

func (f *Field) appendKey(dst []byte, keys map[string]bson.UUID) []byte {
	if f.Key == "" {
		return bson.AppendNullElement(dst, encryption.FieldKeyID)
	}
	id, _ := f.describeKey()
	if known, ok := keys[f.Key]; ok && id == nil {
		id = &known
	}
	if id == nil {
		return bson.AppendStringElement(dst, encryption.FieldKeyAltName, f.Key)
	}
	return bson.AppendBinaryElement(dst, encryption.FieldKeyID, bsontype.BinaryUUID, id[:])
}

// appendQueries appends one query type as a document, and several as an array.
func (f *Field) appendQueries(dst []byte) (_ []byte, err error) {
	var start int
	switch len(f.Queries) {
	case 0:
		return dst, nil
	case 1:
		dst, start = bson.AppendDocumentElementStart(dst, encryption.FieldQueries)
		dst, err = f.Queries[0].append(dst, f)
		return bson.AppendDocumentEnd(dst, start), err
	}
	dst, start = bson.AppendArrayElementStart(dst, encryption.FieldQueries)
	for i := range f.Queries {
		var query int
		dst, query = bson.AppendDocumentElementStart(dst, strconv.Itoa(i))
		if dst, err = f.Queries[i].append(dst, f); err != nil {
			return dst, err
		}
		dst = bson.AppendDocumentEnd(dst, query)
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func (q *Query) append(dst []byte, f *Field) ([]byte, error) {
	dst = bson.AppendStringElement(dst, encryption.FieldQueryType, q.Type)
	if q.Contention != nil {
		dst = bson.AppendInt64Element(dst, encryption.FieldContention, *q.Contention)
	}
	for _, bound := range []struct {
		name  string
		value any
	}{{"min", q.Min}, {"max", q.Max}} {
		if bound.value == nil {
			continue
		}
		v, err := f.encodeBound(bound.name, bound.value)
		if err != nil {
			return dst, err
		}
		dst = bson.AppendRawValueElement(dst, bound.name, v)
	}
	if q.Sparsity != nil {
		dst = bson.AppendInt64Element(dst, encryption.FieldSparsity, *q.Sparsity)
	}
	if q.Precision != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldPrecision, *q.Precision)
	}
	if q.TrimFactor != nil {
		dst = bson.AppendInt32Element(dst, encryption.FieldTrimFactor, *q.TrimFactor)
	}
	return q.appendText(dst), nil
}

// appendText appends the options of searches in texts. The server requires all of them.
func (q *Query) appendText(dst []byte) []byte {
	if !isText(q.Type) {
		return dst
	}
	if q.StrMaxLength != 0 {
		dst = bson.AppendInt32Element(dst, encryption.FieldStrMaxLength, q.StrMaxLength)
	}
	dst = bson.AppendInt32Element(dst, encryption.FieldStrMinQueryLength, q.StrMinQueryLength)
	dst = bson.AppendInt32Element(dst, encryption.FieldStrMaxQueryLength, q.StrMaxQueryLength)
	dst = bson.AppendBooleanElement(dst, encryption.FieldCaseSensitive, q.CaseSensitive == nil || *q.CaseSensitive)
	return bson.AppendBooleanElement(dst, encryption.FieldDiacriticSensitive, q.DiacriticSensitive == nil || *q.DiacriticSensitive)
}

// isText reports whether a query type searches for parts of a text. The server calls the first versions of these types
// previews.
func isText(queryType string) bool {
	switch strings.TrimSuffix(queryType, "Preview") {
	case options.QueryTypePrefix, options.QueryTypeSuffix, options.QueryTypeSubstring:
		return true
	}
	return false
}
