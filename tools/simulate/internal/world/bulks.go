package world

import (
	"context"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// bulks are bulk writes, each to documents of its own: the counts equal the effects.
type bulks struct {
	*world
	mu   sync.Mutex
	done []bulk
}

// bulk inserts size documents, changes the even ones twice and deletes the first.
type bulk struct {
	name  string
	size  int
	known certainty
}

type bulkDocument struct {
	ID   string `bson:"_id"`
	Bulk string
	N    int
}

func newBulks(w *world) *bulks { return &bulks{world: w} }

func (b *bulks) prepare(ctx context.Context, k *cleanClient) error {
	return k.db.CreateCollection(ctx, "bulk")
}

func (b *bulks) start(k *worker) actor { return &bulkActor{bulks: b, k: k} }

type bulkActor struct {
	*bulks
	k    *worker
	next int
}

func (a *bulkActor) close(context.Context) {}

func (b bulk) id(i int) string { return fmt.Sprintf("%s-%d", b.name, i) }

// countChanged returns how many of the documents are changed.
func (b bulk) countChanged() int64 { return int64(b.size+1) / 2 }

func (a *bulkActor) do(ctx context.Context, op scenario.Op) (string, error) {
	a.next++
	b := bulk{name: fmt.Sprintf("%d-%d", a.k.plan.Number, a.next), size: op.N}
	var err error
	switch {
	case op.Kind == "client" && a.s.World.Version >= "8.0":
		err = a.writeByClient(ctx, b)
	case op.Kind == "many":
		return a.updateMany(ctx, b)
	default:
		err = a.writeByCollection(ctx, b, op.Kind != "unordered")
	}
	b.known = certaintyOf(err)
	a.bulks.mu.Lock()
	defer a.bulks.mu.Unlock()
	a.bulks.done = append(a.bulks.done, b)
	return fmt.Sprintf("%s %s of %d", op.Kind, b.name, b.size), err
}

// inc changes a document.
var inc = bson.Doc("$inc", bson.Doc("n", 1))

// writeByCollection does the bulk in two parts, since the writes of an unordered one have no order.
func (a *bulkActor) writeByCollection(ctx context.Context, b bulk, ordered bool) error {
	c, o := a.k.db().Collection("bulk"), &options.BulkWrite{Ordered: new(ordered)}
	var inserts, changes []mongo.WriteModel
	for i := range b.size {
		inserts = append(inserts, &mongo.InsertOneModel{Document: bulkDocument{b.id(i), b.name, 0}})
		if i%2 == 0 {
			change := &mongo.UpdateOneModel{Filter: byID(b.id(i)), Update: inc}
			changes = append(changes, change, change)
		}
	}
	changes = append(changes, &mongo.DeleteOneModel{Filter: byID(b.id(b.size - 1))})
	if b.size%2 == 1 { // the last one is even: it is deleted after its changes when there is an order
		changes[len(changes)-1] = &mongo.DeleteOneModel{Filter: byID(b.id(1))}
	}
	r, err := c.BulkWrite(ctx, inserts, o)
	if err != nil {
		return err
	}
	a.checkEqual(b, "inserted", r.InsertedCount, int64(b.size))
	r, err = c.BulkWrite(ctx, changes, o)
	if err != nil {
		return err
	}
	a.checkEqual(b, "matched", r.MatchedCount, 2*b.countChanged())
	a.checkEqual(b, "modified", r.ModifiedCount, 2*b.countChanged())
	a.checkEqual(b, "deleted", r.DeletedCount, 1)
	return nil
}

func (a *bulkActor) writeByClient(ctx context.Context, b bulk) error {
	var all []mongo.ClientBulkWrite
	add := func(m mongo.ClientWriteModel) {
		all = append(all, mongo.ClientBulkWrite{Database: "world", Collection: "bulk", Model: m})
	}
	for i := range b.size {
		add(&mongo.ClientInsertOneModel{Document: bulkDocument{b.id(i), b.name, 0}})
	}
	for i := 0; i < b.size; i += 2 {
		add(&mongo.ClientUpdateOneModel{Filter: byID(b.id(i)), Update: inc})
		add(&mongo.ClientUpdateOneModel{Filter: byID(b.id(i)), Update: inc})
	}
	add(&mongo.ClientDeleteOneModel{Filter: byID(b.id(1))})
	r, err := a.k.client.mongo().BulkWrite(ctx, all, &options.ClientBulkWrite{WriteConcern: mongo.Majority(), VerboseResults: new(true)})
	if err != nil {
		return err
	}
	a.checkEqual(b, "inserted", r.InsertedCount, int64(b.size))
	a.checkEqual(b, "matched", r.MatchedCount, 2*b.countChanged())
	a.checkEqual(b, "modified", r.ModifiedCount, 2*b.countChanged())
	a.checkEqual(b, "deleted", r.DeletedCount, 1)
	a.checkResults(b, r)
	return nil
}

// checkResults checks that each write has its result, whichever message it was in.
func (a *bulkActor) checkResults(b bulk, r *mongo.ClientBulkWriteResult) {
	if batch := a.s.World.Batch; batch > 0 && b.size > batch {
		a.countEffect(judgedVerbose)
	}
	for i := range b.size {
		if got := r.InsertResults[i].InsertedID; got != b.id(i) {
			a.violate(scenario.Bulk, "bulk %s: write %d inserted %v", b.name, i, got)
		}
	}
	updates := int(2 * b.countChanged())
	for i := b.size; i < b.size+updates; i++ {
		if got, found := r.UpdateResults[i]; !found || got.ModifiedCount != 1 {
			a.violate(scenario.Bulk, "bulk %s: write %d is an update with the result %+v", b.name, i, got)
		}
	}
	if got, found := r.DeleteResults[b.size+updates]; !found || got.DeletedCount != 1 || len(r.UpdateResults) != updates {
		a.violate(scenario.Bulk, "bulk %s: the deletion has the result %+v; %d updates", b.name, got, len(r.UpdateResults))
	}
}

// updateMany writes with commands that are not retried and change several documents.
func (a *bulkActor) updateMany(ctx context.Context, b bulk) (string, error) {
	c := a.k.db().Collection("bulk")
	var all []bulkDocument
	for i := range b.size {
		all = append(all, bulkDocument{b.id(i), b.name, 0})
	}
	if _, err := c.InsertMany(ctx, all); err != nil {
		return "many " + b.name, err
	}
	u, err := c.UpdateMany(ctx, bson.Doc("bulk", b.name), inc)
	if err != nil {
		return "many " + b.name, err
	}
	a.checkEqual(b, "modified by updateMany", u.ModifiedCount, int64(b.size))
	d, err := c.DeleteMany(ctx, bson.Doc("bulk", b.name, "n", 1))
	if err != nil {
		return "many " + b.name, err
	}
	a.checkEqual(b, "deleted by deleteMany", d.DeletedCount, int64(b.size))
	return "many " + b.name, nil
}

func (a *bulkActor) checkEqual(b bulk, what string, got, want int64) {
	if got != want {
		a.violate(scenario.Bulk, "bulk %s of %d: %s %d, want %d", b.name, b.size, what, got, want)
	}
}

func (b *bulks) check(ctx context.Context, k *cleanClient) error {
	all, err := decodeAll[bulkDocument](ctx, k.db.Collection("bulk"), bson.D{})
	if err != nil {
		return err
	}
	there := map[string]int{}
	for _, d := range all {
		there[d.ID] = d.N
	}
	for _, one := range b.done {
		left := 0
		for i := range one.size {
			n, found := there[one.id(i)]
			if found {
				left++
			}
			if n > 2 || one.known == done && found && n != 2*((i+1)%2) {
				b.violate(scenario.Bulk, "%s was changed %d times", one.id(i), n)
			}
		}
		if one.known == done && left != one.size-1 {
			b.violate(scenario.Bulk, "bulk %s of %d left %d documents", one.name, one.size, left)
		}
	}
	return nil
}
