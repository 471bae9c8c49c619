package world

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// ledger is what workers inserted, counted and deleted. What was acknowledged has happened exactly once, and anything else at
// most once.
type ledger struct {
	*world
	mu       sync.Mutex
	inserted map[string]certainty
	deleted  map[string]certainty
	counted  [4]map[string]certainty // increments of each counter
}

func newLedger(w *world) *ledger {
	l := &ledger{world: w, inserted: map[string]certainty{}, deleted: map[string]certainty{}}
	for i := range l.counted {
		l.counted[i] = map[string]certainty{}
	}
	return l
}

// counter is a number, and the name of each operation that has added 1 to it.
type counter struct {
	ID    int `bson:"_id"`
	N     int
	Names []string
}

func (l *ledger) prepare(ctx context.Context, k *cleanClient) error {
	var all []counter
	for i := range l.counted {
		all = append(all, counter{ID: i, Names: []string{}})
	}
	_, err := k.db.Collection("counters").InsertMany(ctx, all)
	return err
}

func (l *ledger) start(k *worker) actor { return &bookkeeper{ledger: l, k: k} }

type bookkeeper struct {
	*ledger
	k    *worker
	next int
	own  []string // inserted by the actor, acknowledged and not deleted
}

func (a *bookkeeper) close(context.Context) {}

func (a *bookkeeper) name() string {
	a.next++
	return fmt.Sprintf("%d-%d", a.k.plan.Number, a.next)
}

func (a *bookkeeper) do(ctx context.Context, op scenario.Op) (string, error) {
	db := a.k.db()
	switch op.Kind {
	case "insert":
		name := a.name()
		_, err := db.Collection("entries").InsertOne(ctx, byID(name))
		a.note(a.inserted, err, name)
		return name, err
	case "insertMany":
		names := []string{a.name(), a.name(), a.name()}
		_, err := db.Collection("entries").InsertMany(ctx, []bson.D{byID(names[0]), byID(names[1]), byID(names[2])})
		a.note(a.inserted, err, names...)
		return fmt.Sprint(names), err
	case "count", "push":
		return a.add(ctx, db, op)
	}
	return a.remove(ctx, db, op)
}

// add adds 1 to a counter.
func (a *bookkeeper) add(ctx context.Context, db *mongo.Database, op scenario.Op) (string, error) {
	name, c := a.name(), db.Collection("counters")
	change := bson.Doc("$inc", bson.Doc("n", 1), "$push", bson.Doc("names", name))
	var err error
	if op.Kind == "count" {
		var r *mongo.UpdateResult
		if r, err = c.UpdateOne(ctx, byID(op.Key), change); err == nil && r.ModifiedCount != 1 {
			a.violate(scenario.Ledger, "%s changed %d counters", name, r.ModifiedCount)
		}
	} else {
		err = c.FindOneAndUpdate(ctx, byID(op.Key), change).Err()
	}
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	a.counted[op.Key][name] = certaintyOf(err)
	return fmt.Sprintf("%s to counter %d", name, op.Key), err
}

// remove deletes an entry that is there.
func (a *bookkeeper) remove(ctx context.Context, db *mongo.Database, op scenario.Op) (string, error) {
	if len(a.own) == 0 {
		return "", ErrNothing
	}
	name, c := a.own[0], db.Collection("entries")
	a.own = a.own[1:]
	var err error
	if op.Kind == "delete" {
		var r *mongo.DeleteResult
		if r, err = c.DeleteOne(ctx, byID(name)); err == nil && r.DeletedCount != 1 {
			a.violate(scenario.Ledger, "deleting %s deleted %d", name, r.DeletedCount)
		}
	} else if err = c.FindOneAndDelete(ctx, byID(name)).Err(); errors.Is(err, mongo.ErrNoDocuments) {
		a.violate(scenario.Ledger, "%s was not there to take", name)
		err = nil
	}
	a.note(a.deleted, err, name)
	return name, err
}

func (a *bookkeeper) note(to map[string]certainty, err error, names ...string) {
	a.ledger.mu.Lock()
	defer a.ledger.mu.Unlock()
	for _, name := range names {
		to[name] = certaintyOf(err)
		if _, gone := a.deleted[name]; err == nil && !gone {
			a.own = append(a.own, name)
		}
	}
}

func (l *ledger) check(ctx context.Context, k *cleanClient) error {
	entries, err := decodeAll[struct {
		ID string `bson:"_id"`
	}](ctx, k.db.Collection("entries"), bson.D{})
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.ID] = true
		if _, known := l.inserted[e.ID]; !known {
			l.violate(scenario.Ledger, "%s is there, and nobody inserted it", e.ID)
		}
	}
	for name, inserted := range l.inserted {
		gone, tried := l.deleted[name]
		switch {
		case inserted == done && !tried && !there[name]:
			l.violate(scenario.Ledger, "%s was inserted and is lost", name)
		case gone == done && there[name]:
			l.violate(scenario.Ledger, "%s was deleted and is there", name)
		}
	}
	counters, err := decodeAll[counter](ctx, k.db.Collection("counters"), bson.D{})
	for _, c := range counters {
		l.checkCounter(c)
	}
	return err
}

func (l *ledger) checkCounter(c counter) {
	times := map[string]int{}
	for _, name := range c.Names {
		times[name]++
	}
	if c.N != len(c.Names) {
		l.violate(scenario.Ledger, "counter %d is %d after %d increments", c.ID, c.N, len(c.Names))
	}
	for name, known := range l.counted[c.ID] {
		if n := times[name]; n > 1 || known == done && n != 1 {
			l.violate(scenario.Ledger, "counter %d: %s happened %d times, acknowledged: %t", c.ID, name, n, known == done)
		}
	}
}
