package interop

import (
	"fmt"
	"math/rand/v2"

	"github.com/specdrivers/onion/bson"
)

// generator makes commands on one collection. The same seed gives the same commands.
type generator struct {
	*rand.Rand
	collection string
}

func newGenerator(seed uint64, collection string) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 2026)), collection}
}

// command makes a command. The table below says how often each kind comes up.
func (g *generator) command() bson.D {
	kinds := []struct {
		weight int
		make   func() bson.D
	}{
		{14, g.insert}, {30, g.find}, {20, g.update}, {5, g.remove}, {10, g.findAndModify}, {8, g.count}, {8, g.distinct},
		{24, g.aggregate}, {6, g.createIndex}, {2, g.dropIndex}, {3, g.listIndexes}, {4, g.mistake}, {5, g.onCollections},
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

func choose[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// chance returns true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g *generator) number() any {
	return choose[any](g, g.Int32N(8), int64(g.Int32N(8)), float64(g.Int32N(16))/2, -g.Int32N(3))
}

// id is mostly a small integer. Equal numbers of different types are the same identifier.
func (g *generator) id() any {
	if g.chance(12) {
		return choose[any](g, int64(g.Int32N(40)), float64(g.Int32N(40)), fmt.Sprint("s", g.IntN(4)), bson.ObjectID{byte(g.IntN(3))}, bson.Doc("a", g.Int32N(3)))
	}
	return g.Int32N(40)
}

// scalar returns a value of any type that FerretDB can store, except a document or an array.
func (g *generator) scalar() any {
	switch g.IntN(12) {
	case 0:
		return bson.DateTime(1_700_000_000_000 + int64(g.IntN(3))*1000)
	case 1:
		return bson.ObjectID{1, byte(g.IntN(3))}
	case 2:
		return bson.Binary{Subtype: byte(g.IntN(2)) * 0x80, Data: []byte("abc")[:g.IntN(4)]}
	case 3:
		return bson.Timestamp{T: 1 + uint32(g.IntN(2)), I: uint32(g.IntN(2))}
	case 4:
		return g.IntN(2) == 0
	case 5:
		return nil
	case 6, 7, 8:
		return choose(g, "", "a", "b", "ba", "Ab")
	default:
		return g.number()
	}
}

func (g *generator) array() bson.A {
	array := bson.A{}
	for range g.IntN(4) {
		if g.chance(4) {
			array = append(array, g.scalar())
		} else {
			array = append(array, g.Int32N(4))
		}
	}
	return array
}

// elements returns an array with something in it.
func (g *generator) elements() bson.A { return append(g.array(), g.Int32N(4)) }

func (g *generator) items() bson.A {
	items := bson.A{}
	for range g.IntN(4) {
		item := bson.Doc("k", g.Int32N(3))
		if !g.chance(4) {
			item = append(item, bson.E{Key: "q", Value: g.number()})
		}
		items = append(items, item)
	}
	return items
}

func (g *generator) nested() bson.D {
	d := bson.Doc("x", g.Int32N(4), "y", g.scalar())
	if g.chance(2) {
		d = append(d, bson.E{Key: "z", Value: bson.Doc("w", g.number())})
	}
	return d
}

// value is any value.
func (g *generator) value() any {
	return choose[func() any](g, g.scalar, g.scalar, g.scalar, func() any { return g.array() }, func() any { return g.nested() })()
}

func (g *generator) document() bson.D {
	doc := bson.Doc("_id", g.id(), "n", g.number(), "s", choose(g, "x", "y", "z", "Xy"))
	if !g.chance(4) {
		doc = append(doc, bson.E{Key: "v", Value: g.value()})
	}
	if g.chance(2) {
		doc = append(doc, bson.E{Key: "t", Value: g.array()})
	}
	if g.chance(2) {
		doc = append(doc, bson.E{Key: "d", Value: g.nested()})
	}
	if g.chance(3) {
		doc = append(doc, bson.E{Key: "items", Value: g.items()})
	}
	return doc
}

func (g *generator) insert() bson.D {
	var docs bson.A
	for range 1 + g.IntN(5) {
		docs = append(docs, g.document())
	}
	return bson.Doc("insert", g.collection, "documents", docs, "ordered", g.chance(2))
}

// path returns a field, of documents, of arrays or of none.
func (g *generator) path() string {
	return choose(g, "n", "s", "v", "v", "t", "d", "d.x", "d.y", "d.z.w", "items.k", "items.q", "items", "v.x", "missing", "missing.x", "_id")
}

func (g *generator) remove() bson.D {
	if g.chance(4) {
		return bson.Doc("delete", g.collection, "deletes", bson.A{bson.Doc("q", g.filter(), "limit", 0)})
	}
	return bson.Doc("delete", g.collection, "deletes", bson.A{bson.Doc("q", bson.Doc("_id", g.id()), "limit", 1)})
}

func (g *generator) count() bson.D {
	cmd := bson.Doc("count", g.collection, "query", g.filter())
	if g.chance(3) {
		cmd = append(cmd, bson.Doc("skip", g.Int32N(4), "limit", g.Int32N(4))...)
	}
	return cmd
}

func (g *generator) distinct() bson.D {
	return bson.Doc("distinct", g.collection, "key", g.path(), "query", g.filter())
}

func (g *generator) createIndex() bson.D {
	field := choose(g, "n", "s", "v", "d.x", "d.y")
	key := bson.Doc(field, choose(g, int32(1), int32(-1)))
	if g.chance(3) {
		key = append(key, bson.E{Key: choose(g, "w", "d.z"), Value: int32(1)})
	}
	index := bson.Doc("key", key, "name", "by_"+choose(g, "n", "s", "v"))
	if g.chance(2) {
		index = append(index, bson.E{Key: "unique", Value: !g.chance(3)})
	}
	return bson.Doc("createIndexes", g.collection, "indexes", bson.A{index})
}

func (g *generator) dropIndex() bson.D {
	return bson.Doc("dropIndexes", g.collection, "index", choose[any](g, "by_n", "by_s", "by_v", "_id_", "none", "*", bson.A{"by_n", "by_s"}, bson.Doc("n", 1)))
}

func (g *generator) listIndexes() bson.D {
	return bson.Doc("listIndexes", choose(g, g.collection, g.collection, "missing"))
}

// onCollections makes commands about whole collections, on two collections that no other command uses.
func (g *generator) onCollections() bson.D {
	a, b := g.collection+"a", g.collection+"b"
	if g.chance(2) {
		a, b = b, a
	}
	switch g.IntN(6) {
	case 0:
		return bson.Doc("create", a)
	case 1:
		return bson.Doc("create", a, "capped", true, "size", 4096, "max", 2+g.Int32N(2))
	case 2:
		return bson.Doc("drop", a)
	case 3:
		return bson.Doc("renameCollection", "differential."+a, "to", "differential."+b, "dropTarget", false)
	case 4:
		return bson.Doc("listCollections", 1, "nameOnly", true, "filter", bson.Doc("name", bson.Doc("$in", bson.A{a, b})))
	default:
		return bson.Doc("insert", a, "documents", bson.A{bson.Doc("_id", g.Int32N(3), "x", g.number())})
	}
}
