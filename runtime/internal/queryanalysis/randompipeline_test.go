package queryanalysis

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// aggregateCommand makes a pipeline that moves the field around and then compares it.
func (w *world) aggregateCommand(s secret) bson.D {
	name := "aggregate"
	stages := bson.A{}
	for range w.IntN(5) {
		var stage bson.D
		if w.chance(10) {
			if w.chance(30) { // a plain value stands there for a while
				stages = append(stages, bson.Doc("$set", bson.Doc(s.path, pick[any](w.Rand, "constant", "$q", bson.Doc("$add", bson.A{"$q", 1})))))
			}
			stage, s.gone = w.remove(s), true
		} else {
			stage, s = w.move(s, len(stages))
		}
		stages = append(stages, stage)
	}
	stages = append(stages, w.comparingStages(s)...)
	if w.chance(5) {
		return bson.Doc("create", "v", "viewOn", "c", "pipeline", stages)
	}
	if w.chance(15) {
		return bson.Doc(name, "p", "pipeline", bson.A{bson.Doc("$lookup", bson.Doc("from", "c", "pipeline", stages, "as", "j"))})
	}
	return bson.Doc(name, "c", "pipeline", stages)
}

// move makes a stage that moves the field to another path, or leaves it.
func (w *world) move(s secret, i int) (bson.D, secret) {
	to := "m" + strconv.Itoa(i)
	above, below := w.split(s.path)
	moved := s
	if moved.path = to; below != "" {
		moved.path = to + "." + below
	}
	under := s
	under.path = to + "." + s.path
	key := s
	key.path = "_id"
	switch w.IntN(25) {
	case 21: // a server may keep all fields
		score := bson.Doc("$meta", "textScore")
		doc := pick(w.Rand, bson.Doc(to, score), bson.Doc(to, bson.Doc("x", score)))
		if w.chance(30) && !strings.HasPrefix(s.path, "_id") {
			doc = append(doc, bson.E{Key: "_id", Value: 0})
		}
		return bson.Doc("$project", doc), s
	case 0:
		return bson.Doc("$project", bson.Doc(to, "$"+above)), moved
	case 1:
		return bson.Doc(pick(w.Rand, "$addFields", "$set"), bson.Doc(to, "$"+above)), moved
	case 2:
		return bson.Doc("$project", bson.Doc(above, 1)), s
	case 3:
		return bson.Doc("$project", bson.Doc("q", pick(w.Rand, bson.A{0, false, 0.0, bson.Decimal128{}}...))), s
	case 4:
		return bson.Doc("$unset", "q"), s
	case 5:
		return bson.Doc("$addFields", bson.Doc(above+".other", "$q")), s
	case 6:
		return bson.Doc("$replaceRoot", bson.Doc("newRoot", bson.Doc(to, "$$ROOT"))), under
	case 7:
		if below != "" {
			moved.path = below
			return bson.Doc(pick(w.Rand, "$replaceWith"), "$"+above), moved
		}
	case 8:
		return bson.Doc("$group", bson.Doc("_id", "$"+s.path, "n", bson.Doc("$sum", 1))), key
	case 9:
		return bson.Doc("$sortByCount", "$"+s.path), key
	case 10:
		return bson.Doc("$group", bson.Doc("_id", nil, to, bson.Doc(pick(w.Rand, "$addToSet", "$push", "$first", "$max"), "$"+above))), moved
	case 11:
		return bson.Doc("$unwind", pick[any](w.Rand, "$q", "$"+above, bson.Doc("path", "$"+above, "includeArrayIndex", "q"))), s
	case 12:
		return bson.Doc("$lookup", bson.Doc("from", "c", "localField", "q", "foreignField", "q", "as", to)), s
	case 13:
		return bson.Doc("$lookup", bson.Doc("from", "p", "localField", "q", "foreignField", "q", "as", to)), s
	case 14:
		return bson.Doc("$unionWith", pick[any](w.Rand, "c", "p", bson.Doc("coll", "c", "pipeline", bson.A{bson.Doc("$limit", 1)}))), s
	case 15:
		return bson.Doc("$facet", bson.Doc(to, bson.A{bson.Doc("$limit", 1)})), under
	case 16:
		return bson.Doc("$project", bson.Doc(to, bson.Doc("$cond", bson.A{"$q", "$" + above, "n"}))), moved
	case 17:
		return bson.Doc("$project", bson.Doc(to, bson.A{"$" + s.path})), moved
	case 18:
		return bson.Doc("$addFields", bson.Doc(to, bson.Doc("deep", "$$ROOT"))), secret{to + ".deep." + s.path, s.origin, s.marker, s.gone, s.kind}
	case 19:
		under.path = to + "." + s.origin
		return bson.Doc("$graphLookup", bson.Doc("from", "c", "startWith", "$q", "connectFromField", "q", "connectToField", "r", "as", to)), under
	case 20:
		return bson.Doc("$bucket", bson.Doc("groupBy", "$q", "boundaries", bson.A{1, 2}, "output", bson.Doc(to, bson.Doc("$first", "$"+above)))), moved
	}
	return bson.Doc(pick(w.Rand, "$limit", "$skip"), 1), s
}

// remove makes a stage after which the path of the field names nothing. A literal that is compared with it must be refused.
func (w *world) remove(s secret) bson.D {
	above, below := w.split(s.path)
	if above == "_id" || strings.HasPrefix(above, "_id.") {
		return bson.Doc("$unset", above) // other stages keep _id, or give it another value
	}
	switch w.IntN(18) {
	case 0:
		return bson.Doc("$unset", above)
	case 1:
		return bson.Doc("$unset", bson.A{"q", s.path})
	case 2:
		return bson.Doc("$project", bson.Doc(above, pick(w.Rand, bson.A{0, false, 0.0, bson.Decimal128{}}...)))
	case 3:
		if below != "" {
			return bson.Doc("$project", bson.Doc(above, nest(below, 0)))
		}
	case 4:
		return bson.Doc("$project", bson.Doc("q", 1))
	case 5:
		return bson.Doc("$project", bson.Doc("q", pick[any](w.Rand, "$r", bson.Doc("$add", bson.A{"$r", 1}))))
	case 6:
		return bson.Doc(pick(w.Rand, "$set", "$addFields"), bson.Doc(above, pick[any](w.Rand, "$$REMOVE",
			bson.Doc("$cond", bson.A{"$q", "$$REMOVE", "$r"}), bson.Doc("$ifNull", bson.A{"$q", "$$REMOVE"}))))
	case 7:
		return bson.Doc("$group", bson.Doc("_id", pick[any](w.Rand, nil, "$q"), "n", bson.Doc("$sum", 1)))
	case 8:
		return bson.Doc("$bucket", bson.Doc("groupBy", "$q", "boundaries", bson.A{1, 2}))
	case 9:
		return bson.Doc("$bucketAuto", bson.Doc("groupBy", "$q", "buckets", 2, "output", bson.Doc("n", bson.Doc("$sum", 1))))
	case 10:
		return bson.Doc("$sortByCount", "$q")
	case 11:
		return bson.Doc("$count", "n")
	case 12:
		return bson.Doc("$facet", bson.Doc("f", bson.A{bson.Doc("$limit", 1)}))
	case 13:
		return bson.Doc("$replaceRoot", bson.Doc("newRoot", bson.Doc("q", "$r")))
	case 14:
		return bson.Doc("$replaceWith", pick[any](w.Rand, bson.Doc("$mergeObjects", bson.A{"$q", "$r"}), bson.Doc("$cond", bson.A{"$q", "$r", "$q"}),
			bson.Doc("$arrayToObject", "$q")))
	case 15:
		return bson.Doc("$collStats", bson.Doc("count", bson.D{}))
	case 16:
		return bson.Doc("$replaceWith", nest(s.path, "$$REMOVE"))
	}
	return bson.Doc("$unset", s.path)
}

// plantingStage is a stage that puts the marker into the place of the field in some documents, and keeps the field in the others.
func (w *world) plantingStage(s secret) bson.D {
	v := w.fieldOrMarker(s)
	above, _ := w.split(s.path)
	switch doc := bson.Doc(above, v); w.IntN(6) {
	case 0:
		return bson.Doc("$replaceWith", pick[any](w.Rand, nest(s.path, v), bson.Doc("$cond", bson.Doc(
			"if", "$q", "then", w.wrapValue(nest(s.path, s.marker)), "else", "$$ROOT"))))
	case 1:
		return bson.Doc("$replaceRoot", bson.Doc("newRoot", pick(w.Rand, bson.Doc("$mergeObjects", bson.A{"$q", nest(s.path, v)}),
			bson.Doc("$ifNull", bson.A{nest(s.path, "$"+s.path), nest(s.path, s.marker)}))))
	case 2:
		return bson.Doc("$addFields", nest(s.path, v))
	case 3:
		if above == s.path {
			return bson.Doc("$addFields", doc)
		}
	case 4:
		return bson.Doc("$project", bson.Doc(s.path, v))
	}
	return bson.Doc("$set", bson.Doc(s.path, v))
}

// fieldOrMarker makes an expression that yields the field or the marker.
func (w *world) fieldOrMarker(s secret) any {
	v := w.wrapValue(s.marker)
	if w.chance(30) {
		v = nest("x", v) // a document is never the value of the field
	}
	path := "$" + s.path
	switch w.IntN(5) {
	case 0:
		return bson.Doc("$cond", pick(w.Rand, bson.A{"$q", path, v}, bson.A{"$q", v, path}))
	case 1:
		return bson.Doc("$switch", bson.Doc("branches", bson.A{bson.Doc("case", "$q", "then", v)}, "default", path))
	case 2:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("x", v), "in", bson.Doc("$ifNull", bson.A{path, "$$x"})))
	case 3:
		return pick[any](w.Rand, bson.A{path, v}, bson.Doc("$ifNull", bson.A{bson.Doc("x", path), v}))
	}
	return bson.Doc("$ifNull", bson.A{path, v})
}

// nest is the document that has a value at a path.
func nest(path string, v any) bson.D {
	name, rest, more := strings.Cut(path, ".")
	if more {
		v = nest(rest, v)
	}
	return bson.Doc(name, v)
}

// wrapValue makes an expression that may yield a value.
func (w *world) wrapValue(v any) any {
	switch w.IntN(12) {
	case 0:
		return bson.Doc("$literal", v)
	case 1:
		return bson.Doc("$arrayElemAt", bson.A{bson.A{w.wrapValue(v), 1}, 0})
	case 2:
		return bson.Doc("$ifNull", bson.A{"$q", w.wrapValue(v)})
	case 3:
		return bson.Doc("$cond", bson.A{"$q", "$r", w.wrapValue(v)})
	case 4:
		return bson.Doc("$let", bson.Doc("vars", bson.Doc("x", w.wrapValue(v)), "in", "$$x"))
	case 5:
		return bson.Doc("$reduce", bson.Doc("input", "$q", "initialValue", w.wrapValue(v), "in", "$$value"))
	case 6:
		return bson.Doc(pick(w.Rand, "$max", "$concatArrays", "$setUnion", "$first"), bson.A{w.wrapValue(v)})
	case 7:
		return bson.Doc("$switch", bson.Doc("branches", bson.A{bson.Doc("case", "$q", "then", w.wrapValue(v))}))
	}
	return v
}

// comparingStages are the stages that compare the field with the marker.
func (w *world) comparingStages(s secret) bson.A {
	way := w.IntN(19)
	if s.gone && (way == 6 || way >= 17) {
		way = 0 // what takes the place of a field that is gone is not its value
	}
	switch way {
	case 17, 18:
		return bson.A{w.plantingStage(s)}
	case 12:
		return bson.A{bson.Doc("$geoNear", bson.Doc("near", bson.A{1, 2}, "distanceField", "q", "query", w.filter(s, 0)))}
	case 10:
		started := s
		started.path = s.origin
		return bson.A{bson.Doc("$graphLookup", bson.Doc("from", "c", "startWith", "$q", "connectFromField", "q", "connectToField", "r", "as", "g",
			"restrictSearchWithMatch", w.filter(started, 0)))}
	case 11:
		inside := s // $redact applies its expression to embedded documents, too
		inside.path = s.path[strings.LastIndexByte(s.path, '.')+1:]
		return bson.A{bson.Doc("$redact", bson.Doc("$cond", bson.A{w.boolean(inside, "", 0), "$$DESCEND", "$$PRUNE"}))}
	case 0:
		return bson.A{bson.Doc("$facet", bson.Doc("f", bson.A{bson.Doc("$match", w.filter(s, 0))}))}
	case 1:
		return bson.A{bson.Doc("$project", bson.Doc("x", w.boolean(s, "", 0)))}
	case 2:
		return bson.A{bson.Doc("$group", bson.Doc("_id", w.boolean(s, "", 0)))}
	case 3:
		return bson.A{bson.Doc("$redact", bson.Doc("$cond", bson.A{w.boolean(s, "", 0), "$$DESCEND", "$$PRUNE"}))}
	case 4:
		return bson.A{bson.Doc("$bucket", bson.Doc("groupBy", w.reference(s, "", 0), "boundaries", bson.A{s.marker, "zz"}))}
	case 5:
		return bson.A{bson.Doc("$lookup", bson.Doc("from", "p", "let", bson.Doc("v", w.reference(s, "", 0)), "pipeline",
			bson.A{bson.Doc("$match", bson.Doc("$expr", bson.Doc("$eq", bson.A{"$$v", s.marker})))}, "as", "j"))}
	case 6:
		return bson.A{bson.Doc("$lookup", bson.Doc("from", "p", "let", bson.Doc("v", s.marker), "pipeline", bson.A{}, "localField", s.path, "foreignField", "x", "as", "j")),
			bson.Doc("$match", w.filter(s, 0))}
	case 7:
		return bson.A{bson.Doc("$lookup", bson.Doc("from", "c", "localField", "q", "foreignField", "q", "as", "j")), bson.Doc("$unwind", "$j"),
			bson.Doc("$match", w.filter(s, 0))}
	case 8:
		return bson.A{bson.Doc("$group", bson.Doc("_id", nil, "n", bson.Doc(pick(w.Rand, "$sum", "$addToSet", "$max"), bson.Doc("$cond", bson.A{w.boolean(s, "", 0), 1, 0}))))}
	case 9:
		return bson.A{bson.Doc("$setWindowFields", bson.Doc("output", bson.Doc("x", w.boolean(s, "", 0))))}
	}
	return bson.A{bson.Doc("$match", w.filter(s, 0))}
}
