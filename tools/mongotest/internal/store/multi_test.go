package store_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// newBank returns a store with a unique index and the accounts 1 and 2.
func newBank(t testing.TB) *store.Store {
	s := newStore(t)
	update(t, s, func(tx *store.Txn) error {
		unique := newIndex(t, "iban", "iban")
		unique.Unique, unique.Sparse = true, true
		return tx.CreateIndex("db", "c", unique)
	})
	insert(t, s, document(t, "_id", 1, "n", 10, "iban", "A"), document(t, "_id", 2, "n", 10, "iban", "B"))
	return s
}

func account(t testing.TB, snap *store.Snapshot, id int) *store.Record {
	return snap.Collection("db", "c").FindID(document(t, "_id", id).Lookup("_id"))
}

// set replaces a document as the transaction sees it.
func set(t testing.TB, tx *store.Txn, id int, doc bson.Raw) error {
	return tx.Replace("db", "c", account(t, tx.Snapshot(), id), doc, document(t))
}

// Each case is a transaction that conflicts with something that happened after it started.
func TestTransactionMeets(t *testing.T) {
	type step func(t *testing.T, s *store.Store, tx *store.Txn) error
	write := func(id int, doc ...any) step {
		return func(t *testing.T, s *store.Store, tx *store.Txn) error { return set(t, tx, id, document(t, doc...)) }
	}
	add := func(doc ...any) step {
		return func(t *testing.T, s *store.Store, tx *store.Txn) error {
			return tx.Insert("db", "c", document(t, doc...))
		}
	}
	remove := func(id int) step {
		return func(t *testing.T, s *store.Store, tx *store.Txn) error {
			return tx.Delete("db", "c", account(t, tx.Snapshot(), id))
		}
	}
	commit := func(t *testing.T, s *store.Store, tx *store.Txn) error { _, err := tx.Commit(); return err }
	for _, test := range []struct {
		name     string
		other    step // a step of an open transaction
		commits  bool // it commits before the tested one writes
		mine     step
		want     errcode.Code // of mine
		atCommit errcode.Code
	}{
		{"another document", write(1, "_id", 1, "n", 1, "iban", "A"), false, write(2, "_id", 2, "n", 1, "iban", "B"), 0, 0},
		{"the same document", write(1, "_id", 1, "n", 1, "iban", "A"), false, write(1, "_id", 1, "n", 2, "iban", "A"), errcode.WriteConflict, 0},
		{"the same document, committed", write(1, "_id", 1, "n", 1, "iban", "A"), true, write(1, "_id", 1, "n", 2, "iban", "A"), errcode.WriteConflict, 0},
		{"a deleted document", remove(1), false, write(1, "_id", 1, "n", 2, "iban", "A"), errcode.WriteConflict, 0},
		{"a deleted document, committed", remove(1), true, remove(1), errcode.WriteConflict, 0},
		{"an insert of the same _id", add("_id", 3), false, add("_id", 3), errcode.WriteConflict, 0},
		{"an insert of the same _id, committed", add("_id", 3), true, add("_id", 3), errcode.WriteConflict, 0},
		{"an insert of the same unique key", add("_id", 3, "iban", "C"), false, add("_id", 4, "iban", "C"), errcode.WriteConflict, 0},
		{"an insert of the same unique key, committed", add("_id", 3, "iban", "C"), true, add("_id", 4, "iban", "C"), errcode.WriteConflict, 0},
		{"a unique key that is given free", write(1, "_id", 1, "n", 1), true, add("_id", 4, "iban", "A"), errcode.DuplicateKey, 0},
		{"an update to the same unique key", write(1, "_id", 1, "iban", "C"), false, write(2, "_id", 2, "iban", "C"), errcode.WriteConflict, 0},
		{"a dropped collection", func(t *testing.T, s *store.Store, tx *store.Txn) error {
			tx.Abort()
			_, err := s.Update(func(tx *store.Txn) error { return tx.Drop("db", "c") })
			return err
		}, false, add("_id", 4), errcode.WriteConflict, 0},
		{"a collection that is another one now", func(t *testing.T, s *store.Store, tx *store.Txn) error {
			tx.Abort()
			_, err := s.Update(func(tx *store.Txn) error {
				tx.Create("db", "c", store.Options{}, newIndex(t, "_id_", "_id"))
				return nil
			})
			return err
		}, false, write(1, "_id", 1, "n", 3), errcode.WriteConflict, 0},
		{"a rollback", func(t *testing.T, s *store.Store, tx *store.Txn) error {
			tx.Abort()
			s.Truncate(s.Latest().Time(), nil)
			return nil
		}, false, write(1, "_id", 1, "n", 3), errcode.NoSuchTransaction, 0},
		{"a rollback after the write", func(t *testing.T, s *store.Store, tx *store.Txn) error { tx.Abort(); return nil }, false,
			func(t *testing.T, s *store.Store, tx *store.Txn) error {
				err := set(t, tx, 1, document(t, "_id", 1, "n", 3))
				s.Truncate(s.Latest().Time(), nil)
				return err
			}, 0, errcode.NoSuchTransaction},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newBank(t)
			other, mine := s.Begin(), s.Begin()
			if err := test.other(t, s, other); err != nil {
				t.Fatal(err)
			}
			if test.commits {
				if err := commit(t, s, other); err != nil {
					t.Fatal(err)
				}
			}
			err := test.mine(t, s, mine)
			expect(t, "write", err, test.want)
			if err != nil {
				mine.Abort()
				return
			}
			_, err = mine.Commit()
			expect(t, "commit", err, test.atCommit)
		})
	}
}

// expect compares a code. A client may retry the whole transaction after a conflict.
func expect(t *testing.T, what string, err error, want errcode.Code) {
	t.Helper()
	if want == 0 && err != nil || want != 0 && !status.Is(err, want) {
		t.Fatalf("%s: %v, want %d", what, err, want)
	}
	if want == errcode.WriteConflict || want == errcode.NoSuchTransaction {
		if !slices.Contains(status.From(err).Labels, errcode.LabelTransientTransactionError) {
			t.Errorf("%s: labels are %v", what, status.From(err).Labels)
		}
	}
}

// A transaction sees the state in which it started and its own writes. Nothing else sees those writes before the
// commit.
func TestTransactionIsolation(t *testing.T) {
	s := newBank(t)
	tx := s.Begin()
	if err := set(t, tx, 1, document(t, "_id", 1, "n", 99)); err != nil {
		t.Fatal(err)
	}
	seen := tx.Snapshot()
	insert(t, s, document(t, "_id", 3))
	if account(t, tx.Snapshot(), 3) != nil {
		t.Error("the transaction sees a later write")
	}
	if err := tx.Insert("db", "c", document(t, "_id", 4)); err != nil {
		t.Fatal(err)
	}
	if account(t, seen, 4) != nil {
		t.Error("a snapshot within the transaction changed")
	}
	if n := path.Field(account(t, s.Latest(), 1).Doc, "n").String(); n != "10" || account(t, s.Latest(), 4) != nil {
		t.Errorf("others see n = %s", n)
	}
	before := s.Latest().Time()
	committed := false
	tx.OnCommit(func() { committed = true })
	at, err := tx.Commit()
	if err != nil || at <= before || !committed {
		t.Fatalf("committed at %d: %v, %v", at, committed, err)
	}
	for e := range s.Oplog().After(before) {
		if !e.Origin.InTxn {
			t.Errorf("entry %c is not marked", e.Op)
		}
	}
	if n := s.Latest().Collection("db", "c").Len(); n != 4 {
		t.Errorf("%d documents", n)
	}
	if _, err := tx.Commit(); !status.Is(err, errcode.IllegalOperation) {
		t.Errorf("the second commit: %v", err)
	}
}

// A single write never waits at this level. The store refuses it while a transaction holds the document or the key, and
// says when to try again.
func TestSingleWriteMeetsTransaction(t *testing.T) {
	s := newBank(t)
	tx := s.Begin()
	if err := set(t, tx, 1, document(t, "_id", 1, "iban", "Z")); err != nil {
		t.Fatal(err)
	}
	released := s.Released()
	for name, write := range map[string]func(*store.Txn) error{
		"document":   func(one *store.Txn) error { return set(t, one, 1, document(t, "_id", 1, "n", 0)) },
		"unique key": func(one *store.Txn) error { return one.Insert("db", "c", document(t, "_id", 9, "iban", "Z")) },
	} {
		if _, err := s.Update(write); !status.Is(err, errcode.WriteConflict) || len(status.From(err).Labels) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	tx.Abort()
	<-released
	update(t, s, func(one *store.Txn) error { return set(t, one, 1, document(t, "_id", 1, "n", 0, "iban", "Z")) })
}

// Many concurrent transfers between accounts keep the sum, in every state of the store.
func TestConcurrentTransfersKeepTheSum(t *testing.T) {
	const accounts, workers, transfers = 10, 8, 60
	s := newStore(t)
	for i := range accounts {
		insert(t, s, document(t, "_id", i, "n", 100))
	}
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	readers.Go(func() {
		for {
			if sum := sumBalances(s.Latest()); sum != accounts*100 {
				t.Errorf("the sum is %d", sum)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for w := range workers {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for range transfers {
				for !transfer(t, s, r.IntN(accounts), r.IntN(accounts), int64(r.IntN(10))) {
					runtime.Gosched()
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	if sum := sumBalances(s.Latest()); sum != accounts*100 {
		t.Errorf("the sum is %d at the end", sum)
	}
}

func sumBalances(snap *store.Snapshot) (sum int64) {
	scan := snap.Collection("db", "c").Scan(0)
	for r := scan.Next(); r != nil; r = scan.Next() {
		n, _ := path.Field(r.Doc, "n").AsInt64OK()
		sum += n
	}
	return sum
}

func transfer(t *testing.T, s *store.Store, from, to int, amount int64) bool {
	tx := s.Begin()
	for id, by := range map[int]int64{from: -amount, to: amount} {
		if from == to {
			break
		}
		n, _ := path.Field(account(t, tx.Snapshot(), id).Doc, "n").AsInt64OK()
		if err := set(t, tx, id, document(t, "_id", id, "n", n+by)); err != nil {
			if !status.Is(err, errcode.WriteConflict) {
				t.Error(err)
			}
			tx.Abort()
			return false
		}
	}
	if _, err := tx.Commit(); err != nil {
		t.Error(err)
	}
	return true
}

// A transaction may start in the past: it reads that state, and conflicts with later writes.
func TestBeginAt(t *testing.T) {
	s := newBank(t)
	then := s.Latest().Time()
	update(t, s, func(tx *store.Txn) error { return set(t, tx, 1, document(t, "_id", 1, "n", 11, "iban", "A")) })
	tx, err := s.BeginAt(then)
	if err != nil {
		t.Fatal(err)
	}
	if n := path.Field(account(t, tx.Snapshot(), 1).Doc, "n").String(); n != "10" {
		t.Errorf("n = %s", n)
	}
	if err := set(t, tx, 2, document(t, "_id", 2, "n", 12, "iban", "B")); err != nil {
		t.Fatal(err)
	}
	expect(t, "write", set(t, tx, 1, document(t, "_id", 1, "n", 12, "iban", "A")), errcode.WriteConflict)
	at, err := tx.Commit()
	if err != nil || at <= then {
		t.Fatalf("%d, %v", at, err)
	}
	if n := path.Field(account(t, s.Latest(), 1).Doc, "n").String(); n != "11" {
		t.Errorf("n = %s", n)
	}
	if _, err := s.BeginAt(1); !status.Is(err, errcode.SnapshotTooOld) {
		t.Errorf("BeginAt(1): %v", err)
	}
}

// A transaction may create collections and indexes. If another client creates the same ones meanwhile, that client
// wins.
func TestTransactionMakesCollections(t *testing.T) {
	for _, meanwhile := range []bool{false, true} {
		s := newBank(t)
		tx := s.Begin()
		tx.Create("db", "new", store.Options{}, newIndex(t, "_id_", "_id"))
		if err := tx.CreateIndex("db", "new", newIndex(t, "n", "n")); err != nil {
			t.Fatal(err)
		}
		if err := tx.Insert("db", "new", document(t, "_id", 1, "n", 5)); err != nil {
			t.Fatal(err)
		}
		if meanwhile {
			update(t, s, func(tx *store.Txn) error {
				tx.Create("db", "new", store.Options{}, newIndex(t, "_id_", "_id"))
				return nil
			})
			_, err := tx.Commit()
			expect(t, "commit", err, errcode.WriteConflict)
			continue
		}
		if s.Latest().Collection("db", "new") != nil {
			t.Error("others see the collection")
		}
		if _, err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		c := s.Latest().Collection("db", "new")
		if c.Len() != 1 || c.Index("n") == nil || c.Index("n").Len() != 1 {
			t.Errorf("%d documents, index %v", c.Len(), c.Index("n"))
		}
	}
}
