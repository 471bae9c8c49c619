package engine

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// predicate is one condition of a query in the form in which the server shows it: {a: 1} is {a: {$eq: 1}}.
type predicate struct {
	path, op string // the path is empty for operators on the whole document
	doc      bson.Raw
}

// listConditions lists the conditions of a query that must all hold, in the server's order.
func listConditions(filter bson.Raw) (list []predicate) {
	for name, v := range filter.All() {
		switch {
		case name == "$comment":
		case name == "$and":
			for _, part := range value.Elements(v) {
				list = append(list, listConditions(bson.Raw(part.Value))...)
			}
		case name == "$or" || name == "$nor":
			parts := value.Elements(v)
			if name == "$or" && len(parts) == 1 {
				list = append(list, listConditions(bson.Raw(parts[0].Value))...)
				continue
			}
			for i := range parts {
				parts[i] = value.Document(joinConditions(listConditions(bson.Raw(parts[i].Value))))
			}
			list = append(list, predicate{"", name, newSingleField(name, value.ArrayOf(parts...))})
		case strings.HasPrefix(name, "$"):
			list = append(list, predicate{"", name, newSingleField(name, v)})
		default:
			list = append(list, listFieldConditions(name, v)...)
		}
	}
	slices.SortStableFunc(list, func(a, b predicate) int {
		if d := cmp.Compare(slices.Index(matchOrder, a.op), slices.Index(matchOrder, b.op)); d != 0 {
			return d
		}
		return cmp.Compare(a.path, b.path)
	})
	return list
}

// matchOrder is the order in which the server sorts conditions.
var matchOrder = []string{"$or", "$elemMatch", "$size", "$eq", "$lte", "$lt", "$gt", "$gte", "$regex", "$mod", "$exists", "$in",
	"$bitsAllSet", "$bitsAllClear", "$bitsAnySet", "$bitsAnyClear", "$not", "$nor", "$type", "$geoWithin", "$geoIntersects",
	"$where", "$expr", "$near", "$nearSphere", "$geoNear", "$text"}

// listFieldConditions lists the conditions on one path.
func listFieldConditions(name string, v bson.RawValue) (list []predicate) {
	add := func(op string, v bson.RawValue) {
		list = append(list, predicate{name, op, newSingleField(name, value.Document(newSingleField(op, v)))})
	}
	d, ok := v.DocumentOK()
	first, _ := d.Index(0)
	switch {
	case v.Type == bsontype.Regex:
		list = append(list, predicate{name, "$regex", newSingleField(name, value.Document(regexFields(v, bson.RawValue{})))})
		return list
	case !ok || !strings.HasPrefix(first.Key, "$") || first.Key == "$ref" || first.Key == "$id" || first.Key == "$db":
		add("$eq", v)
		return list
	}
	for op, v := range d.All() {
		switch op {
		case "$options":
		case "$ne":
			add("$not", value.Document(newSingleField("$eq", v)))
		case "$nin":
			add("$not", value.Document(newSingleField("$in", sortList(v))))
		case "$exists":
			if value.IsTruthy(v) {
				add(op, value.Bool(true))
			} else {
				add("$not", value.Document(newSingleField(op, value.Bool(true))))
			}
		case "$in":
			if l := sortList(v); bson.RawArray(l.Value).Len() != 1 {
				add(op, l)
			} else if one := value.Elements(l)[0]; one.Type == bsontype.Regex {
				list = append(list, listFieldConditions(name, one)...)
			} else {
				add("$eq", one)
			}
		case "$all":
			for _, e := range value.Elements(v) {
				list = append(list, listFieldConditions(name, e)...)
			}
		case "$type":
			add(op, shownTypes(v))
		case "$regex":
			list = append(list, predicate{name, op, newSingleField(name, value.Document(regexFields(v, d.Lookup("$options"))))})
		default:
			add(op, v)
		}
	}
	return list
}

// regexFields are $regex and $options, which may be parts of a regular expression value.
func regexFields(v, options bson.RawValue) bson.Raw {
	pattern := value.Text(v)
	flags := value.Text(options)
	if p, o, ok := v.RegexOK(); ok {
		pattern = p
		if flags == "" {
			flags = o
		}
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendStringElement(dst, "$regex", pattern)
	if flags != "" {
		dst = bson.AppendStringElement(dst, "$options", flags)
	}
	return bson.AppendDocumentEnd(dst, start)
}

// sortList returns a list of $in in order and without repetitions, with its regular expressions at the end.
func sortList(v bson.RawValue) bson.RawValue {
	if v.Type != bsontype.Array {
		return v
	}
	list := value.Elements(v)
	slices.SortStableFunc(list, func(a, b bson.RawValue) int { return compare.Values(a, b, nil) })
	return value.ArrayOf(slices.CompactFunc(list, func(a, b bson.RawValue) bool { return compare.Equal(a, b, nil) })...)
}

// joinConditions returns the query that asks for all conditions.
func joinConditions(list []predicate) bson.Raw {
	switch len(list) {
	case 0:
		return value.EmptyDocument
	case 1:
		return list[0].doc
	}
	docs := make([]bson.RawValue, len(list))
	for i, p := range list {
		docs[i] = value.Document(p.doc)
	}
	return newSingleField("$and", value.ArrayOf(docs...))
}

// states reports whether a constraint comes from the predicate.
func (p *predicate) states(u *use) bool {
	if p.path != u.Path || u.Element != nil || u.Expr {
		return false
	}
	inner, _ := bson.Raw(p.doc.Lookup(p.path).Value).Index(0)
	if u.Negated {
		if p.op != "$not" || inner.Value.Type != bsontype.EmbeddedDocument {
			return false
		}
		inner, _ = bson.Raw(inner.Value.Value).Index(0)
	} else if p.op == "$not" {
		return false
	}
	switch {
	case inner.Key == "$regex":
		want := u.Values[0]
		return u.Op == "$regex" && bytes.Equal(regexFields(want, bson.RawValue{}), bson.Raw(p.doc.Lookup(p.path).Value))
	case inner.Key == "$exists" || u.Op == "$exists":
		return inner.Key == u.Op
	case u.Op == "$type":
		return inner.Key == "$type" && compare.Equal(inner.Value, shownTypes(u.Values[0]), nil)
	case u.Op == "$in":
		list := sortList(value.ArrayOf(u.Values...))
		if inner.Key == "$eq" {
			list = value.ArrayOf(inner.Value)
			return len(u.Values) > 0 && compare.Equal(list, sortList(value.ArrayOf(u.Values...)), nil)
		}
		return inner.Key == "$in" && compare.Equal(list, sortList(inner.Value), nil)
	}
	return inner.Key == u.Op && compare.Equal(inner.Value, u.Values[0], nil)
}
