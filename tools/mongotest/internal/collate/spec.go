package collate

import (
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// version is the version of the collation data that servers write into stored collations.
const version = "57.1"

// property is a field of a collation document: its type, its default and, for some fields, the allowed values.
type property struct {
	name     string
	kind     bsontype.Type
	text     string // the default of a string
	values   []string
	number   int32 // the default of a number
	required bool
}

// properties are in the order in which servers store them.
var properties = []property{
	{name: "locale", kind: bsontype.String, required: true},
	{name: "caseLevel", kind: bsontype.Boolean},
	{name: "caseFirst", kind: bsontype.String, text: "off", values: []string{"off", "upper", "lower"}},
	{name: "strength", kind: bsontype.Int32, number: 3},
	{name: "numericOrdering", kind: bsontype.Boolean},
	{name: "alternate", kind: bsontype.String, text: "non-ignorable", values: []string{"non-ignorable", "shifted"}},
	{name: "maxVariable", kind: bsontype.String, text: "punct", values: []string{"punct", "space"}},
	{name: "normalization", kind: bsontype.Boolean},
	{name: "backwards", kind: bsontype.Boolean},
	{name: "version", kind: bsontype.String, text: version},
}

// read checks a collation document and fills in the defaults, as servers store it.
func read(spec bson.Raw) (bson.Raw, error) {
	for key := range spec.All() {
		if !slices.ContainsFunc(properties, func(p property) bool { return p.name == key }) {
			return nil, status.Errorf(errcode.Location40415, "BSON field 'collation.%s' is an unknown field.", key)
		}
	}
	dst, start := bson.AppendDocumentStart(nil)
	for _, p := range properties {
		v := spec.Lookup(p.name)
		if v.IsZero() {
			if p.required {
				return nil, status.Errorf(errcode.Location40414, "BSON field 'collation.%s' is missing but a required field", p.name)
			}
			dst = p.appendDefault(dst)
			continue
		}
		var err error
		if dst, err = p.append(dst, v); err != nil {
			return nil, err
		}
	}
	return bson.AppendDocumentEnd(dst, start), nil
}

func (p *property) appendDefault(dst []byte) []byte {
	switch p.kind {
	case bsontype.Boolean:
		return bson.AppendBooleanElement(dst, p.name, false)
	case bsontype.Int32:
		return bson.AppendInt32Element(dst, p.name, p.number)
	}
	return bson.AppendStringElement(dst, p.name, p.text)
}

func (p *property) append(dst []byte, v bson.RawValue) ([]byte, error) {
	if p.kind == bsontype.Int32 {
		n, ok := v.AsInt64OK()
		switch {
		case !ok:
			return nil, p.typeError(v)
		case n < 1 || n > 5:
			return nil, p.rangeError(status.TextOf(v))
		}
		return bson.AppendInt32Element(dst, p.name, int32(n)), nil
	}
	if v.Type != p.kind {
		return nil, p.typeError(v)
	}
	if s, _ := v.StringOK(); p.values != nil && !slices.Contains(p.values, s) {
		return nil, p.rangeError(s)
	}
	return bson.AppendRawValueElement(dst, p.name, v), nil
}

func (p *property) typeError(v bson.RawValue) error {
	return status.Errorf(errcode.TypeMismatch, "BSON field 'collation.%s' is the wrong type '%s', expected type '%s'",
		p.name, v.Type, p.kind)
}

func (p *property) rangeError(text string) error {
	return status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'collation.%s' is not a valid value.", text, p.name)
}

// check refuses contradictory options.
func check(spec bson.Raw) error {
	flag := func(name string) bool { b, _ := spec.Lookup(name).BooleanOK(); return b }
	text := func(name string) string { s, _ := spec.Lookup(name).StringOK(); return s }
	strength, _ := spec.Lookup("strength").Int32OK()
	caseFirst := text("caseFirst") != "off"
	switch {
	case flag("backwards") && strength == 1:
		return status.Errorf(errcode.BadValue, "'backwards' is invalid with 'strength' of 1")
	case caseFirst && !flag("caseLevel") && strength < 3:
		return status.Errorf(errcode.BadValue, "'caseFirst' is invalid unless 'caseLevel' is on or 'strength' is greater than 2")
	}
	return nil
}

// variants maps the names of variants to the spelling of language tags, where the two differ.
var variants = map[string]string{
	"phonebook": "phonebk", "dictionary": "dict", "traditional": "trad", "gb2312han": "gb2312",
}

// tagOf converts an ICU locale to a language tag.
func tagOf(locale string) (language.Tag, error) {
	name, variant, has := strings.Cut(locale, "@collation=")
	name = strings.ReplaceAll(name, "_", "-")
	if has {
		if short, ok := variants[variant]; ok {
			variant = short
		}
		name += "-u-co-" + variant
	}
	return language.Parse(name)
}

// optionsOf returns the library's options for a complete collation document.
func optionsOf(spec bson.Raw, tag language.Tag) ([]collate.Option, error) {
	flag := func(name string) bool { b, _ := spec.Lookup(name).BooleanOK(); return b }
	strength, _ := spec.Lookup("strength").Int32OK()
	var options []collate.Option
	var err error
	for key, value := range map[string]string{"ka": "shifted", "kb": "true"} {
		alternate, _ := spec.Lookup("alternate").StringOK()
		if key == "ka" && (alternate != "shifted" || ignoresOnlySpaces(spec)) || key == "kb" && !flag("backwards") {
			continue
		}
		if tag, err = tag.SetTypeForKey(key, value); err != nil {
			return nil, err
		}
	}
	options = append(options, collate.OptionsFromTag(tag))
	if strength == 1 {
		options = append(options, collate.IgnoreDiacritics)
	}
	if strength <= 2 && !flag("caseLevel") {
		options = append(options, collate.IgnoreCase)
	}
	if strength == 5 {
		options = append(options, collate.Force)
	}
	if flag("numericOrdering") {
		options = append(options, collate.Numeric)
	}
	return options, nil
}
