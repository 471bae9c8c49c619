package main

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// fieldTag is the parsed tag of a struct field. The rules are the same as in package bson.
type fieldTag struct {
	name      string
	skip      bool
	omitEmpty bool
	omitZero  bool
	inline    bool
	minSize   bool
	truncate  bool
}

func parseTag(field, tagText string, jsonTags bool) (fieldTag, error) {
	text, ok := reflect.StructTag(tagText).Lookup("bson")
	foreign := false // encoding/json has options of its own, such as string
	if !ok && jsonTags {
		text, ok = reflect.StructTag(tagText).Lookup("json")
		foreign = ok
	}
	if !ok && !strings.Contains(tagText, ":") {
		text = tagText
	}
	if text == "-" {
		return fieldTag{skip: true}, nil
	}
	name, rest, _ := strings.Cut(text, ",")
	tag := fieldTag{name: name}
	if name == "" {
		tag.name = strings.ToLower(field)
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
				return tag, fmt.Errorf("the tag of field %s has the unknown option %q", field, option)
			}
		}
	}
	if strings.IndexByte(tag.name, 0) >= 0 || !utf8.ValidString(tag.name) {
		return tag, fmt.Errorf("the tag of field %s has a zero byte or text that is not UTF-8 in its name", field)
	}
	return tag, nil
}
