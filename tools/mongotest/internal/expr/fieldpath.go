package expr

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// pathMax limits the number of components in a path.
const pathMax = 200

// checkFieldName refuses names that cannot be a component of a path.
func (c *compiler) checkFieldName(name string) error {
	hint := ""
	if c.scope.Wire() >= wire.Server50 {
		hint = " Consider using $getField or $setField."
	}
	switch {
	case name == "":
		return status.Errorf(errcode.Location15998, "FieldPath field names may not be empty strings.")
	case name[0] == '$' && !dollarFields[name]:
		return status.Errorf(errcode.Location16410, "FieldPath field names may not start with '$'.%s", hint)
	case strings.Contains(name, "\x00"):
		return status.Errorf(16411, "FieldPath field names may not contain '\\0'.")
	case strings.Contains(name, "."):
		return status.Errorf(16412, "FieldPath field names may not contain '.'.%s", hint)
	}
	return nil
}

// dollarFields are the names with a $ that a path may contain.
var dollarFields = map[string]bool{
	"$id": true, "$ref": true, "$db": true, "$sortKey": true, "$recordId": true, "$searchSortValues": true, "$searchScore": true,
}

// splitFieldPath splits a path into components.
func (c *compiler) splitFieldPath(s string) (path.Path, error) {
	switch {
	case s == "":
		return nil, status.Errorf(errcode.Location40352, "FieldPath cannot be constructed with empty string")
	case strings.HasSuffix(s, "."):
		return nil, status.Errorf(errcode.Location40353, "FieldPath must not end with a '.'.")
	}
	fields := path.Parse(s)
	if len(fields) > pathMax {
		return nil, status.Errorf(errcode.Overflow, "FieldPath is too long")
	}
	for _, f := range fields {
		if err := c.checkFieldName(f); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// CheckPath splits a path that appears outside an expression, without a $.
func CheckPath(s string, scope *Scope) (path.Path, error) {
	return (&compiler{scope: scope}).splitFieldPath(s)
}

// Follow walks a path through documents. An array on the way yields an array of the values found in its documents.
func Follow(v bson.RawValue, fields path.Path) bson.RawValue {
	for i, f := range fields {
		switch v.Type {
		case bsontype.EmbeddedDocument:
			v = path.Field(bson.Raw(v.Value), f)
		case bsontype.Array:
			var out []bson.RawValue
			for _, e := range bson.Raw(v.Value).All() {
				if e.Type != bsontype.EmbeddedDocument {
					continue
				}
				if got := Follow(e, fields[i:]); !got.IsZero() {
					out = append(out, got)
				}
			}
			return value.ArrayOf(out...)
		default:
			return bson.RawValue{}
		}
	}
	return v
}
