package interop

import (
	"github.com/specdrivers/onion/bson"
)

// change makes an update document with operators, or a replacement.
func (g *generator) change() bson.D {
	if g.chance(8) {
		return g.document()[1:]
	}
	change := g.modifier()
	if g.chance(4) {
		if second := g.modifier(); second[0].Key != change[0].Key {
			change = append(change, second...)
		}
	}
	return change
}

func (g *generator) modifier() bson.D {
	operator := choose(g, "$set", "$set", "$inc", "$mul", "$min", "$max", "$unset", "$push", "$addToSet", "$pull", "$pullAll", "$pop", "$rename", "$setOnInsert", "$bit")
	array := choose(g, "t", "t", "t", "items", "s", "v", "d.x", "new", "d.list")
	switch operator {
	case "$inc", "$mul":
		return bson.Doc(operator, bson.Doc(choose(g, "n", "n", "d.x", "v", "d.new", "items.0.q", "missing"), g.number()))
	case "$unset":
		return bson.Doc(operator, bson.Doc(choose(g, "v", "d.y", "t", "items.0.k", "missing.x"), ""))
	case "$push":
		return bson.Doc(operator, bson.Doc(array, choose[any](g, g.scalar(), g.Int32N(4), bson.Doc("$each", g.elements()), bson.Doc("k", 1))))
	case "$addToSet":
		return bson.Doc(operator, bson.Doc(array, choose[any](g, g.scalar(), g.Int32N(4), bson.Doc("$each", g.elements()), bson.Doc("k", 1))))
	case "$pull":
		return bson.Doc(operator, bson.Doc(array, choose[any](g, g.scalar(), g.Int32N(4))))
	case "$pullAll":
		return bson.Doc(operator, bson.Doc(array, g.array()))
	case "$pop":
		return bson.Doc(operator, bson.Doc(array, choose(g, int32(1), int32(-1))))
	case "$rename":
		return bson.Doc(operator, bson.Doc(choose(g, "v", "w", "d.x", "t"), choose(g, "u", "z", "d.renamed")))
	case "$bit":
		return bson.Doc(operator, bson.Doc(choose(g, "n", "d.x", "missing"), bson.Doc(choose(g, "and", "or", "xor"), choose[any](g, g.Int32N(8), int64(g.Int32N(8))))))
	case "$min", "$max":
		return bson.Doc(operator, bson.Doc(choose(g, "n", "v", "d.x", "new"), g.scalar()))
	default:
		if g.chance(4) { // FerretDB has no arrays in arrays
			return bson.Doc(operator, bson.Doc(choose(g, "t.1", "items.0.k", "items.3"), choose[any](g, g.scalar(), bson.Doc("k", 1))))
		}
		return bson.Doc(operator, bson.Doc(choose(g, "n", "v", "d.x", "d.new.er", "s.x", "new"), g.value()))
	}
}

func isOperators(change bson.D) bool { return change[0].Key[0] == '$' }

func (g *generator) update() bson.D {
	change := g.change()
	if g.chance(2) {
		query := bson.Doc("_id", g.Int32N(60))
		if g.chance(3) {
			query = append(query, bson.E{Key: choose(g, "n", "s", "e"), Value: choose[any](g, g.number(), bson.Doc("$eq", g.Int32N(4)))})
		}
		return bson.Doc("update", g.collection, "updates", bson.A{bson.Doc("q", query, "u", change, "upsert", g.chance(2))})
	}
	if !isOperators(change) {
		return bson.Doc("update", g.collection, "updates", bson.A{bson.Doc("q", bson.Doc("_id", g.id()), "u", change)})
	}
	updates := bson.A{bson.Doc("q", g.filter(), "u", change, "multi", true)}
	if g.chance(4) {
		updates = append(updates, bson.Doc("q", bson.Doc("_id", g.id()), "u", bson.Doc("$set", bson.Doc("second", g.Int32N(3)))))
	}
	return bson.Doc("update", g.collection, "updates", updates)
}

func (g *generator) findAndModify() bson.D {
	cmd := bson.Doc("findAndModify", g.collection, "query", g.filter(), "sort", g.order())
	if g.chance(4) {
		return append(cmd, bson.E{Key: "remove", Value: true})
	}
	if g.chance(4) {
		cmd[1].Value = bson.Doc("_id", g.Int32N(60))
		cmd = append(cmd, bson.E{Key: "upsert", Value: true})
	}
	return append(cmd, bson.Doc("update", g.change(), "new", g.chance(2))...)
}
