package world

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// workload makes a workload, or nil when no worker has it.
func (w *world) workload(name string) workload {
	if !slices.ContainsFunc(w.s.Workers, func(k scenario.Worker) bool { return k.Workload == name }) {
		return nil
	}
	switch name {
	case scenario.Register:
		return &registers{world: w}
	case scenario.Ledger:
		return newLedger(w)
	case scenario.Bank:
		return &bank{world: w, sent: map[string]transfer{}}
	case scenario.Lists:
		return &lists{world: w}
	case scenario.Causal:
		return newCausalSessions(w)
	case scenario.Watch:
		return newFeed(w)
	case scenario.Cursor:
		return &fixedDocuments{world: w}
	case scenario.GridFS:
		return newFiles(w)
	case scenario.Bulk:
		return newBulks(w)
	case scenario.Vault:
		w.vault = &vault{world: w, notes: map[string][]string{}, stored: map[string]certainty{}}
		return w.vault
	}
	w.violate("world", "there is no workload %q", name)
	return nil
}

// certainty is what a client knows about a write.
type certainty int

const (
	unknown certainty = iota // it may have happened, or may still
	done
	undone
)

// certaintyOf returns what the error of a write says about whether it happened.
func certaintyOf(err error) certainty {
	if err == nil {
		return done
	}
	return unknown
}

// decodeAll decodes every document of a collection.
func decodeAll[T any](ctx context.Context, c *mongo.Collection, filter any) ([]T, error) {
	cursor, err := c.Find(ctx, filter)
	if err != nil {
		return nil, err
	}
	return mongo.All[T](ctx, cursor)
}

func byID(id any) bson.D { return bson.Doc("_id", id) }
