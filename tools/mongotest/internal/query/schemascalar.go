package query

import (
	"math"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/regex"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

func scalarRule(keyword string, v bson.RawValue, d bson.Raw) (rule, error) {
	switch keyword {
	case "minimum", "maximum", "multipleOf":
		return numberRule(keyword, v, d)
	case "pattern":
		return patternRule(v)
	}
	return lengthRule(keyword, v)
}

func numberRule(keyword string, limit bson.RawValue, d bson.Raw) (rule, error) {
	if !number.Is(limit.Type) {
		return nil, errMustBe(keyword, "a number")
	}
	if keyword == "multipleOf" {
		if f := number.Float64(limit); f <= 0 || math.IsNaN(f) {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'multipleOf' must have a positive value")
		}
		return func(v bson.RawValue) bool { return !number.Is(v.Type) || number.IsZeroValue(number.Mod(v, limit)) }, nil
	}
	least := keyword == "minimum"
	exclusive := least && value.IsTruthy(path.Field(d, "exclusiveMinimum")) || !least && value.IsTruthy(path.Field(d, "exclusiveMaximum"))
	return func(v bson.RawValue) bool {
		if !number.Is(v.Type) {
			return true
		}
		if number.IsNaN(v) || number.IsNaN(limit) {
			return number.IsNaN(v) && number.IsNaN(limit) && !exclusive
		}
		d := number.Compare(v, limit)
		return d == 0 && !exclusive || d > 0 && least || d < 0 && !least
	}, nil
}

func lengthRule(keyword string, v bson.RawValue) (rule, error) {
	limit, err := readNonNegative(keyword, v)
	if err != nil {
		return nil, err
	}
	least, what := strings.HasPrefix(keyword, "min"), keyword[3:]
	return func(v bson.RawValue) bool {
		var n int64
		switch {
		case v.Type == bsontype.String && what == "Length":
			n = int64(len([]rune(value.Text(v))))
		case v.Type == bsontype.Array && what == "Items", v.Type == bsontype.EmbeddedDocument && what == "Properties":
			n = int64(bson.Raw(v.Value).Len())
		default:
			return true
		}
		return least && n >= limit || !least && n <= limit
	}, nil
}

// matches reports whether a text matches a pattern. A text that takes too long does not.
func matches(re *regex.Regexp, s string) bool {
	ok, err := re.MatchString(s)
	return ok && err == nil
}

func patternRule(v bson.RawValue) (rule, error) {
	pattern, ok := v.StringOK()
	if !ok {
		return nil, errMustBe("pattern", "a string")
	}
	re, err := regex.CompileTest(pattern, "")
	if err != nil {
		return nil, err
	}
	return func(v bson.RawValue) bool {
		s, isString := v.StringOK()
		return !isString || matches(re, s)
	}, nil
}

// unorderedKey returns a key that equal values share. Documents are equal even if their fields come in another order.
func unorderedKey(v bson.RawValue) string { return string(compare.AppendKey(nil, sortFields(v), nil)) }

func sortFields(v bson.RawValue) bson.RawValue {
	switch v.Type {
	case bsontype.Array:
		list := value.Elements(v)
		for i := range list {
			list[i] = sortFields(list[i])
		}
		return value.ArrayOf(list...)
	case bsontype.EmbeddedDocument:
		var fields []bson.RawElement
		for key, e := range bson.Raw(v.Value).All() {
			fields = append(fields, bson.RawElement{Key: key, Value: sortFields(e)})
		}
		slices.SortStableFunc(fields, func(a, b bson.RawElement) int { return strings.Compare(a.Key, b.Key) })
		dst, start := bson.AppendDocumentStart(nil)
		for _, f := range fields {
			dst = bson.AppendRawValueElement(dst, f.Key, f.Value)
		}
		return value.Document(bson.AppendDocumentEnd(dst, start))
	}
	return v
}

func compileEnum(v bson.RawValue) (rule, error) {
	if v.Type != bsontype.Array {
		return nil, errMustBe("enum", "an array, but found an element of type "+v.Type.String())
	}
	known := map[string]bool{}
	for _, e := range value.Elements(v) {
		key := unorderedKey(e)
		if known[key] {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'enum' array cannot contain duplicate values.")
		}
		known[key] = true
	}
	if len(known) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'enum' cannot be an empty array")
	}
	return func(v bson.RawValue) bool { return known[unorderedKey(v)] }, nil
}

func typeRule(keyword string, v bson.RawValue) (rule, error) {
	wanted := map[bsontype.Type]bool{}
	list := []bson.RawValue{v}
	if v.Type == bsontype.Array {
		list = value.Elements(v)
	}
	seen := map[string]bool{}
	for _, e := range list {
		name, ok := e.StringOK()
		if seen[name] {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' has duplicate value: %s", keyword, name)
		}
		seen[name] = true
		if !ok {
			return nil, errMustBe(keyword, "either a string or an array of strings")
		}
		if keyword == "type" {
			if name == "integer" {
				return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema type 'integer' is not currently supported.")
			}
			if name, ok = jsonTypes[name]; !ok {
				return nil, status.Errorf(errcode.BadValue, "Unknown type name alias: %s", value.Text(e))
			}
		}
		types, err := TypesOf(value.String(name))
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			wanted[t] = true
		}
	}
	if len(wanted) == 0 {
		return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword '%s' must name at least one type", keyword)
	}
	return func(v bson.RawValue) bool { return wanted[v.Type] }, nil
}

// jsonTypes maps the names that the keyword type accepts to their BSON aliases.
var jsonTypes = map[string]string{
	"object": "object", "array": "array", "boolean": "bool", "null": "null", "number": "number", "string": "string",
}

// compileEncrypt compiles the keyword encrypt: client-side encryption made the value, of the named type if one is given.
func compileEncrypt(keyword string, v bson.RawValue) (rule, error) {
	d, ok := v.DocumentOK()
	if !ok {
		return nil, errMustBe(keyword, "an object ")
	}
	if keyword == "encryptMetadata" {
		if d.Len() == 0 {
			return nil, status.Errorf(errcode.FailedToParse, "$jsonSchema keyword 'encryptMetadata' cannot be an empty object ")
		}
		return nil, nil
	}
	wanted := map[bsontype.Type]bool{}
	if t := path.Field(d, "bsonType"); !t.IsZero() {
		var err error
		if wanted, err = readTypes(t); err != nil {
			return nil, err
		}
	}
	return func(v bson.RawValue) bool {
		subtype, data, ok := v.BinaryOK()
		if !ok || subtype != bsontype.BinaryEncrypted {
			return false
		}
		if len(wanted) == 0 {
			return true
		}
		s, err := sealed.ParseStored[encryption.Payload](data)
		fle1 := s.Kind == encryption.FLE1DeterministicEncryptedValue || s.Kind == encryption.FLE1RandomEncryptedValue
		return err == nil && fle1 && wanted[s.Type]
	}, nil
}
