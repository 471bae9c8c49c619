package path

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Path is a dotted path, split into components.
type Path []string

// Parse splits a dotted path.
func Parse(s string) Path {
	return strings.Split(s, ".")
}

// String joins the path again.
func (p Path) String() string {
	return strings.Join(p, ".")
}

// IsIndex reports whether a component can name an array position: digits without a leading zero.
func IsIndex(s string) bool {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// Leaf says how to treat an array at the end of a path.
type Leaf uint8

// The ways to treat an array at the end of a path.
const (
	Expand Leaf = iota // yield its elements, then the array itself
	Whole              // yield the array itself
)

// Visit receives a candidate value. The zero value is a missing field. position is the index in the outermost array
// that the path entered implicitly, or -1. Positions that the path names do not count. Visit returns false to stop.
type Visit func(v bson.RawValue, position int) bool

// Each yields every value that a query condition on the path tests. It returns false if visit stopped it.
func (p Path) Each(doc bson.Raw, leaf Leaf, visit Visit) bool {
	return p.eachInDocument(doc, leaf, -1, visit)
}

func (p Path) eachInDocument(doc bson.Raw, leaf Leaf, position int, visit Visit) bool {
	for i, name := range p {
		v := Field(doc, name)
		switch {
		case i == len(p)-1:
			return visitLeaf(v, leaf, position, visit)
		case v.Type == bsontype.EmbeddedDocument:
			doc = bson.Raw(v.Value)
		case v.Type == bsontype.Array:
			return p[i+1:].eachInArray(bson.Raw(v.Value), leaf, position, visit)
		default:
			return visit(bson.RawValue{}, position)
		}
	}
	return true
}

func visitLeaf(v bson.RawValue, leaf Leaf, position int, visit Visit) bool {
	if v.Type != bsontype.Array || leaf == Whole {
		return visit(v, position)
	}
	i := 0
	for _, e := range bson.Raw(v.Value).All() {
		if !visit(e, outerPosition(position, i)) {
			return false
		}
		i++
	}
	return visit(v, position)
}

func outerPosition(position, i int) int {
	if position >= 0 {
		return position
	}
	return i
}

// eachInArray follows the path into the documents of an array. If the next component is a position, it also looks at that
// element.
func (p Path) eachInArray(array bson.Raw, leaf Leaf, position int, visit Visit) bool {
	i := 0
	for _, e := range array.All() {
		if e.Type == bsontype.EmbeddedDocument && !p.eachInDocument(bson.Raw(e.Value), leaf, outerPosition(position, i), visit) {
			return false
		}
		if p[0] == strconv.Itoa(i) && !p.eachAtPosition(e, leaf, position, visit) {
			return false
		}
		i++
	}
	return true
}

// eachAtPosition follows the path into the element that its first component names. It does not expand an array there again.
func (p Path) eachAtPosition(e bson.RawValue, leaf Leaf, position int, visit Visit) bool {
	switch {
	case len(p) == 1:
		return visit(e, position)
	case e.Type == bsontype.EmbeddedDocument:
		return p[1:].eachInDocument(bson.Raw(e.Value), leaf, position, visit)
	case e.Type == bsontype.Array:
		return p[1:].eachInArray(bson.Raw(e.Value), leaf, position, visit)
	}
	return true
}

// Field returns a field of a document, or the zero value if it is missing.
func Field(doc bson.Raw, name string) bson.RawValue {
	for key, v := range doc.All() {
		if key == name {
			return v
		}
	}
	return bson.RawValue{}
}

// Lookup follows the path through documents, and through arrays by position only.
func (p Path) Lookup(doc bson.Raw) bson.RawValue {
	var v bson.RawValue
	for i, name := range p {
		v = Field(doc, name)
		if i == len(p)-1 {
			return v
		}
		if v.Type != bsontype.EmbeddedDocument && v.Type != bsontype.Array {
			return bson.RawValue{}
		}
		doc = bson.Raw(v.Value)
	}
	return v
}

// ParseField is Parse for the field names in projections, sorts and expressions, which the server checks. modern
// selects the message of 5.0 and later, which suggests an alternative.
func ParseField(s string, modern bool) (Path, error) {
	switch {
	case s == "":
		return nil, status.Errorf(errcode.Location40352, "FieldPath cannot be constructed with empty string")
	case strings.HasSuffix(s, "."):
		return nil, status.Errorf(errcode.Location40353, "FieldPath must not end with a '.'.")
	}
	hint := ""
	if modern {
		hint = " Consider using $getField or $setField."
	}
	p := Parse(s)
	for _, f := range p {
		switch {
		case f == "":
			return nil, status.Errorf(errcode.Location15998, "FieldPath field names may not be empty strings.")
		case f[0] == '$':
			return nil, status.Errorf(errcode.Location16410, "FieldPath field names may not start with '$'.%s", hint)
		case strings.ContainsRune(f, 0):
			return nil, status.Errorf(16411, "FieldPath field names may not contain '\\0'.%s", hint)
		}
	}
	return p, nil
}
