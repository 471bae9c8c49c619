package interop

import (
	"github.com/specdrivers/onion/bson"
)

// mistake returns a command that hardly any server accepts.
func (g *generator) mistake() bson.D {
	all := mistakes(g.collection)
	return all[g.IntN(len(all))]
}

// mistakes are commands that fail, or that are barely allowed.
func mistakes(c string) []bson.D {
	var out []bson.D
	find := func(filter any) { out = append(out, bson.Doc("find", c, "filter", filter)) }
	update := func(u any) {
		out = append(out, bson.Doc("update", c, "updates", bson.A{bson.Doc("q", bson.D{}, "u", u)}))
	}
	aggregate := func(stage any) {
		out = append(out, bson.Doc("aggregate", c, "pipeline", bson.A{stage}, "cursor", bson.D{}))
	}
	for _, operator := range []bson.D{
		bson.Doc("$nothing", 1), bson.Doc("$in", 1), bson.Doc("$nin", bson.D{}), bson.Doc("$in", bson.A{bson.Doc("$gt", 1)}), bson.Doc("$size", "a"), bson.Doc("$size", -1),
		bson.Doc("$size", 1.5), bson.Doc("$all", 1), bson.Doc("$elemMatch", 1), bson.Doc("$mod", bson.A{}), bson.Doc("$mod", bson.A{1}), bson.Doc("$mod", bson.A{0, 1}),
		bson.Doc("$mod", bson.A{2, 1, 0}), bson.Doc("$mod", "a"), bson.Doc("$mod", bson.A{"a", 1}), bson.Doc("$type", "nothing"), bson.Doc("$type", 99), bson.Doc("$type", bson.A{}), bson.Doc("$not", 1),
		bson.Doc("$not", bson.D{}), bson.Doc("$regex", 1), bson.Doc("$regex", "("), bson.Doc("$options", "i"), bson.Doc("$bitsAllSet", -1), bson.Doc("$bitsAllSet", "a"), bson.Doc("$bitsAnySet", bson.A{-1}),
		bson.Doc("$eq", 1, "x", 1), bson.Doc("$regex", "a", "$options", "q"), bson.Doc("$exists", "x"), bson.Doc("$not", bson.Doc("$nothing", 1)),
	} {
		find(bson.Doc("n", operator))
	}
	for _, filter := range []any{
		bson.Doc("$nothing", 1), bson.Doc("$and", 1), bson.Doc("$or", bson.A{}), bson.Doc("$nor", bson.A{1}), bson.Doc("$and", bson.A{bson.Doc("$nothing", 1)}), bson.Doc("$expr", bson.Doc("$nothing", 1)),
		1, "a", bson.Doc("$comment", "x"), bson.Doc("a..b", 1), bson.Doc("n", bson.Doc("$gt", bson.Regex{Pattern: "a"})), bson.Doc("n", bson.Doc("$ne", bson.Regex{Pattern: "a"})),
		bson.Doc("s", bson.Regex{Pattern: "^x", Options: "i"}), bson.Doc("s", bson.Doc("$in", bson.A{bson.Regex{Pattern: "^x"}, "y"})), bson.Doc("s", bson.Doc("$not", bson.Regex{Pattern: "^x"})),
	} {
		find(filter)
	}
	for _, option := range []bson.D{
		bson.Doc("skip", -1), bson.Doc("limit", -1), bson.Doc("batchSize", -1), bson.Doc("skip", "a"), bson.Doc("limit", bson.D{}), bson.Doc("sort", 1), bson.Doc("sort", bson.Doc("n", 2)),
		bson.Doc("sort", bson.Doc("n", "a")), bson.Doc("sort", bson.Doc("", 1)), bson.Doc("sort", bson.Doc("$n", 1)), bson.Doc("projection", bson.Doc("n", 1, "s", 0)), bson.Doc("projection", bson.Doc("n", 0, "s", 1)),
		bson.Doc("projection", bson.Doc("", 1)), bson.Doc("projection", bson.Doc("a..b", 1)), bson.Doc("projection", bson.Doc("$n", 1)), bson.Doc("projection", 1), bson.Doc("projection", bson.Doc("n", "x")),
		bson.Doc("projection", bson.Doc("t.$", 1)), bson.Doc("projection", bson.Doc("t.$", 0)), bson.Doc("singleBatch", true, "batchSize", 2), bson.Doc("nothing", 1), bson.Doc("tailable", true), bson.Doc("awaitData", true),
		bson.Doc("skip", 1.5), bson.Doc("limit", int64(1)<<40), bson.Doc("sort", bson.Doc("n.", 1)), bson.Doc("sort", bson.Doc("a..b", 1)), bson.Doc("sort", bson.Doc("n", 0)), bson.Doc("sort", bson.Doc("n", true)),
	} {
		out = append(out, append(bson.Doc("find", c), option...))
	}
	for _, u := range []any{
		bson.Doc("$nothing", bson.Doc("n", 1)), bson.Doc("$set", 1), bson.Doc("$set", bson.D{}), bson.Doc("$set", bson.Doc("_id", 99)), bson.Doc("$set", bson.Doc("a", 1, "a.b", 1)), bson.Doc("$set", bson.Doc("a", 1), "$inc", bson.Doc("a", 1)),
		bson.Doc("$set", bson.Doc("a", 1), "$inc", bson.Doc("a.b", 1)), bson.Doc("$inc", bson.Doc("s", 1)), bson.Doc("$inc", bson.Doc("n", "a")), bson.Doc("$mul", bson.Doc("s", 2)), bson.Doc("$mul", bson.Doc("n", nil)),
		bson.Doc("$push", bson.Doc("s", 1)), bson.Doc("$push", bson.Doc("t", bson.Doc("$each", 1))), bson.Doc("$addToSet", bson.Doc("s", 1)), bson.Doc("$addToSet", bson.Doc("t", bson.Doc("$each", 1))), bson.Doc("$pop", bson.Doc("t", 2)),
		bson.Doc("$pop", bson.Doc("s", 1)), bson.Doc("$pop", bson.Doc("t", "a")), bson.Doc("$pull", bson.Doc("s", 1)), bson.Doc("$pullAll", bson.Doc("t", 1)), bson.Doc("$pullAll", bson.Doc("s", bson.A{1})), bson.Doc("$rename", bson.Doc("n", 1)),
		bson.Doc("$rename", bson.Doc("n", "n")), bson.Doc("$rename", bson.Doc("s", "_id")), bson.Doc("$rename", bson.Doc("n", "")), bson.Doc("$rename", bson.Doc("n", "a", "s", "a")), bson.Doc("$bit", bson.Doc("n", 1)), bson.Doc("$bit", bson.Doc("s", bson.Doc("and", 1))),
		bson.Doc("$bit", bson.Doc("n", bson.Doc("and", 1.5))), bson.Doc("$bit", bson.Doc("n", bson.Doc("nothing", 1))), bson.Doc("$currentDate", bson.Doc("n", 1)), bson.Doc("$currentDate", bson.Doc("n", bson.Doc("$type", "nothing"))),
		bson.Doc("$set", bson.Doc("s.x", 1)), bson.Doc("$set", bson.Doc("", 1)), bson.Doc("$set", bson.Doc("a..b", 1)), bson.Doc("$set", bson.Doc("$a", 1)), bson.Doc("$unset", 1), bson.Doc("n", 1, "$set", bson.Doc("n", 1)), bson.Doc("$set", bson.Doc("n", 1), "n", 1),
		bson.Doc("$inc", bson.Doc("_id", 1)), bson.Doc("$unset", bson.Doc("_id", "")), bson.Doc("$min", bson.Doc("_id", -1)), bson.Doc("$setOnInsert", 1), 1,
	} {
		update(u)
	}
	for _, stage := range []any{
		bson.Doc("$nothing", 1), bson.D{}, bson.Doc("$match", bson.D{}, "$limit", 1), 1, bson.Doc("$match", 1), bson.Doc("$limit", 0), bson.Doc("$limit", -1), bson.Doc("$limit", "a"), bson.Doc("$skip", -1), bson.Doc("$skip", "a"), bson.Doc("$sort", 1), bson.Doc("$sort", bson.D{}),
		bson.Doc("$sort", bson.Doc("n", 2)), bson.Doc("$count", ""), bson.Doc("$count", 1), bson.Doc("$count", "$a"), bson.Doc("$count", "a.b"), bson.Doc("$project", bson.D{}), bson.Doc("$project", 1), bson.Doc("$project", bson.Doc("n", 1, "s", 0)), bson.Doc("$project", bson.Doc("t.$", 1)),
		bson.Doc("$project", bson.Doc("n", bson.D{})), bson.Doc("$unset", 1), bson.Doc("$unset", bson.A{}), bson.Doc("$unset", ""), bson.Doc("$unset", "$n"), bson.Doc("$unset", bson.A{1}), bson.Doc("$set", 1), bson.Doc("$set", bson.D{}), bson.Doc("$set", bson.Doc("", 1)), bson.Doc("$set", bson.Doc("$a", 1)),
		bson.Doc("$unwind", 1), bson.Doc("$unwind", ""), bson.Doc("$unwind", "t"), bson.Doc("$unwind", "$"), bson.Doc("$unwind", "$t."), bson.Doc("$unwind", "$$t"), bson.Doc("$group", 1), bson.Doc("$group", bson.D{}), bson.Doc("$group", bson.Doc("_id", 1, "n", 1)),
		bson.Doc("$group", bson.Doc("_id", 1, "n", bson.Doc("$nothing", 1))), bson.Doc("$group", bson.Doc("_id", 1, "n", bson.Doc("$count", 1))), bson.Doc("$group", bson.Doc("_id", "$")), bson.Doc("$group", bson.Doc("_id", 1, "n", bson.Doc("$sum", 1, "$count", bson.D{}))),
		bson.Doc("$group", bson.Doc("_id", bson.Doc("$nothing", 1))), bson.Doc("$group", bson.Doc("_id", 1, "a.b", bson.Doc("$sum", 1))), bson.Doc("$group", bson.Doc("_id", bson.Doc("$sum", 1, "$type", 1))), bson.Doc("$limit", 1.5), bson.Doc("$skip", 1.5), bson.Doc("$limit", int64(1)<<40),
	} {
		aggregate(stage)
	}
	return append(out, commandMistakes(c)...)
}

// commandMistakes are wrong in the command itself.
func commandMistakes(c string) []bson.D {
	index := func(spec any) bson.D { return bson.Doc("createIndexes", c, "indexes", bson.A{spec}) }
	return []bson.D{
		bson.Doc("nothing", 1), bson.Doc("drop", "missing"), bson.Doc("find", 1), bson.Doc("find", ""), bson.Doc("insert", c, "documents", bson.A{}), bson.Doc("insert", c, "documents", 1), bson.Doc("insert", c), bson.Doc("insert", c, "documents", bson.A{1}),
		bson.Doc("insert", c, "documents", bson.A{bson.Doc("_id", bson.A{1})}), bson.Doc("insert", c, "documents", bson.A{bson.Doc("_id", bson.Regex{Pattern: "a"})}), bson.Doc("insert", c, "documents", bson.A{bson.Doc("n", 1)}, "ordered", 1),
		bson.Doc("update", c, "updates", bson.A{}), bson.Doc("update", c, "updates", 1), bson.Doc("update", c), bson.Doc("update", c, "updates", bson.A{bson.Doc("q", bson.D{})}), bson.Doc("update", c, "updates", bson.A{bson.Doc("u", bson.Doc("n", 1))}),
		bson.Doc("update", c, "updates", bson.A{bson.Doc("q", bson.D{}, "u", bson.Doc("n", 1), "multi", true)}), bson.Doc("update", c, "updates", bson.A{bson.Doc("q", bson.D{}, "u", bson.Doc("$set", bson.Doc("n", 1)), "nothing", true)}),
		bson.Doc("update", c, "updates", bson.A{bson.Doc("q", bson.Doc("_id", 500), "u", bson.Doc("_id", 501, "n", 1), "upsert", true)}), bson.Doc("update", c, "updates", bson.A{bson.Doc("q", 1, "u", bson.Doc("n", 1))}),
		bson.Doc("delete", c, "deletes", bson.A{}), bson.Doc("delete", c, "deletes", bson.A{bson.Doc("q", bson.D{})}), bson.Doc("delete", c, "deletes", bson.A{bson.Doc("q", bson.D{}, "limit", 2)}), bson.Doc("delete", c, "deletes", bson.A{bson.Doc("limit", 1)}), bson.Doc("delete", c),
		bson.Doc("delete", c, "deletes", bson.A{bson.Doc("q", bson.Doc("n", bson.Doc("$nothing", 1)), "limit", 1)}), bson.Doc("delete", c, "deletes", bson.A{bson.Doc("q", bson.D{}, "limit", "a")}),
		bson.Doc("findAndModify", c), bson.Doc("findAndModify", c, "remove", true, "update", bson.Doc("n", 1)), bson.Doc("findAndModify", c, "remove", true, "new", true), bson.Doc("findAndModify", c, "remove", true, "upsert", true), bson.Doc("findAndModify", c, "update", 1),
		bson.Doc("findAndModify", c, "query", 1, "remove", true), bson.Doc("findAndModify", c, "query", bson.Doc("_id", 0), "update", bson.Doc("$set", bson.Doc("_id", 99))), bson.Doc("findAndModify", c, "sort", 1, "remove", true), bson.Doc("findAndModify", c, "nothing", 1),
		bson.Doc("count", c, "query", 1), bson.Doc("count", c, "skip", -1), bson.Doc("count", c, "limit", -1), bson.Doc("count", "missing"), bson.Doc("count", c, "limit", "a"), bson.Doc("distinct", c), bson.Doc("distinct", c, "key", 1), bson.Doc("distinct", c, "key", ""), bson.Doc("distinct", c, "key", "n", "query", 1), bson.Doc("distinct", "missing", "key", "n"),
		bson.Doc("aggregate", c), bson.Doc("aggregate", c, "pipeline", bson.A{}), bson.Doc("aggregate", c, "pipeline", 1, "cursor", bson.D{}), bson.Doc("aggregate", c, "pipeline", bson.A{}, "cursor", 1), bson.Doc("aggregate", c, "pipeline", bson.A{}, "cursor", bson.Doc("batchSize", -1)), bson.Doc("aggregate", "missing", "pipeline", bson.A{}, "cursor", bson.D{}),
		bson.Doc("getMore", int64(12345), "collection", c), bson.Doc("getMore", "a", "collection", c), bson.Doc("getMore", int64(12345)), bson.Doc("killCursors", c, "cursors", bson.A{int64(12345)}), bson.Doc("killCursors", c), bson.Doc("killCursors", c, "cursors", bson.A{"a"}),
		bson.Doc("create", ""), bson.Doc("create", c+"$x"), bson.Doc("create", c+"c", "capped", true), bson.Doc("create", c+"c", "capped", true, "size", -1), bson.Doc("create", c), bson.Doc("renameCollection", "differential.missing", "to", "differential.other"),
		bson.Doc("renameCollection", "differential."+c, "to", "differential."+c), bson.Doc("renameCollection", "nothing", "to", "x"), bson.Doc("renameCollection", "differential."+c), bson.Doc("listCollections", 1, "filter", 1), bson.Doc("listIndexes", "missing"),
		index(bson.Doc("name", "x")), index(bson.Doc("key", bson.Doc("n", 1))), index(bson.Doc("key", bson.D{}, "name", "x")), index(bson.Doc("key", bson.Doc("n", 0), "name", "x")), index(bson.Doc("key", bson.Doc("n", "a"), "name", "x")), index(bson.Doc("key", bson.Doc("", 1), "name", "x")),
		index(bson.Doc("key", bson.Doc("n", 1), "name", "")), index(bson.Doc("key", bson.Doc("n", 1), "name", 1)), index(bson.Doc("key", bson.Doc("n", 1), "name", "x", "unique", "a")), index(bson.Doc("key", bson.Doc("n", 1), "name", "x", "nothing", 1)), index(1), index(bson.Doc("key", bson.Doc("_id", 1), "name", "_id_")), index(bson.Doc("key", bson.Doc("_id", 1), "name", "other")),
		index(bson.Doc("key", bson.Doc("_id", -1), "name", "_id_")), bson.Doc("createIndexes", c, "indexes", bson.A{}), bson.Doc("createIndexes", c), bson.Doc("createIndexes", c, "indexes", 1), bson.Doc("dropIndexes", c, "index", "missing"), bson.Doc("dropIndexes", c), bson.Doc("dropIndexes", c, "index", 1), bson.Doc("dropIndexes", "missing", "index", "*"),
		bson.Doc("dropIndexes", c, "index", bson.Doc("zzz", 1)), bson.Doc("dropIndexes", c, "index", bson.A{"_id_"}), bson.Doc("collMod", "missing"), bson.Doc("explain", 1), bson.Doc("dbStats", "a"), bson.Doc("collStats", ""), bson.Doc("ping", 1),
	}
}
