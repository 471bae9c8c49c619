package mongo_test

import "github.com/specdrivers/onion/bson"

// huntFilters, huntUpdates and huntStages return templates of what a program writes. FIELD stands for the path of an
// encrypted field, VALUE for its value, COLLECTION for its collection.
func huntFilters() []bson.D {
	op := func(name string, operand any) bson.D { return bson.Doc("FIELD", bson.Doc(name, operand)) }
	x := func(name string, operands ...any) bson.D { return bson.Doc("$expr", bson.Doc(name, bson.A(operands))) }
	list := []bson.D{bson.Doc("FIELD", "VALUE"), bson.Doc("FIELD", bson.A{"VALUE"}), bson.Doc("FIELD", bson.Doc("x", "VALUE")),
		bson.Doc("FIELD.x", "VALUE"), bson.Doc("FIELD.0", "VALUE"),
		op("$elemMatch", bson.Doc("$eq", "VALUE")), op("$not", bson.Doc("$eq", "VALUE")), op("$not", bson.Doc("$gt", "VALUE")),
		op("$type", "VALUE"), op("$mod", bson.A{"VALUE", 0}), bson.Doc("FIELD", bson.Doc("$gte", "VALUE", "$lt", "VALUE")),
		bson.Doc("$text", bson.Doc("$search", "VALUE")), bson.Doc("$where", "VALUE"),
		x("$eq", "$FIELD", bson.Doc("$literal", "VALUE")), x("$eq", "VALUE", "$FIELD"), x("$in", "$FIELD", bson.A{"VALUE"}),
		x("$and", bson.Doc("$gte", bson.A{"$FIELD", "VALUE"}), bson.Doc("$lte", bson.A{"$FIELD", "VALUE"})),
		x("$eq", bson.Doc("$ifNull", bson.A{"$FIELD", "VALUE"}), "VALUE"), x("$eq", bson.Doc("$cond", bson.A{"$plain", "$FIELD", "VALUE"}), 1),
		x("$eq", bson.Doc("$concat", bson.A{"$FIELD", "VALUE"}), "x"), x("$eq", "$$ROOT", bson.Doc("FIELD", "VALUE")),
		bson.Doc("$expr", bson.Doc("$let", bson.Doc("vars", bson.Doc("v", "$FIELD"), "in", bson.Doc("$eq", bson.A{"$$v", "VALUE"})))),
		bson.Doc("$expr", bson.Doc("$encStrStartsWith", bson.Doc("input", "$FIELD", "prefix", "VALUE"))),
		bson.Doc("$expr", bson.Doc("$encStrContains", bson.Doc("input", "$FIELD", "substring", "VALUE"))),
	}
	for _, name := range []string{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$regex", "$size", "$bitsAllSet"} {
		list = append(list, op(name, "VALUE"))
	}
	for _, name := range []string{"$in", "$nin", "$all"} {
		list = append(list, op(name, bson.A{"VALUE", "VALUE"}))
	}
	for _, name := range []string{"$and", "$or", "$nor"} {
		list = append(list, bson.Doc(name, bson.A{bson.Doc("plain", 1), bson.Doc("FIELD", "VALUE")}))
	}
	return list
}

func huntUpdates() []any {
	list := []any{
		bson.A{bson.Doc("$set", bson.Doc("FIELD", "VALUE"))}, bson.A{bson.Doc("$set", bson.Doc("plain", bson.Doc("$ifNull", bson.A{"$FIELD", "VALUE"})))},
		bson.A{bson.Doc("$replaceWith", bson.Doc("FIELD", "VALUE"))}, bson.A{bson.Doc("$unset", "FIELD"), bson.Doc("$set", bson.Doc("FIELD", "VALUE"))},
		bson.Doc("$push", bson.Doc("FIELD", bson.Doc("$each", bson.A{"VALUE"}, "$sort", 1))), bson.Doc("$pull", bson.Doc("FIELD", bson.Doc("$in", bson.A{"VALUE"}))),
		bson.Doc("$set", bson.Doc("FIELD", bson.A{"VALUE"})), bson.Doc("$set", bson.Doc("FIELD", bson.Doc("x", "VALUE"))),
		bson.Doc("$set", bson.Doc("FIELD.x", "VALUE")), bson.Doc("$set", bson.Doc("FIELD.$[i]", "VALUE")), bson.Doc("$rename", bson.Doc("plain", "FIELD")),
	}
	for _, name := range []string{"$set", "$setOnInsert", "$min", "$max", "$inc", "$mul", "$addToSet", "$push", "$pull", "$unset"} {
		list = append(list, bson.Doc(name, bson.Doc("FIELD", "VALUE")))
	}
	for _, name := range []string{"$pullAll"} {
		list = append(list, bson.Doc(name, bson.Doc("FIELD", bson.A{"VALUE"})))
	}
	return list
}

// huntStages hold the value, or compare the field with it after another stage.
func huntStages() []bson.A {
	match := bson.Doc("$match", bson.Doc("FIELD", "VALUE"))
	eq := bson.Doc("$eq", bson.A{"$FIELD", "VALUE"})
	mixed := bson.Doc("$ifNull", bson.A{"$FIELD", "VALUE"})
	lookup := func(more ...any) bson.D {
		return bson.Doc("$lookup", bson.Doc(append([]any{"from", "COLLECTION", "as", "f"}, more...)...))
	}
	join := lookup("localField", "plain", "foreignField", "plain")
	graph := func(more ...any) bson.D {
		return bson.Doc("$graphLookup", bson.Doc(append([]any{"from", "COLLECTION", "connectFromField", "plain", "as", "g"}, more...)...))
	}
	var list []bson.A
	for _, stage := range []bson.D{
		bson.Doc("$match", bson.Doc("plain", 1)), bson.Doc("$project", bson.Doc("plain", 1)), bson.Doc("$project", bson.Doc("FIELD", 1)),
		bson.Doc("$project", bson.Doc("FIELD", 0)), bson.Doc("$addFields", bson.Doc("plain", 1)), bson.Doc("$set", bson.Doc("FIELD", "$$REMOVE")),
		bson.Doc("$unset", "FIELD"), bson.Doc("$replaceRoot", bson.Doc("newRoot", bson.Doc("plain", 1))), bson.Doc("$replaceWith", "$$ROOT"),
		bson.Doc("$group", bson.Doc("_id", "$plain")), bson.Doc("$bucket", bson.Doc("groupBy", "$plain", "boundaries", bson.A{0, 9})),
		bson.Doc("$bucketAuto", bson.Doc("groupBy", "$plain", "buckets", 2)), bson.Doc("$sortByCount", "$plain"), bson.Doc("$count", "n"),
		bson.Doc("$unwind", "$plain"), join, graph("startWith", "$plain", "connectToField", "plain"), bson.Doc("$unionWith", "COLLECTION"),
		bson.Doc("$facet", bson.Doc("f", bson.A{bson.Doc("$limit", 1)})), bson.Doc("$redact", "$$KEEP"), bson.Doc("$sort", bson.Doc("plain", 1)),
		bson.Doc("$geoNear", bson.Doc("near", bson.A{1, 2}, "distanceField", "d", "key", "plain")), bson.Doc("$limit", 1), bson.Doc("$skip", 1),
		bson.Doc("$sample", bson.Doc("size", 1)), bson.Doc("$collStats", bson.Doc("count", bson.D{})), bson.Doc("$indexStats", bson.D{}),
	} {
		list = append(list, bson.A{stage, match})
		list = append(list, bson.A{bson.Doc("$set", bson.Doc("FIELD", "constant")), bson.Doc("$unset", "FIELD"), stage, match})
		list = append(list, bson.A{stage, bson.Doc("$match", bson.Doc("$expr", eq))}, bson.A{stage, bson.Doc("$project", bson.Doc("x", eq))})
	}
	return append(list,
		bson.A{bson.Doc("$set", bson.Doc("FIELD", mixed))}, bson.A{bson.Doc("$project", bson.Doc("FIELD", mixed))},
		bson.A{bson.Doc("$replaceWith", bson.Doc("FIELD", mixed))}, bson.A{bson.Doc("$set", bson.Doc("copy", "$FIELD")), bson.Doc("$match", bson.Doc("copy", "VALUE"))},
		bson.A{bson.Doc("$group", bson.Doc("_id", eq))}, bson.A{bson.Doc("$group", bson.Doc("_id", nil, "n", bson.Doc("$sum", bson.Doc("$cond", bson.A{eq, 1, 0}))))},
		bson.A{bson.Doc("$bucket", bson.Doc("groupBy", "$FIELD", "boundaries", bson.A{"VALUE"}))}, bson.A{bson.Doc("$redact", bson.Doc("$cond", bson.A{eq, "$$KEEP", "$$PRUNE"}))},
		bson.A{lookup("pipeline", bson.A{match})}, bson.A{lookup("let", bson.Doc("v", "$FIELD"), "pipeline", bson.A{bson.Doc("$match", bson.Doc("$expr", bson.Doc("$eq", bson.A{"$$v", "VALUE"})))})},
		bson.A{join, bson.Doc("$match", bson.Doc("f.FIELD", "VALUE"))}, bson.A{join, bson.Doc("$match", bson.Doc("f.0.FIELD", "VALUE"))},
		bson.A{join, bson.Doc("$match", bson.Doc("f", bson.Doc("$elemMatch", bson.Doc("FIELD", "VALUE"))))},
		bson.A{join, bson.Doc("$unwind", "$f"), bson.Doc("$match", bson.Doc("f.FIELD", "VALUE"))},
		bson.A{join, bson.Doc("$unset", "f"), bson.Doc("$match", bson.Doc("f.FIELD", "VALUE"))},
		bson.A{graph("startWith", "$plain", "connectToField", "plain", "restrictSearchWithMatch", bson.Doc("FIELD", "VALUE"))},
		bson.A{graph("startWith", "VALUE", "connectToField", "FIELD")}, bson.A{bson.Doc("$unionWith", bson.Doc("coll", "COLLECTION", "pipeline", bson.A{match}))},
		bson.A{bson.Doc("$facet", bson.Doc("f", bson.A{match}))}, bson.A{bson.Doc("$geoNear", bson.Doc("near", bson.A{1, 2}, "distanceField", "d", "query", bson.Doc("FIELD", "VALUE")))},
		bson.A{bson.Doc("$setWindowFields", bson.Doc("output", bson.Doc("x", bson.Doc("$max", eq))))}, bson.A{bson.Doc("$fill", bson.Doc("output", bson.Doc("FIELD", bson.Doc("value", "VALUE"))))},
		bson.A{bson.Doc("$merge", bson.Doc("into", "COLLECTION", "whenMatched", bson.A{bson.Doc("$set", bson.Doc("FIELD", "VALUE"))}))},
		bson.A{bson.Doc("$set", bson.Doc("FIELD", "VALUE")), bson.Doc("$merge", bson.Doc("into", "COLLECTION"))}, bson.A{bson.Doc("$set", bson.Doc("FIELD", "VALUE")), bson.Doc("$out", "COLLECTION")},
		bson.A{bson.Doc("$search", bson.Doc("equals", bson.Doc("path", "FIELD", "value", "VALUE")))}, bson.A{bson.Doc("$documents", bson.A{bson.Doc("FIELD", "VALUE")})},
		bson.A{bson.Doc("$densify", bson.Doc("field", "FIELD", "range", bson.Doc("step", 1, "bounds", bson.A{"VALUE", "VALUE"})))},
	)
}
