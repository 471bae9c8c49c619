package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// wildcard is this package's name for the kind of an index on all paths. Such a key does not name its kind.
const wildcard = "wildcard"

// indexFields reads an index key and returns the kind of index; "" is an ordered one.
func indexFields(x *store.Index, key bson.Raw, version int32) (plugin string, err error) {
	var seen []string
	for name, v := range key.All() {
		if slices.Contains(seen, name) {
			return "", status.Errorf(errcode.BadValue,
				"The field '%s' appears multiple times in the index key pattern %s", name, status.Text(key))
		}
		seen = append(seen, name)
		kind, err := keyKind(name, v)
		switch {
		case err != nil:
			return "", err
		case kind == "2d" && plugin == "2d":
			return "", status.Errorf(16800, "can't have 2 geo fields")
		case kind != "" && plugin != "" && kind != plugin && plugin != wildcard:
			return "", status.Errorf(errcode.CannotCreateIndex, "Can't use more than one index plugin for a single index.")
		case kind != "":
			plugin = kind
		}
		f := store.Field{Name: name, Path: path.Parse(name)}
		f.Descending = number.Is(v.Type) && number.Float64(v) < 0
		f.Hashed = kind == "hashed"
		x.Fields = append(x.Fields, f)
	}
	if len(x.Fields) == 0 {
		return "", status.Errorf(errcode.CannotCreateIndex, "Index keys cannot be empty.")
	}
	if x.Opaque = plugin != "" && plugin != "hashed"; plugin == "2dsphere" {
		x.Check = checkShapes(x, key)
	}
	if plugin == "geoHaystack" && version >= wire.Server50 {
		return "", status.Errorf(errcode.CannotCreateIndex, "GeoHaystack indexes cannot be created in version 4.9 and above")
	}
	return plugin, nil
}

// keyKind checks one part of a key and returns its kind.
func keyKind(name string, v bson.RawValue) (string, error) {
	kind := ""
	switch s, isText := v.StringOK(); {
	case isText:
		switch s {
		case "text", "2dsphere", "2d", "hashed", "geoHaystack":
			kind = s
		default:
			return "", status.Errorf(errcode.CannotCreateIndex, "Unknown index plugin '%s'", s)
		}
	case !number.Is(v.Type):
		return "", status.Errorf(errcode.CannotCreateIndex,
			"Values in v:2 index key pattern cannot be of type %s. Only numbers > 0, numbers < 0, and strings are allowed.", v.Type)
	case number.IsNaN(v):
		return "", status.Errorf(errcode.CannotCreateIndex, "Values in the index key pattern cannot be NaN.")
	case number.IsZeroValue(v):
		return "", status.Errorf(errcode.CannotCreateIndex, "Values in the index key pattern cannot be 0.")
	}
	switch {
	case name == "":
		return "", status.Errorf(errcode.CannotCreateIndex, "Index keys cannot be an empty field.")
	case name == "$**" && kind == "text", name == "_fts" && kind == "text", name == "_ftsx":
		return kind, nil
	case name == "_fts":
		return "", status.Errorf(errcode.CannotCreateIndex, "Index key contains an illegal field name: '_fts'")
	case kind == "" && (name == "$**" || strings.HasSuffix(name, ".$**")):
		return wildcard, nil
	}
	for i, part := range strings.Split(name, ".") {
		switch {
		case part == "":
			return "", status.Errorf(errcode.CannotCreateIndex, "Index keys cannot contain an empty field.")
		case part[0] == '$' && (i == 0 || part != "$db" && part != "$id" && part != "$ref"):
			return "", status.Errorf(errcode.CannotCreateIndex, "Index key contains an illegal field name: field name starts with '$'.")
		}
	}
	return kind, nil
}

// checkPlugin refuses options that an index of this kind does not have.
func checkPlugin(x *store.Index, plugin string, spec bson.Raw, version int32) error {
	hashed := 0
	for _, v := range bson.Raw(spec.Lookup("key").Value).All() {
		if value.Text(v) == "hashed" {
			hashed++
		}
	}
	switch {
	case plugin == "hashed" && hashed > 1 && version >= wire.Server44:
		return status.Errorf(31303,
			"A maximum of one index field is allowed to be hashed but found %d for 'key' %s", hashed, status.TextOf(spec.Lookup("key")))
	case plugin == "hashed" && len(x.Fields) > 1 && version < wire.Server44:
		return status.Errorf(16763, "Currently only single field hashed index supported.")
	case plugin == "hashed" && x.Unique:
		return status.Errorf(16764, "Currently hashed indexes cannot guarantee uniqueness. Use a regular index.")
	case (plugin == "text" || plugin == "2d") && x.Collation != nil:
		return status.Errorf(errcode.CannotCreateIndex, "Index type '%s' does not support collation: %s",
			plugin, status.Text(x.Collation.Spec()))
	case plugin == wildcard && len(x.Fields) > 1 && version < wire.Server70:
		return status.Errorf(errcode.CannotCreateIndex, "wildcard indexes do not allow compounding")
	case plugin != "" && plugin != wildcard && plugin != "text" && x.Unique:
		return status.Errorf(errcode.CannotCreateIndex,
			"mongotest stores indexes of type '%s' without their values, so that it cannot keep"+
				" one unique: leave unique out, or use another kind of index", plugin)
	case plugin != wildcard:
		return nil
	}
	for _, option := range [...]string{"sparse", "unique", "expireAfterSeconds"} {
		if v := spec.Lookup(option); !v.IsZero() && (option == "expireAfterSeconds" || value.IsTruthy(v)) {
			return status.Errorf(errcode.CannotCreateIndex, "Index type 'wildcard' does not support the '%s' option", option)
		}
	}
	return nil
}

// shownKey returns the key as listIndexes shows it. A text index shows its text fields in the weights instead.
func shownKey(key bson.RawValue, plugin string) bson.RawValue {
	if plugin != "text" {
		return key
	}
	dst, start := bson.AppendDocumentStart(nil)
	done := false
	for name, v := range bson.Raw(key.Value).All() {
		switch {
		case name == "_fts", name == "_ftsx":
		case value.Text(v) != "text":
			dst = bson.AppendRawValueElement(dst, name, v)
			continue
		}
		if !done {
			dst = bson.AppendStringElement(dst, "_fts", "text")
			dst = bson.AppendInt32Element(dst, "_ftsx", 1)
			done = true
		}
	}
	return value.Document(bson.AppendDocumentEnd(dst, start))
}

// appendPlugin adds the fields that the server adds to the specification of a text or geospatial index.
func appendPlugin(dst []byte, plugin string, spec bson.Raw) []byte {
	or := func(name string, otherwise bson.RawValue) []byte {
		if v := spec.Lookup(name); !v.IsZero() {
			otherwise = v
		}
		return bson.AppendRawValueElement(dst, name, otherwise)
	}
	switch plugin {
	case "text":
		dst = bson.AppendDocumentElement(dst, "weights", weights(spec))
		dst = or("default_language", value.String("english"))
		dst = or("language_override", value.String("language"))
		dst = or("textIndexVersion", value.Int32(3))
	case "2dsphere":
		dst = or("2dsphereIndexVersion", value.Int32(3))
	}
	return dst
}

// weights returns the weights of a text index's fields, in order of name. The default weight is 1.
func weights(spec bson.Raw) bson.Raw {
	given, _ := spec.Lookup("weights").DocumentOK()
	all := map[string]bson.RawValue{}
	for name, v := range bson.Raw(spec.Lookup("key").Value).All() {
		if value.Text(v) == "text" && name != "_fts" {
			all[name] = value.Int32(1)
		}
	}
	for name, v := range documentOrEmpty(given).All() {
		if number.Is(v.Type) {
			all[name] = v
		}
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	dst, start := bson.AppendDocumentStart(nil)
	for _, name := range names {
		dst = bson.AppendRawValueElement(dst, name, all[name])
	}
	return bson.AppendDocumentEnd(dst, start)
}

// indexesBy finds the indexes with a name or a key.
func indexesBy(c *store.Collection, which bson.RawValue) []*store.Index {
	var found []*store.Index
	for _, x := range c.Indexes() {
		byKey := which.Type == bsontype.EmbeddedDocument && sameKey(x.KeyPattern(), bson.Raw(which.Value))
		if x.Name != "" && (byKey || which.Type == bsontype.String && value.Text(which) == x.Name) {
			found = append(found, x)
		}
	}
	return found
}

// idName is the name of the index that every collection has.
const idName = "_id_"

// shownIndexes returns the indexes that clients see. They exclude the one that finds an _id in a time-series collection.
func shownIndexes(c *store.Collection) []*store.Index {
	list := c.Indexes()
	if len(list) > 0 && list[0].Name == "" {
		return list[1:]
	}
	return list
}

// indexSize returns the size of a collection's indexes in bytes.
func indexSize(c *store.Collection) (size int64) {
	for _, x := range shownIndexes(c) {
		size += x.Size()
	}
	return size
}
