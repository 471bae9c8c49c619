package store_test

import (
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// When many writers insert the same unique key, one wins.
func TestUniqueIndexUnderConcurrency(t *testing.T) {
	s := newBank(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 32 {
		wg.Go(func() {
			_, err := s.Update(func(tx *store.Txn) error { return tx.Insert("db", "c", document(t, "_id", 100+i, "iban", "X")) })
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !status.Is(err, errcode.DuplicateKey) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 || s.Latest().Collection("db", "c").Len() != 3 {
		t.Errorf("%d won", won)
	}
}

// A scan that started before a write keeps reading the state in which it started.
func TestScanSeesOneState(t *testing.T) {
	s := newBank(t)
	c := s.Latest().Collection("db", "c")
	scan, walk := c.Scan(0), c.Walk(c.Index("iban"), false, c.Index("iban").Range(nil, nil))
	scan.Next()
	walk.Next()
	update(t, s, func(tx *store.Txn) error {
		if err := tx.Delete("db", "c", account(t, tx.Snapshot(), 2)); err != nil {
			return err
		}
		return tx.Insert("db", "c", document(t, "_id", 3, "iban", "C"))
	})
	for name, it := range map[string]*store.Scan{"scan": scan, "walk": walk} {
		r := it.Next()
		if r == nil || path.Field(r.Doc, "_id").String() != "2" || it.Next() != nil {
			t.Errorf("%s gives %v", name, r)
		}
	}
}

// The store releases an old state once nothing reads it.
func TestOldStatesAreReleased(t *testing.T) {
	s := newStore(t)
	insert(t, s, document(t, "_id", 0))
	read := s.Latest()
	read.Collection("db", "c").Scan(0)
	held := weak.Make(read)
	insert(t, s, document(t, "_id", 1))
	dropped := weak.Make(s.Latest())
	for i := range 6000 {
		insert(t, s, document(t, "_id", 2+i))
	}
	runtime.GC()
	if dropped.Value() != nil {
		t.Error("a state that nobody reads is kept")
	}
	if held.Value() == nil {
		t.Error("a state that is read is not kept")
	}
	if n := read.Collection("db", "c").Len(); n != 1 {
		t.Errorf("%d documents", n)
	}
	runtime.KeepAlive(read)
}

// A collection that a rename replaces is as good as dropped, so the states that hold it are released.
func TestRenameReleasesItsTarget(t *testing.T) {
	s := newStore(t)
	insert(t, s, document(t, "_id", 1, "large", make([]byte, 9<<20)))
	renamed := update(t, s, func(tx *store.Txn) error {
		tx.Create("db", "new", store.Options{}, newIndex(t, "_id_", "_id"))
		return tx.Rename("db", "new", "db", "c")
	})
	if oldest := s.Oldest().Time(); oldest != renamed {
		t.Errorf("the oldest state is that of %v, the rename was at %v", oldest, renamed)
	}
}

// The times of lost writes are not used again, open transactions fail, and forget runs before the next write.
func TestTruncateForgets(t *testing.T) {
	s := newStore(t)
	kept := insert(t, s, document(t, "_id", 1))
	lost := insert(t, s, document(t, "_id", 2))
	told := store.Timestamp(0)
	s.Truncate(kept, func(at store.Timestamp) { told = at })
	if told != kept {
		t.Errorf("forget was told %d, want %d", told, kept)
	}
	if next := insert(t, s, document(t, "_id", 3)); next <= lost {
		t.Errorf("a time was given out twice: %d after %d", next, lost)
	}
	if s.Truncate(1, nil) != s.Oldest().Time() {
		t.Error("a time before the oldest state is not that state")
	}
}

// Entries without effect do not count among the last writes.
func TestBehindCountsWrites(t *testing.T) {
	s := newStore(t)
	var times []store.Timestamp
	for i := range 3 {
		times = append(times, insert(t, s, document(t, "_id", i), document(t, "_id", 10+i)))
		s.Noop("tick")
	}
	for behind, want := range []int{6, 4, 2, 0} {
		if n := s.SnapshotBehind(int64(behind)).Collection("db", "c").Len(); n != want {
			t.Errorf("behind %d: %d documents, want %d", behind, n, want)
		}
	}
	if s.SnapshotBehind(0) != s.Latest() || s.SnapshotBehind(99) != s.Oldest() || s.SnapshotBehind(1).Time() <= times[1] {
		t.Error("Behind gives another state")
	}
}
