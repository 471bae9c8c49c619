package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// textNode is $text.
type textNode struct{ search *fulltext.Search }

func (n textNode) match(_ *Match, doc bson.Raw) bool { return n.search.Match(doc) }

// textFields are the arguments of $text and their types.
var textFields = []struct {
	name string
	kind bsontype.Type
}{{"$search", bsontype.String}, {"$language", bsontype.String}, {"$caseSensitive", bsontype.Boolean},
	{"$diacriticSensitive", bsontype.Boolean}}

// compileText compiles $text.
func (c *compiler) compileText(v bson.RawValue) (node, error) {
	d, ok := v.DocumentOK()
	switch {
	case !ok:
		return nil, status.Errorf(errcode.BadValue, "$text expects an object")
	case c.search != nil:
		return nil, status.Errorf(errcode.BadValue, "Too many text expressions")
	case c.nor > 0:
		return nil, status.Errorf(errcode.BadValue, "text expression not allowed in nor")
	case c.options.Text == nil:
		return nil, errNotAllowed(errcode.BadValue, "$text")
	}
	given := map[string]bson.RawValue{}
	for _, f := range textFields {
		a := d.Lookup(f.name)
		switch {
		case a.IsZero() && f.name == "$search":
			return nil, status.Errorf(errcode.NoSuchKey, "Missing expected field \"$search\"")
		case a.IsZero():
		case a.Type != f.kind:
			return nil, status.Errorf(errcode.TypeMismatch, "\"%s\" had the wrong type. Expected %s, found %s", f.name, f.kind, a.Type)
		default:
			given[f.name] = a
		}
	}
	if len(given) != d.Len() {
		return nil, status.Errorf(errcode.BadValue, "extra fields in $text")
	}
	index, err := c.options.Text()
	if err != nil {
		return nil, err
	}
	language := index.Default
	if name, ok := given["$language"].StringOK(); ok {
		if language = fulltext.Named(name); language == nil {
			return nil, status.Errorf(errcode.BadValue, "unsupported language: \"%s\" for text index version %d", name, index.Version)
		}
	}
	words, _ := given["$search"].StringOK()
	letterCase, _ := given["$caseSensitive"].BooleanOK()
	diacritics, _ := given["$diacriticSensitive"].BooleanOK()
	c.search = index.Parse(words, language, letterCase, diacritics)
	return textNode{c.search}, nil
}
