package schema

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/internal/queryanalysis/refusal"
)

// Defaults of encryptedFields.
const (
	defaultContention = 8
	defaultSparsity   = 2
)

// StrEncodeVersion is the only version of encoding texts.
const StrEncodeVersion = 1

func invalidError(path, format string, args ...any) error {
	return refusal.New(encryption.FieldEncryptedFields, path, format, args...)
}

// FromEncryptedFields compiles the encryptedFields of a collection. A field may lack its keyId, as before the collection is
// created; then its values cannot be marked.
func FromEncryptedFields(doc bson.Raw) (*Node, error) {
	if err := doc.Validate(); err != nil {
		return nil, invalidError("", "%v", err)
	}
	if v := doc.Lookup(encryption.FieldStrEncodeVersion); !v.IsZero() {
		if version, ok := v.AsInt64OK(); !ok || version != StrEncodeVersion {
			return nil, invalidError("", "the strEncodeVersion %s is not supported", v)
		}
	}
	v := doc.Lookup(encryption.FieldFields)
	if v.IsZero() {
		return nil, nil
	}
	list, ok := v.ArrayOK()
	if !ok {
		return nil, invalidError("", "'fields' must be an array")
	}
	root := &Node{}
	for _, v := range list.All() {
		one, ok := v.DocumentOK()
		if !ok {
			return nil, invalidError("", "'fields' must contain documents")
		}
		f, err := readEncryptedField(one)
		if err != nil {
			return nil, err
		}
		if err := root.place(f); err != nil {
			return nil, err
		}
	}
	if root.saysNothing() {
		return nil, nil
	}
	return root, nil
}

// place puts an encrypted field into the tree.
func (n *Node) place(f *Field) error {
	names := strings.Split(f.Path, ".")
	for i, name := range names {
		if name == "" || n.field != nil {
			return invalidError(f.Path, "the path has an empty part, or leads below another encrypted field")
		}
		c := n.children[name]
		if i == len(names)-1 {
			if c != nil {
				return invalidError(f.Path, "the path appears twice, or another path leads below it")
			}
			n.set(name, NewField(f))
			return nil
		}
		if c == nil {
			c = &Node{}
			n.set(name, c)
		}
		n = c
	}
	return nil
}

func readEncryptedField(doc bson.Raw) (*Field, error) {
	f := &Field{Kind: analysis.KindUnindexed, Sparsity: defaultSparsity}
	f.Path, _ = doc.Lookup(encryption.FieldPath).StringOK()
	if f.Path == "" {
		return nil, invalidError("", "a field needs a path")
	}
	if v := doc.Lookup(encryption.FieldBSONType); !v.IsZero() {
		name, ok := v.StringOK()
		if !ok {
			return nil, invalidError(f.Path, "'bsonType' must be the name of a type")
		}
		f.Types = []string{name}
	}
	if v := doc.Lookup(encryption.FieldKeyID); !v.IsZero() && !v.IsNull() {
		f.KeyID = new(bson.UUID)
		if f.KeyID.DecodeBSONValue(v) != nil {
			return nil, invalidError(f.Path, "'keyId' must be a UUID")
		}
	}
	if err := f.readQueries(doc.Lookup(encryption.FieldQueries)); err != nil {
		return nil, err
	}
	if f.Kind != analysis.KindUnindexed && len(f.Types) == 0 {
		return nil, invalidError(f.Path, "a field with queries needs a bsonType")
	}
	for _, t := range f.Types {
		// No value has a type that does not exist, so all values are refused.
		if IsType(t) && !f.Kind.Takes(t) {
			return nil, invalidError(f.Path, "%s", analysis.CannotEncryptType(t))
		}
	}
	return f, nil
}

// readQueries takes one query type, or several for texts.
func (f *Field) readQueries(v bson.RawValue) error {
	if v.IsZero() || v.IsNull() {
		return nil
	}
	if one, ok := v.DocumentOK(); ok {
		return f.readQuery(one)
	}
	list, ok := v.ArrayOK()
	if !ok {
		return invalidError(f.Path, "'queries' must be a document or an array of documents")
	}
	for i, v := range list.All() {
		one, ok := v.DocumentOK()
		if !ok {
			return invalidError(f.Path, "'queries' must be a document or an array of documents")
		}
		if err := f.readQuery(one); err != nil {
			return err
		}
		if i > 0 && f.Kind != analysis.KindText {
			return invalidError(f.Path, "only text searches can be combined")
		}
	}
	return nil
}

func (f *Field) readQuery(doc bson.Raw) error {
	kind, _ := doc.Lookup(encryption.FieldQueryType).StringOK()
	before := f.Kind
	switch kind {
	case options.QueryTypeEquality:
		f.Kind = analysis.KindEquality
	case options.QueryTypeRange:
		f.Kind = analysis.KindRange
	case options.QueryTypePrefix, options.QueryTypePrefixPreview, options.QueryTypeSuffix, options.QueryTypeSuffixPreview,
		options.QueryTypeSubstring, options.QueryTypeSubstringPreview:
		f.Kind = analysis.KindText
	default:
		return invalidError(f.Path, "the query type %q is not supported for encrypted fields", kind)
	}
	if before != analysis.KindUnindexed && before != f.Kind {
		return invalidError(f.Path, "the query types cannot be combined")
	}
	o := &queryOptions{field: f}
	f.Contention = defaultContention
	for key, v := range doc.All() {
		if err := o.read(key, v); err != nil {
			return err
		}
	}
	return o.finish(strings.TrimSuffix(kind, "Preview"))
}

// queryOptions are the options of one query type.
type queryOptions struct {
	field   *Field
	lengths Lengths
}

func (o *queryOptions) read(key string, v bson.RawValue) error {
	f, ok := o.field, true
	switch key {
	case encryption.FieldQueryType:
	case encryption.FieldContention:
		f.Contention, ok = v.AsInt64OK()
		ok = ok && f.Contention >= 0
	case encryption.FieldSparsity:
		f.Sparsity, ok = v.AsInt64OK()
		ok = ok && f.Sparsity >= 1
	case "min":
		f.Min = v
	case "max":
		f.Max = v
	case encryption.FieldPrecision:
		f.Precision = new(int32)
		*f.Precision, ok = int32Of(v)
	case encryption.FieldTrimFactor:
		f.TrimFactor = new(int32)
		*f.TrimFactor, ok = int32Of(v)
	case encryption.FieldStrMaxLength:
		o.lengths.Total, ok = int32Of(v)
	case encryption.FieldStrMinQueryLength:
		o.lengths.Min, ok = int32Of(v)
	case encryption.FieldStrMaxQueryLength:
		o.lengths.Max, ok = int32Of(v)
	case encryption.FieldCaseSensitive:
		ok = readNegated(&f.Text.CaseFold, v)
	case encryption.FieldDiacriticSensitive:
		ok = readNegated(&f.Text.DiacriticFold, v)
	default:
		return invalidError(f.Path, "the option %q of queries is unknown", key)
	}
	if !ok {
		return invalidError(f.Path, "the option %q of queries has an invalid value", key)
	}
	return nil
}

func readNegated(to *bool, v bson.RawValue) bool {
	b, ok := v.BooleanOK()
	*to = !b
	return ok
}

func int32Of(v bson.RawValue) (int32, bool) {
	n, ok := v.AsInt64OK()
	return int32(n), ok && n == int64(int32(n)) && n >= 0
}

// finish checks the options of one query type together.
func (o *queryOptions) finish(kind string) error {
	f := o.field
	switch f.Kind {
	case analysis.KindRange:
		return f.fillBounds()
	case analysis.KindText:
		text := map[string]**Lengths{
			options.QueryTypePrefix: &f.Text.Prefix, options.QueryTypeSuffix: &f.Text.Suffix, options.QueryTypeSubstring: &f.Text.Substring,
		}[kind]
		if *text != nil {
			return invalidError(f.Path, "the query type %q appears twice", kind)
		}
		*text = &o.lengths
	}
	return nil
}
