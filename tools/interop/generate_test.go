package interop

import (
	"math/rand/v2"

	"github.com/specdrivers/onion/bson"
)

// generator makes commands on one collection: the same ones for the same seed.
type generator struct {
	*rand.Rand
	collection string
}

func newGenerator(seed uint64, collection string) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 2026)), collection}
}

// command makes a command, of each kind as often as its row says.
func (g *generator) command() bson.D {
	kinds := []struct {
		weight int
		make   func() bson.D
	}{
		{14, g.insert}, {30, g.find}, {16, g.update}, {5, g.remove}, {8, g.findAndModify}, {8, g.count}, {8, g.distinct},
		{20, g.aggregate}, {4, g.createIndex}, {2, g.dropIndex}, {3, g.listIndexes}, {1, g.mistake},
	}
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	at := g.IntN(total)
	for _, k := range kinds {
		if at < k.weight {
			return k.make()
		}
		at -= k.weight
	}
	return nil
}

func one[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) id() int32 { return g.Int32N(40) }

func (g *generator) scalar() any {
	return one[any](g, g.Int32N(8), int64(g.Int32N(8)), float64(g.Int32N(16))/2, one(g, "", "a", "b", "ba"), g.IntN(2) == 0, nil)
}

func (g *generator) number() any {
	return one[any](g, g.Int32N(8), int64(g.Int32N(8)), float64(g.Int32N(16))/2)
}

func (g *generator) tags() bson.A {
	tags := bson.A{}
	for range g.IntN(4) {
		tags = append(tags, g.Int32N(4))
	}
	return tags
}

func (g *generator) document() bson.D {
	doc := bson.Doc("_id", g.id(), "n", g.number(), "s", one(g, "x", "y", "z"))
	if g.IntN(4) > 0 {
		doc = append(doc, bson.E{Key: "v", Value: g.scalar()})
	}
	if g.IntN(2) > 0 {
		doc = append(doc, bson.E{Key: "t", Value: g.tags()})
	}
	if g.IntN(2) > 0 {
		doc = append(doc, bson.E{Key: "d", Value: bson.Doc("x", g.Int32N(4), "y", g.scalar())})
	}
	return doc
}

func (g *generator) insert() bson.D {
	var docs bson.A
	for range 1 + g.IntN(5) {
		docs = append(docs, g.document())
	}
	return bson.Doc("insert", g.collection, "documents", docs, "ordered", g.IntN(2) == 0)
}

func (g *generator) filter() bson.D {
	switch g.IntN(9) {
	case 0:
		return bson.D{}
	case 1:
		return bson.Doc("_id", g.id())
	case 2:
		return bson.Doc("n", bson.Doc(one(g, "$gt", "$gte", "$lt", "$lte", "$eq", "$ne"), g.number()))
	case 3:
		return bson.Doc("v", bson.Doc(one(g, "$gt", "$gte", "$lt", "$lte", "$eq", "$ne"), g.scalar()))
	case 4:
		return bson.Doc(one(g, "v", "t", "d.x"), bson.Doc(one(g, "$in", "$nin"), bson.A{g.scalar(), g.Int32N(4)}))
	case 5:
		return bson.Doc(one(g, "v", "t", "d", "d.y"), bson.Doc("$exists", g.IntN(2) == 0))
	case 6:
		return bson.Doc("t", one[any](g, g.Int32N(4), g.tags(), bson.Doc("$size", g.Int32N(4)), bson.Doc("$all", bson.A{g.Int32N(4)}),
			bson.Doc("$elemMatch", bson.Doc("$gt", g.Int32N(3)))))
	case 7:
		return bson.Doc(one(g, "$and", "$or", "$nor"), bson.A{bson.Doc("s", one(g, "x", "y")), bson.Doc("n", bson.Doc("$gte", g.number()))})
	default:
		return bson.Doc(one(g, "d.x", "d.y", "s"), one[any](g, g.scalar(), bson.Doc("$not", bson.Doc("$eq", g.scalar())),
			bson.Doc("$type", one(g, "int", "string", "number", "null", "double"))))
	}
}

// order is a sort that leaves nothing open.
func (g *generator) order() bson.D {
	return bson.Doc(one(g, "n", "v", "s", "d.x"), one(g, int32(1), int32(-1)), "_id", one(g, int32(1), int32(-1)))
}

func (g *generator) projection() bson.D {
	return one(g, bson.Doc("n", 1), bson.Doc("v", 0), bson.Doc("_id", 0, "s", 1), bson.Doc("d.x", 1), bson.Doc("d.y", 0), bson.Doc("t", 0, "_id", 0))
}

func (g *generator) find() bson.D {
	cmd := bson.Doc("find", g.collection, "filter", g.filter(), "batchSize", 1000)
	if g.IntN(2) == 0 {
		cmd = append(cmd, bson.Doc("sort", g.order(), "skip", g.Int32N(4), "limit", g.Int32N(10))...)
	}
	if g.IntN(3) == 0 {
		cmd = append(cmd, bson.E{Key: "projection", Value: g.projection()})
	}
	return cmd
}

func (g *generator) change() bson.D {
	switch operator := one(g, "$set", "$inc", "$mul", "$min", "$max", "$unset", "$push", "$addToSet", "$pull", "$pop", "$rename", "$setOnInsert", ""); operator {
	case "$inc", "$mul":
		return bson.Doc(operator, bson.Doc(one(g, "n", "n", "d.x", "v"), g.number()))
	case "$unset":
		return bson.Doc(operator, bson.Doc(one(g, "v", "d.y", "t"), ""))
	case "$push", "$addToSet", "$pull":
		return bson.Doc(operator, bson.Doc(one(g, "t", "t", "t", "s"), g.Int32N(4)))
	case "$pop":
		return bson.Doc(operator, bson.Doc("t", one(g, int32(1), int32(-1))))
	case "$rename":
		return bson.Doc(operator, bson.Doc(one(g, "v", "w"), one(g, "u", "z")))
	case "":
		return g.document()[1:]
	default:
		return bson.Doc(operator, bson.Doc(one(g, "n", "v", "d.x"), g.number()))
	}
}

func (g *generator) update() bson.D {
	change := g.change()
	update := bson.Doc("q", g.filter(), "u", change, "multi", change[0].Key[0] == '$')
	if g.IntN(2) == 0 {
		update = bson.Doc("q", bson.Doc("_id", g.id()), "u", change, "upsert", g.IntN(2) == 0)
	} else if change[0].Key[0] != '$' {
		update[0].Value = bson.Doc("_id", g.id())
	}
	return bson.Doc("update", g.collection, "updates", bson.A{update})
}

func (g *generator) remove() bson.D {
	if g.IntN(4) == 0 {
		return bson.Doc("delete", g.collection, "deletes", bson.A{bson.Doc("q", g.filter(), "limit", 0)})
	}
	return bson.Doc("delete", g.collection, "deletes", bson.A{bson.Doc("q", bson.Doc("_id", g.id()), "limit", 1)})
}

func (g *generator) findAndModify() bson.D {
	cmd := bson.Doc("findAndModify", g.collection, "query", g.filter(), "sort", g.order())
	if g.IntN(4) == 0 {
		return append(cmd, bson.E{Key: "remove", Value: true})
	}
	return append(cmd, bson.Doc("update", g.change(), "new", g.IntN(2) == 0)...)
}

func (g *generator) count() bson.D {
	return bson.Doc("count", g.collection, "query", g.filter())
}

func (g *generator) distinct() bson.D {
	return bson.Doc("distinct", g.collection, "key", one(g, "n", "s", "v", "t", "d.x"), "query", g.filter())
}

func (g *generator) aggregate() bson.D {
	pipeline := bson.A{bson.Doc("$match", g.filter())}
	switch g.IntN(7) {
	case 0:
		pipeline = append(pipeline, bson.Doc("$group", bson.Doc("_id", one[any](g, "$s", "$d.x", nil), "c", bson.Doc("$sum", 1), "total", bson.Doc("$sum", "$n"))))
	case 1:
		pipeline = append(pipeline, bson.Doc("$sort", g.order()), bson.Doc("$skip", g.Int32N(3)), bson.Doc("$limit", 1+g.Int32N(6)))
	case 2:
		pipeline = append(pipeline, bson.Doc("$unwind", one[any](g, "$t", "$s", bson.Doc("path", "$t", "preserveNullAndEmptyArrays", true))))
	case 3:
		pipeline = append(pipeline, bson.Doc("$count", "many"))
	case 4:
		pipeline = append(pipeline, bson.Doc("$project", g.projection()))
	case 5:
		pipeline = append(pipeline, bson.Doc(one(g, "$set", "$addFields"), bson.Doc("w", one[any](g, "$n", "$d.x", g.Int32N(4)))))
	default:
		pipeline = append(pipeline, bson.Doc("$unset", one[any](g, "v", bson.A{"t", "s"})))
	}
	return bson.Doc("aggregate", g.collection, "pipeline", pipeline, "cursor", bson.Doc("batchSize", 1000))
}

func (g *generator) createIndex() bson.D {
	key := one(g, "n", "s", "v", "d.x")
	index := bson.Doc("key", bson.Doc(key, one(g, int32(1), int32(-1))), "name", "by_"+one(g, "n", "s", "v"))
	if g.IntN(4) == 0 {
		index = append(index, bson.E{Key: "unique", Value: true})
	}
	return bson.Doc("createIndexes", g.collection, "indexes", bson.A{index})
}

func (g *generator) dropIndex() bson.D {
	return bson.Doc("dropIndexes", g.collection, "index", one(g, "by_n", "by_s", "by_v", "_id_", "none"))
}

func (g *generator) listIndexes() bson.D {
	return bson.Doc("listIndexes", one(g, g.collection, g.collection, "missing"))
}

// mistake is a command that no server can do.
func (g *generator) mistake() bson.D {
	return one(g,
		bson.Doc("find", g.collection, "filter", bson.Doc("n", bson.Doc("$nothing", 1))),
		bson.Doc("find", g.collection, "filter", bson.Doc("$nothing", 1)),
		bson.Doc("aggregate", g.collection, "pipeline", bson.A{bson.Doc("$nothing", 1)}, "cursor", bson.D{}),
		bson.Doc("update", g.collection, "updates", bson.A{bson.Doc("q", bson.D{}, "u", bson.Doc("$nothing", bson.Doc("n", 1)))}),
		bson.Doc("nothing", 1),
		bson.Doc("drop", "missing"),
		bson.Doc("find", g.collection, "skip", -1),
		bson.Doc("aggregate", g.collection, "pipeline", bson.A{bson.Doc("$limit", 0)}, "cursor", bson.D{}))
}
