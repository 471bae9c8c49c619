package world

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
)

const (
	accounts = 5
	capital  = 100 // of each account in the beginning
)

// bank moves money between accounts in transactions. Every snapshot holds the same total, and in the end each account
// has the balance that the completed transfers leave.
type bank struct {
	*world
	mu   sync.Mutex
	sent map[string]transfer
}

type transfer struct {
	ID           string `bson:"_id"`
	From, To, By int
	known        certainty
}

type account struct {
	ID      int `bson:"_id"`
	Balance int
}

func (b *bank) prepare(ctx context.Context, k *cleanClient) error {
	var all []account
	for i := range accounts {
		all = append(all, account{i, capital})
	}
	if err := k.db.CreateCollection(ctx, "transfers"); err != nil {
		return err
	}
	_, err := k.db.Collection("accounts").InsertMany(ctx, all)
	return err
}

func (b *bank) start(k *worker) actor { return &teller{bank: b, k: k} }

type teller struct {
	*bank
	k    *worker
	next int
}

func (a *teller) close(context.Context) {}

// txnEnds are the codes that a transaction may end with when it met another one, or a failover.
var txnEnds = []errcode.Code{
	errcode.WriteConflict, errcode.NoSuchTransaction, errcode.LockTimeout, errcode.TransactionTooOld, errcode.SnapshotUnavailable,
	errcode.CursorNotFound,
}

var transactions = &options.Transaction{ReadConcern: mongo.ReadSnapshot(), WriteConcern: mongo.Majority()}

func (a *teller) do(ctx context.Context, op scenario.Op) (string, error) {
	client := a.k.client.mongo()
	o := &options.Session{}
	if op.Kind == "snapshot" {
		o.Snapshot = new(true)
	}
	var text string
	err := client.UseSessionWithOptions(ctx, o, func(ctx context.Context, s *mongo.Session) (err error) {
		switch op.Kind {
		case "transfer":
			text, err = a.transfer(ctx, s, op)
			return err
		case "audit":
			return s.WithTransaction(ctx, func(ctx context.Context) error { return a.audit(ctx, client, op.Kind, &text) }, transactions)
		}
		return a.audit(ctx, client, op.Kind, &text)
	})
	return text, markExpected(err, txnEnds...)
}

// audit reads all accounts at one point in time.
func (a *teller) audit(ctx context.Context, client *mongo.Client, kind string, text *string) error {
	c := client.Database("world").Collection("accounts")
	var all []account
	err := a.k.callInTime(ctx, "audit", func() (err error) { all, err = decodeAll[account](ctx, c, bson.D{}); return err })
	if err != nil {
		return err
	}
	total := 0
	for _, one := range all {
		total += one.Balance
	}
	*text = fmt.Sprint(all)
	if total != accounts*capital {
		a.violate(scenario.Bank, "worker %d: %s saw %d in all: %v", a.k.plan.Number, kind, total, all)
	}
	return nil
}

var errPoor = errors.New("the account is empty")

func (a *teller) transfer(ctx context.Context, s *mongo.Session, op scenario.Op) (string, error) {
	a.next++
	t := transfer{ID: fmt.Sprintf("%d-%d", a.k.plan.Number, a.next), From: op.Key, To: op.To, By: op.N}
	db := s.Client().Database("world")
	err := s.WithTransaction(ctx, func(ctx context.Context) error {
		var from account
		read := func() error { return db.Collection("accounts").FindOne(ctx, byID(t.From)).Decode(&from) }
		if err := a.k.callInTime(ctx, "read", read); err != nil {
			return err
		}
		if from.Balance < t.By {
			return errPoor
		}
		for _, side := range []account{{t.From, -t.By}, {t.To, t.By}} {
			change := bson.Doc("$inc", bson.Doc("balance", side.Balance))
			update := func() error { _, err := db.Collection("accounts").UpdateOne(ctx, byID(side.ID), change); return err }
			if err := a.k.callInTime(ctx, "update", update); err != nil {
				return err
			}
		}
		_, err := db.Collection("transfers").InsertOne(ctx, t)
		return err
	}, transactions)
	t.known = certaintyOf(err)
	if errors.Is(err, errPoor) {
		t.known, err = undone, nil
	}
	a.bank.mu.Lock()
	defer a.bank.mu.Unlock()
	a.sent[t.ID] = t
	return fmt.Sprintf("%s: %d from %d to %d", t.ID, t.By, t.From, t.To), err
}

func (b *bank) check(ctx context.Context, k *cleanClient) error {
	transfers, err := decodeAll[transfer](ctx, k.db.Collection("transfers"), bson.D{})
	if err != nil {
		return err
	}
	want, happened := [accounts]int{}, map[string]bool{}
	for i := range want {
		want[i] = capital
	}
	for _, t := range transfers {
		happened[t.ID] = true
		want[t.From] -= t.By
		want[t.To] += t.By
	}
	for id, t := range b.sent {
		if t.known == done && !happened[id] || t.known == undone && happened[id] {
			b.violate(scenario.Bank, "transfer %s was acknowledged: %t, and happened: %t", id, t.known == done, happened[id])
		}
	}
	all, err := decodeAll[account](ctx, k.db.Collection("accounts"), bson.D{})
	for _, one := range all {
		if one.Balance != want[one.ID] {
			b.violate(scenario.Bank, "account %d holds %d, its transfers leave %d", one.ID, one.Balance, want[one.ID])
		}
	}
	return err
}
