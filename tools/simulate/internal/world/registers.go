package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/check"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// registers are documents with one value each, written with a majority and read with linearizable read concern. There must be
// one order of all operations on a register that explains what each of them saw and is consistent with their times.
type registers struct {
	*world
	mu      sync.Mutex
	history []check.RegisterOp
}

// document is one register.
type document struct {
	ID int `bson:"_id"`
	V  int
}

func (g *registers) prepare(ctx context.Context, k *cleanClient) error {
	var all []document
	for _, op := range g.s.Ops {
		if g.s.Workers[op.Worker].Workload == scenario.Register {
			for len(all) <= op.Key {
				all = append(all, document{ID: len(all)})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := k.db.Collection("registers").InsertMany(ctx, all)
	return err
}

func (g *registers) start(k *worker) actor {
	return &registerActor{registers: g, k: k, seen: map[int]int{}}
}

type registerActor struct {
	*registers
	k    *worker
	next int
	seen map[int]int // the last value that the actor saw or wrote
}

func (a *registerActor) do(ctx context.Context, op scenario.Op) (string, error) {
	a.next++
	value := (a.k.plan.Number+1)*100_000 + a.next
	c := a.k.db().Collection("registers", &options.Collection{ReadConcern: mongo.ReadLinearizable()})
	h := check.RegisterOp{Key: op.Key, Worker: a.k.plan.Number, Kind: op.Kind, New: value, Call: int64(a.elapsed())}
	err := a.carryOut(ctx, c, &h)
	h.Known, h.Return = err == nil, int64(a.elapsed())
	if h.Known && h.Kind != check.Read && !h.Failed {
		a.seen[op.Key] = value
	}
	if h.Known && h.Kind == check.Read {
		a.seen[op.Key] = h.Old
	}
	a.registers.mu.Lock()
	defer a.registers.mu.Unlock()
	a.history = append(a.history, h)
	return h.String(), err
}

func (a *registerActor) carryOut(ctx context.Context, c *mongo.Collection, h *check.RegisterOp) error {
	set := bson.Doc("$set", bson.Doc("v", h.New))
	var got document
	switch h.Kind {
	case check.Read:
		err := c.FindOne(ctx, byID(h.Key)).Decode(&got)
		h.Old = got.V
		return a.explainMissing(err)
	case check.Swap:
		err := c.FindOneAndUpdate(ctx, byID(h.Key), set).Decode(&got)
		h.Old = got.V
		return a.explainMissing(err)
	case check.CAS:
		h.Old = a.seen[h.Key]
		r, err := c.UpdateOne(ctx, bson.Doc("_id", h.Key, "v", h.Old), set)
		h.Failed = err == nil && r.MatchedCount == 0
		return err
	}
	r, err := c.UpdateOne(ctx, byID(h.Key), set)
	if err == nil && r.MatchedCount != 1 {
		a.violate(scenario.Register, "a write of register %d matched %d documents", h.Key, r.MatchedCount)
	}
	return err
}

// explainMissing reports a register that is not there: none is ever deleted.
func (a *registerActor) explainMissing(err error) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return fmt.Errorf("the register is not there: %w", err)
	}
	return err
}

func (a *registerActor) close(context.Context) {}

func (g *registers) check(ctx context.Context, k *cleanClient) error {
	all, err := decodeAll[document](ctx, k.db.Collection("registers"), bson.D{})
	if err != nil {
		return err
	}
	at := int64(g.elapsed())
	for _, d := range all { // the state in the end is one more read
		g.history = append(g.history, check.RegisterOp{Key: d.ID, Kind: check.Read, Old: d.V, Known: true, Call: at, Return: at})
	}
	g.checkLater(scenario.Register, func() []string {
		wrong, unjudged := check.Registers(g.history, 5*time.Second)
		g.result.Unjudged = unjudged
		return wrong
	})
	return nil
}
