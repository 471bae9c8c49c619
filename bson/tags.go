package bson

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// fieldTag is what the tag of a struct field says:
//
//	Name string `bson:"name,omitempty,omitzero,inline,minsize,truncate"`
//	Skip string `bson:"-"`
//
// Without a name the key is the field's name in lower case. Another option is an error, because it is a typing error.
type fieldTag struct {
	name      string
	skip      bool
	omitEmpty bool // leave out when empty: false, 0, "", nil, length 0, or IsZero() true
	omitZero  bool // leave out when IsZero() is true, or the value is Go's zero value
	inline    bool // put the fields of the struct, or the elements of the map, into the parent
	minSize   bool // write integers in 32 bits where they fit
	truncate  bool // let integers take doubles without their fraction
}

func parseTag(f reflect.StructField, jsonTags bool) (fieldTag, error) {
	text, ok := f.Tag.Lookup("bson")
	foreign := false // encoding/json has options of its own, such as string
	if !ok && jsonTags {
		text, ok = f.Tag.Lookup("json")
		foreign = ok
	}
	if !ok && !strings.Contains(string(f.Tag), ":") {
		text = string(f.Tag) // a tag without any key:"value" belongs to this package as a whole
	}
	if text == "-" {
		return fieldTag{skip: true}, nil
	}
	name, rest, _ := strings.Cut(text, ",")
	tag := fieldTag{name: name}
	if name == "" {
		tag.name = strings.ToLower(f.Name)
	}
	for option := range strings.SplitSeq(rest, ",") {
		switch option {
		case "omitempty":
			tag.omitEmpty = true
		case "omitzero":
			tag.omitZero = true
		case "inline":
			tag.inline = true
		case "minsize":
			tag.minSize = true
		case "truncate":
			tag.truncate = true
		case "":
		default:
			if !foreign {
				return tag, fmt.Errorf("the tag of field %s has the unknown option %q", f.Name, wire.Clip(option))
			}
		}
	}
	if strings.IndexByte(tag.name, 0) >= 0 || !wire.ValidText([]byte(tag.name)) {
		return tag, fmt.Errorf("the tag of field %s has a zero byte or text that is not UTF-8 in its name", f.Name)
	}
	return tag, nil
}
