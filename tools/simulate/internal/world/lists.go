package world

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/check"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

// lists are documents with a list each, which transactions append to and read. What the transactions saw of each other must
// be consistent with snapshot isolation.
type lists struct {
	*world
	mu      sync.Mutex
	history []check.Transaction
}

type list struct {
	ID int `bson:"_id"`
	L  []int
}

func (l *lists) prepare(ctx context.Context, k *cleanClient) error {
	all := []list{{ID: 0, L: []int{}}}
	for _, op := range l.s.Ops {
		for _, st := range op.Steps {
			for len(all) <= st.Key {
				all = append(all, list{ID: len(all), L: []int{}})
			}
		}
	}
	_, err := k.db.Collection("lists").InsertMany(ctx, all)
	return err
}

func (l *lists) start(k *worker) actor { return &listActor{lists: l, k: k} }

type listActor struct {
	*lists
	k *worker
}

func (a *listActor) close(context.Context) {}

var errAbort = errors.New("the transaction was to be aborted")

func (a *listActor) do(ctx context.Context, op scenario.Op) (string, error) {
	t := check.Transaction{Name: fmt.Sprintf("%d at %v", a.k.plan.Number, op.At)}
	o := &options.Session{}
	if op.Kind == "snapshot" {
		o.Snapshot = new(true)
	}
	err := a.k.client.mongo().UseSessionWithOptions(ctx, o, func(ctx context.Context, s *mongo.Session) error {
		switch op.Kind {
		case "with":
			return s.WithTransaction(ctx, func(ctx context.Context) error { return a.runSteps(ctx, s, op, &t) }, transactions)
		case "transaction":
			return a.runByHand(ctx, s, op, &t)
		}
		return a.runSteps(ctx, s, op, &t)
	})
	if errors.Is(err, errAbort) {
		t.Outcome, err = check.Aborted, nil
	} else if err == nil {
		t.Outcome = check.Committed
	}
	a.lists.mu.Lock()
	defer a.lists.mu.Unlock()
	a.history = append(a.history, t)
	return t.String(), markExpected(err, txnEnds...)
}

// runSteps runs the steps of a transaction and forgets the steps of an earlier attempt.
func (a *listActor) runSteps(ctx context.Context, s *mongo.Session, op scenario.Op, t *check.Transaction) error {
	t.Steps = t.Steps[:0]
	c := s.Client().Database("world").Collection("lists")
	for _, st := range op.Steps {
		did := check.Step{Key: st.Key, Append: st.Append, Value: st.Value}
		if st.Append {
			t.Steps = append(t.Steps, did)
			if err := a.k.callInTime(ctx, "append", func() error { return a.append(ctx, c, st) }); err != nil {
				return err
			}
			continue
		}
		var got list
		if err := a.k.callInTime(ctx, "read", func() error { return c.FindOne(ctx, byID(st.Key)).Decode(&got) }); err != nil {
			return err
		}
		did.List = got.L
		t.Steps = append(t.Steps, did)
	}
	if op.N == 0 && op.Kind != "snapshot" {
		return errAbort
	}
	return nil
}

func (a *listActor) append(ctx context.Context, c *mongo.Collection, st scenario.Step) error {
	r, err := c.UpdateOne(ctx, byID(st.Key), bson.Doc("$push", bson.Doc("l", st.Value)))
	if err == nil && r.ModifiedCount != 1 {
		a.violate(scenario.Lists, "appending to list %d changed %d documents", st.Key, r.ModifiedCount)
	}
	return err
}

// runByHand starts, commits and aborts the transaction itself. Only a commit leaves open what happened.
func (a *listActor) runByHand(ctx context.Context, s *mongo.Session, op scenario.Op, t *check.Transaction) error {
	if err := s.StartTransaction(transactions); err != nil {
		return err
	}
	if err := a.runSteps(ctx, s, op, t); err != nil {
		t.Outcome = check.Aborted
		if aborted := s.AbortTransaction(ctx); aborted != nil {
			a.violate(scenario.Lists, "aborting: %v", aborted)
		}
		return err
	}
	for {
		err := a.k.callInTime(ctx, "commit", func() error { return s.CommitTransaction(ctx) })
		switch {
		case err == nil:
			return nil
		case mongo.HasErrorLabel(err, "TransientTransactionError"):
			t.Outcome = check.Aborted
			return err
		case !mongo.HasErrorLabel(err, "UnknownTransactionCommitResult") || ctx.Err() != nil || !isExpected(err):
			return err
		case errors.Is(err, mongo.ErrClientClosed), errors.As(err, new(*mongo.TimeoutError)):
			return err
		}
	}
}

func (l *lists) check(ctx context.Context, k *cleanClient) error {
	all, err := decodeAll[list](ctx, k.db.Collection("lists"), bson.D{})
	if err != nil {
		return err
	}
	last := check.Transaction{Name: "the end", Outcome: check.Committed}
	for _, one := range all {
		last.Steps = append(last.Steps, check.Step{Key: one.ID, List: one.L})
	}
	for _, text := range check.SnapshotIsolation(append(l.history, last)) {
		l.violate(scenario.Lists, "%s", text)
	}
	return nil
}
