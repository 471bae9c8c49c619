package interop

import (
	"github.com/specdrivers/onion/bson"
)

// filter returns a query, mostly of one condition, sometimes of several.
func (g *generator) filter() bson.D {
	switch g.IntN(12) {
	case 0:
		return bson.D{}
	case 1:
		return bson.Doc("_id", g.id())
	case 2:
		return bson.Doc(choose(g, "$and", "$or", "$nor"), bson.A{g.condition(), g.condition()})
	case 3:
		return append(g.condition(), bson.E{Key: "n", Value: bson.Doc("$gte", g.number(), "$lt", g.number())})
	default:
		return g.condition()
	}
}

// condition returns a query on one path. A query by an index into an array asks only for an element that exists:
// FerretDB takes an index past the end for null.
func (g *generator) condition() bson.D {
	if g.chance(12) {
		return bson.Doc(choose(g, "t.0", "items.0.k", "t.1"), choose[any](g, g.Int32N(4), bson.Doc("$gte", g.Int32N(4)), bson.Doc("$exists", g.chance(2))))
	}
	if g.chance(20) {
		return bson.Doc(choose(g, "n", "d.x", "items.k", "missing"), bson.Doc(choose(g, "$bitsAllSet", "$bitsAnySet", "$bitsAllClear", "$bitsAnyClear"), choose[any](g, 1+g.Int32N(6), bson.A{g.Int32N(3)})))
	}
	if g.chance(5) {
		return bson.Doc(g.path(), g.value())
	}
	if g.chance(8) {
		return bson.Doc(g.path(), bson.Doc("$not", g.operator()))
	}
	return bson.Doc(g.path(), g.operator())
}

func (g *generator) operator() bson.D {
	switch g.IntN(14) {
	case 0, 1, 2, 3:
		return bson.Doc(choose(g, "$gt", "$gte", "$lt", "$lte", "$eq", "$ne"), g.scalar())
	case 4:
		return bson.Doc(choose(g, "$gt", "$gte", "$lt", "$lte", "$eq", "$ne"), g.value())
	case 5, 6:
		return bson.Doc(choose(g, "$in", "$nin"), bson.A{g.value(), g.scalar(), g.Int32N(4)})
	case 7:
		return bson.Doc("$exists", g.chance(2))
	case 8:
		return bson.Doc("$size", g.Int32N(4))
	case 9:
		return bson.Doc("$all", choose[any](g, bson.A{g.Int32N(4)}, bson.A{g.Int32N(4), g.Int32N(4)}, bson.A{g.scalar()}, bson.A{}))
	case 10:
		return bson.Doc("$elemMatch", choose[any](g, bson.Doc("$gt", g.Int32N(3)), bson.Doc("k", g.Int32N(3)), bson.Doc("k", bson.Doc("$gte", 1), "q", g.number()), bson.Doc("$in", bson.A{g.scalar(), 1})))
	case 11:
		return bson.Doc("$type", choose[any](g, "int", "string", "number", "null", "double", "array", "object", "bool", "date", "objectId", "binData", "timestamp", "long", int32(2), int32(16), bson.A{"int", "double"}))
	case 12:
		return choose(g, bson.Doc("$regex", choose(g, "^x", "a", "b$", "^A", ".")), bson.Doc("$regex", "^[xa]", "$options", choose(g, "i", "")), bson.Doc("$eq", "x"))
	default:
		return bson.Doc("$mod", bson.A{2 + g.Int32N(2), g.Int32N(2)})
	}
}

// order returns a sort that puts every two documents in a definite order.
func (g *generator) order() bson.D {
	direction := func() int32 { return choose(g, int32(1), int32(-1)) }
	path := g.path()
	switch path {
	case "_id":
		return bson.Doc("_id", direction())
	case "items.k", "items.q":
		path = "n" // FerretDB does not sort by the fields of documents in arrays, though its find sometimes does
	}
	return bson.Doc(path, direction(), "_id", direction())
}

func (g *generator) projection() bson.D {
	return choose(g, bson.Doc("n", 1), bson.Doc("v", 0), bson.Doc("_id", 0, "s", 1), bson.Doc("d.x", 1), bson.Doc("d.y", 0), bson.Doc("t", 0, "_id", 0),
		bson.Doc("n", true, "s", 1.5, "d.z.w", int64(1)), bson.Doc("items.k", 1), bson.Doc("items.q", 0), bson.Doc("d.x", 1, "d.y", 1, "_id", 0), bson.Doc("_id", 1), bson.Doc("_id", 0),
		bson.Doc("missing", 1), bson.Doc("v.x", 1, "n", 1), bson.Doc("n", 0, "d.z", 0))
}

func (g *generator) find() bson.D {
	cmd := bson.Doc("find", g.collection, "filter", g.filter(), "batchSize", choose(g, int32(1000), int32(1000), int32(2), int32(5), int32(0)))
	if g.chance(2) {
		cmd = append(cmd, bson.Doc("sort", g.order(), "skip", g.Int32N(4), "limit", g.Int32N(10))...)
	}
	if g.chance(3) {
		return append(cmd, bson.E{Key: "projection", Value: g.projection()})
	}
	if order, ok := field(cmd, "sort").(bson.D); ok && len(order) == 2 && g.chance(8) {
		order[0].Key = choose(g, "items.k", "items.q")
	}
	return cmd
}

// aggregate makes a pipeline of some stages whose results have an order or need none, and perhaps a last stage that FerretDB gets
// wrong or whose results have no order.
func (g *generator) aggregate() bson.D {
	pipeline := bson.A{bson.Doc("$match", g.filter())}
	for range g.IntN(4) {
		pipeline = append(pipeline, g.stage()...)
	}
	if g.chance(2) {
		pipeline = bson.A{pipeline[0], g.lastStage()}
	}
	return bson.Doc("aggregate", g.collection, "pipeline", pipeline, "cursor", bson.Doc("batchSize", choose(g, int32(1000), int32(3))))
}

func (g *generator) stage() bson.A {
	switch g.IntN(6) {
	case 0:
		return bson.A{bson.Doc("$sort", g.order()), bson.Doc("$skip", g.Int32N(3)), bson.Doc("$limit", 1+g.Int32N(6))}
	case 1:
		return bson.A{bson.Doc("$match", bson.Doc(choose(g, "n", "s", "d.x"), bson.Doc(choose(g, "$gte", "$lt", "$ne"), choose[any](g, g.Int32N(5), "x"))))}
	case 2:
		projection := g.projection()
		if indexOf(projection, "_id") >= 0 { // FerretDB fails on documents without _id
			projection = bson.Doc("n", 1, "items", 1)
		}
		return bson.A{bson.Doc("$project", projection)}
	case 3:
		return bson.A{bson.Doc("$unset", choose[any](g, "v", bson.A{"t", "s"}, "d.x", "items.k", "missing"))}
	case 4:
		return bson.A{bson.Doc(choose(g, "$set", "$addFields"), bson.Doc(choose(g, "w", "n", "t"), choose[any](g, g.Int32N(4), true, g.number(), nil)))}
	default:
		return bson.A{bson.Doc("$sort", g.order())}
	}
}

func (g *generator) lastStage() bson.D {
	switch g.IntN(6) {
	case 0, 1:
		group := bson.Doc("_id", choose[any](g, "$s", "$d.x", nil, "$v", "$n", bson.Doc("s", "$s"), bson.Doc("$type", "$v"), g.Int32N(2)))
		group = append(group, bson.E{Key: "c", Value: choose(g, bson.Doc("$sum", 1), bson.Doc("$count", bson.D{}), bson.Doc("$sum", "$n"), bson.Doc("$sum", "$v"))})
		if g.chance(4) {
			group = bson.Doc("_id", choose[any](g, "$s", nil, bson.Doc("$type", "$v")), "c", bson.Doc("$sum", 1), "total", bson.Doc("$sum", "$n"))
		} else if _, ok := group[0].Value.(bson.D); ok {
			group[1].Value = bson.Doc("$sum", 1)
		}
		return bson.Doc("$group", group)
	case 2:
		return bson.Doc("$unwind", choose[any](g, "$t", "$s", "$items", "$missing", bson.Doc("path", "$t", "preserveNullAndEmptyArrays", true)))
	case 3:
		return bson.Doc("$count", "many")
	case 4:
		return bson.Doc(choose(g, "$set", "$addFields"), choose(g, bson.Doc("w", "$n"), bson.Doc("w", "$missing"), bson.Doc("w", "$s"), bson.Doc("w", bson.Doc("$type", "$v")), bson.Doc("w", bson.Doc("$sum", bson.A{"$n", 2})), bson.Doc("d.new", 1)))
	default:
		return bson.Doc("$project", bson.Doc("n", 1, "w", choose[any](g, bson.Doc("$type", "$v"), bson.Doc("$sum", "$t"), "$s")))
	}
}
