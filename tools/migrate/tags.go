package main

import (
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// The official driver ignores unknown flags in the tag of a field, and reads a known flag in the name's place as name and flag.
// Onion refuses unknown flags, and reads a flag in the name's place as the name only. So the tag is rewritten to say what the
// official driver reads.

// tagFlags are the flags that the official driver knows. It does not know omitzero.
var tagFlags = []string{"omitempty", "minsize", "truncate", "inline"}

// hasTags reports whether a file has fields with tags for BSON.
func hasTags(tree *ast.File) bool {
	found := false
	ast.Inspect(tree, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			text, _ := bsonTag(field.Tag)
			found = found || text != ""
		}
		return !found
	})
	return found
}

// bsonTag returns the part of a field's tag that is for BSON: the key bson, or all of a tag that has no keys.
func bsonTag(n *ast.BasicLit) (text string, whole bool) {
	tag, err := strconv.Unquote(n.Value)
	if err != nil {
		return "", false
	}
	if text, ok := reflect.StructTag(tag).Lookup("bson"); ok {
		return text, false
	}
	if !strings.Contains(tag, ":") {
		return tag, true
	}
	return "", false
}

// repairTag writes a tag as the official driver reads it, and lists the flags that it leaves out.
func repairTag(text string) (repaired string, without []string) {
	if text == "-" {
		return text, nil
	}
	name, rest, some := strings.Cut(text, ",")
	flags := []string{name}
	if some {
		for flag := range strings.SplitSeq(rest, ",") {
			if slices.Contains(tagFlags, flag) || flag == "" {
				flags = append(flags, flag)
				continue
			}
			without = append(without, flag)
		}
	}
	if slices.Contains(tagFlags, name) && !slices.Contains(flags[1:], name) { // it is the name and the flag
		flags = append(flags, name)
	}
	return strings.Join(flags, ","), without
}

// rewriteTag repairs the tag of a field.
func (f *file) rewriteTag(n *ast.Field) {
	if n.Tag == nil {
		return
	}
	text, whole := bsonTag(n.Tag)
	repaired, without := repairTag(text)
	if repaired == text {
		return
	}
	for _, flag := range without {
		switch meant := strings.ToLower(strings.TrimSpace(flag)); {
		case flag == "omitzero":
			f.report(n.Tag, "the official driver ignores the flag omitzero, and it takes effect here: it is removed, so that the "+
				"field is stored as before; write it again where zero values are to be left out")
		case slices.Contains(tagFlags, meant):
			f.report(n.Tag, "the official driver ignores the flag %q, and Onion refuses it: it is removed, so that the field is stored "+
				"as before; write %q where that is what it means", flag, meant)
		default:
			f.report(n.Tag, "the official driver ignores the flag %q, and Onion refuses it: it is removed", flag)
		}
	}
	before, after := "bson:"+strconv.Quote(text), "bson:"+strconv.Quote(repaired)
	if whole {
		before, after = text, repaired
	}
	if n.Tag.Value[0] == '"' {
		before, after = strings.Trim(strconv.Quote(before), `"`), strings.Trim(strconv.Quote(after), `"`)
	}
	if value := strings.Replace(n.Tag.Value, before, after, 1); value != n.Tag.Value {
		f.replace(n.Tag, value)
		return
	}
	f.report(n.Tag, "write the tag as %s", after)
}
