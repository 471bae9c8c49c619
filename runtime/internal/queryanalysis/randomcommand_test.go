package queryanalysis

import (
	"strings"

	"github.com/specdrivers/onion/bson"
)

// noise is a random value without a meaning.
func (w *world) noise() any {
	switch w.IntN(7) {
	case 0:
		return int32(w.IntN(9))
	case 1:
		return nil
	case 2:
		return bson.Doc(pick(w.Rand, names...), w.noise())
	case 3:
		return bson.A{w.noise()}
	}
	return "n"
}

// put wraps a value in documents until it is at a path. Some of the wrapping is dotted, or an array.
func (w *world) put(path string, v any) bson.D {
	name, rest, more := strings.Cut(path, ".")
	if !more {
		return w.mix(name, v)
	}
	if w.chance(6) {
		return w.mix(path, v) // a name with dots
	}
	inner := any(w.put(rest, v))
	if w.chance(6) {
		inner = bson.A{inner}
	}
	return w.mix(name, inner)
}

// mix makes a document with one element that matters, among others.
func (w *world) mix(key string, v any) bson.D {
	var doc bson.D
	if w.chance(30) {
		doc = append(doc, bson.E{Key: pick(w.Rand, "q", "r", "_id"), Value: w.noise()})
	}
	doc = append(doc, bson.E{Key: key, Value: v})
	if w.chance(20) {
		doc = append(doc, bson.E{Key: pick(w.Rand, "s", "t"), Value: w.noise()})
	}
	return doc
}

// split cuts a path at any point: the fields of the outer documents, and the rest inside.
func (w *world) split(path string) (above, below string) {
	parts := strings.Split(path, ".")
	i := w.IntN(len(parts)) + 1
	return strings.Join(parts[:i], "."), strings.Join(parts[i:], ".")
}

// twistPath returns another path that a server may treat as the same.
func (w *world) twistPath(path string) string {
	parts := strings.Split(path, ".")
	if !w.chance(8) {
		return path
	}
	at := w.IntN(len(parts)) + 1
	parts = append(parts[:at], append([]string{pick(w.Rand, "0", "1", "$", "$[]", "$[i]")}, parts[at:]...)...)
	return strings.Join(parts, ".")
}

var matchOperators = []string{
	"$eq", "$eq", "$eq", "$ne", "$in", "$in", "$nin", "$gt", "$gte", "$lt", "$lte", "$not", "$elemMatch", "$all", "$regex", "$type", "$mod",
	"$bitsAllSet", "$geoWithin", "$near", "$sieve", "$expr", "$exists", "$size",
}

// compareMarker makes a condition that compares with the marker.
func (w *world) compareMarker(v any, depth int) any {
	if w.chance(40) || depth > 3 {
		return v
	}
	op := pick(w.Rand, matchOperators...)
	switch op {
	case "$in", "$nin", "$all":
		return bson.Doc(op, bson.A{"n", v})
	case "$not":
		inner := w.compareMarker(v, depth+1)
		if _, ok := inner.(bson.D); !ok {
			inner = bson.Doc("$eq", v)
		}
		return bson.Doc(op, inner)
	case "$elemMatch":
		return bson.Doc(op, bson.Doc("$eq", v))
	case "$exists", "$size":
		return pick(w.Rand, bson.Doc(op, true, "$eq", v), bson.Doc(op, v))
	}
	if w.chance(20) {
		return bson.Doc(op, v, pick(w.Rand, "$gt", "$lte"), v)
	}
	return bson.Doc(op, v)
}

// filter is a filter that compares a field with its marker.
func (w *world) filter(s secret, depth int) bson.D {
	if depth > 4 {
		return bson.Doc(s.path, s.marker)
	}
	switch w.IntN(12) {
	case 0:
		return bson.Doc(pick(w.Rand, "$and", "$or", "$nor"), bson.A{bson.Doc("q", w.noise()), w.filter(s, depth+1)})
	case 1:
		return append(bson.Doc("q", w.noise()), w.filter(s, depth+1)...)
	case 2:
		above, below := w.split(s.path)
		if below == "" {
			break
		}
		inner := any(w.put(below, s.marker))
		if w.chance(50) {
			inner = w.compareMarker(inner, depth)
		}
		return bson.Doc(above, inner)
	case 3:
		above, below := w.split(s.path)
		if below == "" {
			break
		}
		return bson.Doc(above, bson.Doc("$elemMatch", bson.Doc(below, w.compareMarker(s.marker, depth))))
	case 4, 5:
		return bson.Doc("$expr", w.boolean(s, "", 0))
	case 6:
		return bson.Doc(pick(w.Rand, "$where", "$text", "$jsonSchema", "$sieve"), bson.Doc("enum", bson.A{w.put(s.path, s.marker)}))
	}
	return bson.Doc(w.twistPath(s.path), w.compareMarker(s.marker, depth))
}

// reference is an expression that yields the encrypted field.
func (w *world) reference(s secret, variable string, depth int) any {
	if variable != "" && w.chance(70) {
		return "$$" + variable
	}
	path := "$" + s.path
	if depth > 3 {
		return path
	}
	inner := func() any { return w.reference(s, variable, depth+1) }
	switch w.IntN(23) {
	case 14:
		above, below := w.split(s.path)
		if below != "" {
			return bson.Doc("$let", bson.Doc("vars", bson.Doc("CURRENT", "$"+above), "in", "$"+below))
		}
	case 0:
		return "$$ROOT." + s.path
	case 1:
		return "$$CURRENT." + s.path
	case 2:
		return bson.Doc("$cond", bson.A{true, inner(), inner()})
	case 3:
		return bson.Doc("$cond", bson.Doc("if", "$q", "then", inner(), "else", "$q"))
	case 4:
		return bson.Doc("$ifNull", bson.A{inner(), "n"})
	case 5:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("v", inner()), "in", "$$v"))
	case 6:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("v", "$$ROOT"), "in", "$$v."+s.path))
	case 7:
		return bson.Doc("$getField", s.path)
	case 8:
		return bson.Doc("$arrayElemAt", bson.A{bson.A{inner()}, int32(0)})
	case 9:
		return bson.Doc("$first", bson.A{bson.A{inner()}})
	case 10:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("v", bson.Doc("$mergeObjects", bson.A{"$$ROOT", bson.D{}})), "in", "$$v."+s.path))
	case 11:
		return bson.Doc("$switch", bson.Doc("branches", bson.A{bson.Doc("case", true, "then", inner())}, "default", "n"))
	case 12:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("v", bson.Doc("w", inner())), "in", "$$v.w"))
	case 13:
		return bson.Doc("$toString", inner())
	}
	return path
}

// literal is an expression that yields the marker.
func (w *world) literal(s secret) any {
	switch w.IntN(14) {
	case 0:
		return bson.Doc("$literal", s.marker)
	case 1:
		return bson.Doc("$concat", bson.A{s.marker, ""})
	case 2:
		return bson.Doc("$cond", bson.A{true, s.marker, s.marker})
	case 3:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("v", s.marker), "in", "$$v"))
	case 4:
		return bson.Doc("$ifNull", bson.A{nil, s.marker})
	case 5:
		return bson.Doc("$let", bson.Doc("vars", bson.D{}, "in", s.marker))
	case 6:
		return bson.Doc("$first", bson.A{bson.A{s.marker}})
	}
	return s.marker
}

var comparisonsOf = []string{
	"$eq", "$eq", "$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$cmp", "$setEquals", "$setIsSubset", "$setIntersection", "$setDifference",
	"$indexOfArray", "$strcasecmp", "$concat", "$max", "$sieve", "$and",
}

// boolean is an expression that compares a field with its marker.
func (w *world) boolean(s secret, variable string, depth int) any {
	field, marker := w.reference(s, variable, 0), w.literal(s)
	pair := bson.A{field, marker}
	if w.chance(30) {
		pair = bson.A{marker, field}
	}
	if depth > 3 {
		return bson.Doc("$eq", pair)
	}
	inner := func(v string) any { return w.boolean(s, v, depth+1) }
	switch w.IntN(26) {
	case 19:
		if above, below := w.split(s.path); below != "" {
			in := s
			in.path = below
			return bson.Doc("$let", bson.Doc("vars", bson.Doc("CURRENT", "$"+above), "in", w.boolean(in, "", depth+1)))
		}
	case 20:
		return bson.Doc(pick(w.Rand, "$meta", "$rand"), inner(variable))
	case 0:
		return bson.Doc(pick(w.Rand, "$and", "$or"), bson.A{inner(variable), "$q"})
	case 1:
		return bson.Doc("$not", bson.A{inner(variable)})
	case 2:
		return bson.Doc("$in", bson.A{field, bson.A{"n", marker}})
	case 3:
		return bson.Doc("$in", bson.A{marker, bson.A{field}})
	case 4:
		return bson.Doc("$in", bson.A{field, bson.Doc("$literal", bson.A{s.marker})})
	case 5:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("m", marker), "in", bson.Doc("$eq", bson.A{"$$m", field})))
	case 6:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("f", field), "in", inner("f")))
	case 7:
		return bson.Doc("$filter", bson.Doc("input", bson.A{marker}, "cond", bson.Doc("$eq", bson.A{"$$this", field})))
	case 8:
		return bson.Doc("$map", bson.Doc("input", bson.A{field}, "as", "e", "in", bson.Doc("$eq", bson.A{"$$e", marker})))
	case 9:
		return bson.Doc("$reduce", bson.Doc("input", bson.A{field}, "initialValue", marker, "in", bson.Doc("$eq", bson.A{"$$value", "$$this"})))
	case 10:
		return bson.Doc("$cond", bson.A{inner(variable), 1, 2})
	case 11:
		return bson.Doc("$switch", bson.Doc("branches", bson.A{bson.Doc("case", inner(variable), "then", 1)}, "default", 2))
	case 12:
		return bson.Doc("$eq", bson.A{bson.Doc("k", field), bson.Doc("k", marker)})
	case 13:
		return bson.Doc("$eq", bson.A{bson.A{field}, bson.A{marker}})
	case 14:
		above, below := w.split(s.path)
		if below != "" {
			return bson.Doc("$eq", bson.A{"$" + above, w.put(below, s.marker)})
		}
	case 15:
		return bson.Doc("$eq", bson.A{"$$ROOT", w.put(s.path, s.marker)})
	case 16:
		return bson.Doc("$function", bson.Doc("body", "f", "args", pair, "lang", "js"))
	case 17:
		return bson.Doc(pick(w.Rand, "$encStrStartsWith", "$encStrContains", "$encStrNormalizedEq"), bson.Doc("input", field, pick(w.Rand, "prefix", "substring", "string"), marker))
	case 18:
		return bson.Doc("$regexMatch", bson.Doc("input", field, "regex", marker))
	}
	return bson.Doc(pick(w.Rand, comparisonsOf...), pair)
}

var updateOperators = []string{
	"$set", "$set", "$set", "$setOnInsert", "$inc", "$mul", "$min", "$max", "$currentDate", "$addToSet", "$push", "$pull", "$pullAll", "$bit", "$unset",
	"$pop", "$sieve",
}

// updateArgument makes an update that puts the marker at its field.
func (w *world) updateArgument(s secret) any {
	above, below := w.split(s.path)
	value := any(s.marker)
	if below != "" {
		value = w.put(below, s.marker)
	}
	switch w.IntN(8) {
	case 0, 1:
		return w.put(s.path, s.marker)
	case 2:
		return bson.A{bson.Doc("$set", bson.Doc(above, value))}
	case 3:
		return bson.Doc("q", 1, "$set", bson.Doc(above, value))
	}
	op := pick(w.Rand, updateOperators...)
	switch {
	case w.chance(10):
		value = bson.A{value}
	case op == "$push" || op == "$addToSet":
		value = bson.Doc("$each", bson.A{value})
	}
	doc := bson.Doc(op, bson.Doc(w.twistPath(above), value))
	if w.chance(20) {
		doc = append(bson.Doc("$unset", bson.Doc("q", 1)), doc...)
	}
	return doc
}

// command is a command that has the marker of a field at its path, or compares the field with it.
func (w *world) command() bson.D {
	cmd := w.targetedCommand()
	if w.chance(8) {
		cmd, _ = w.repeating(cmd).(bson.D)
	}
	return cmd
}

func (w *world) targetedCommand() bson.D {
	s := pick(w.Rand, w.fields...)
	if w.chance(5) {
		s.marker = markerText // maybe of a wrong type
	}
	query := func() any { return w.filter(s, 0) }
	switch w.IntN(19) {
	case 0, 1:
		return bson.Doc("insert", "c", "documents", bson.A{bson.Doc("q", 1), w.put(s.path, s.marker)})
	case 2, 3:
		return bson.Doc("find", "c", "filter", query())
	case 4, 5:
		return bson.Doc("update", "c", "updates", bson.A{bson.Doc("q", bson.Doc("q", 1), "u", w.updateArgument(s), "upsert", w.chance(50))})
	case 6:
		return bson.Doc("update", "c", "updates", bson.A{bson.Doc("q", query(), "u", bson.Doc("$set", bson.Doc("q", 1)))})
	case 7:
		return bson.Doc("delete", "c", "deletes", bson.A{bson.Doc("q", query(), "limit", 1)})
	case 8:
		return bson.Doc("findAndModify", "c", "query", query(), "update", w.updateArgument(s))
	case 9:
		return bson.Doc(pick(w.Rand, "count", "distinct"), "c", "query", query(), "key", "q")[:2+w.IntN(2)]
	case 10:
		return bson.Doc("explain", bson.Doc("find", "c", "filter", query()), "verbosity", "v")
	case 11:
		ops := bson.A{
			bson.Doc("insert", 0, "document", w.put(s.path, s.marker)),
			bson.Doc("update", 0, "filter", query(), "updateMods", w.updateArgument(s)),
			bson.Doc("delete", 0, "filter", query()),
		}
		return bson.Doc("bulkWrite", 1, "ops", bson.A{pick(w.Rand, ops...)}, "nsInfo", bson.A{bson.Doc("ns", "db.c")})
	case 12:
		return bson.Doc(pick(w.Rand, "create", "collMod"), "c", "validator", pick[any](w.Rand, w.filter(s, 0), bson.Doc("$jsonSchema", w.valuedSchema(s))))
	case 13:
		return bson.Doc("createIndexes", "c", "indexes", bson.A{bson.Doc("key", bson.Doc("q", 1), "partialFilterExpression", query())})
	case 14:
		return w.findArgument(s)
	}
	return w.aggregateCommand(s)
}

// findArgument is a find with the marker in an argument other than the filter.
func (w *world) findArgument(s secret) bson.D {
	above, below := w.split(s.path)
	value := any(s.marker)
	if below != "" {
		value = w.put(below, s.marker)
	}
	switch w.IntN(9) {
	case 7:
		return bson.Doc("find", "c", "projection", pick(w.Rand, bson.Doc(s.path, w.fieldOrMarker(s)), nest(s.path, w.fieldOrMarker(s))))
	case 3:
		return bson.Doc("find", "c", "let", bson.Doc("v", w.boolean(s, "", 0)))
	case 4:
		return bson.Doc("find", "c", "projection", bson.Doc("q", bson.Doc("$elemMatch", bson.Doc("$expr", w.boolean(s, "", 0)))))
	case 5:
		return bson.Doc("update", "c", "updates", bson.A{bson.Doc("q", bson.D{}, "u", bson.Doc("$set", bson.Doc("q.$[i]", 1)),
			"arrayFilters", bson.A{bson.Doc("$expr", w.boolean(s, "", 0))})})
	case 6:
		return bson.Doc("aggregate", "p", "pipeline", bson.A{bson.Doc("$addFields", bson.Doc(above, value)),
			pick(w.Rand, bson.Doc("$out", "c"), bson.Doc("$merge", "c"), bson.Doc("$merge", bson.Doc("into", bson.Doc("db", "db", "coll", "c"))))})
	case 0:
		return bson.Doc("find", "c", pick(w.Rand, "min", "max"), bson.Doc(above, value))
	case 1:
		return bson.Doc("find", "c", "filter", bson.Doc("$expr", bson.Doc("$eq", bson.A{w.reference(s, "", 0), "$$m"})), "let", bson.Doc("m", s.marker))
	case 2:
		return bson.Doc("find", "c", "projection", bson.Doc("x", w.boolean(s, "", 0)))
	}
	if below == "" {
		return bson.Doc("find", "c", "projection", bson.Doc(s.path, bson.Doc("$elemMatch", bson.Doc("$eq", s.marker))))
	}
	return bson.Doc("find", "c", "projection", bson.Doc(above, bson.Doc("$elemMatch", bson.Doc(below, s.marker))))
}
