package store_test

import (
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func document(t testing.TB, kv ...any) bson.Raw {
	t.Helper()
	d, err := bson.Marshal(bson.Doc(kv...))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func newStore(t testing.TB) *store.Store {
	t.Helper()
	s := store.New(store.Config{Now: func() time.Time { return time.Unix(100, 0) }})
	update(t, s, func(tx *store.Txn) error {
		tx.Create("db", "c", store.Options{}, newIndex(t, "_id_", "_id"))
		return nil
	})
	return s
}

func newIndex(t testing.TB, name, field string) *store.Index {
	t.Helper()
	return &store.Index{
		Name: name, Spec: document(t, "v", 2, "key", bson.Doc(field, 1), "name", name),
		Fields: []store.Field{{Name: field, Path: path.Parse(field)}},
	}
}

func update(t testing.TB, s *store.Store, f func(*store.Txn) error) store.Timestamp {
	t.Helper()
	ts, err := s.Update(f)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func insert(t testing.TB, s *store.Store, docs ...bson.Raw) store.Timestamp {
	t.Helper()
	return update(t, s, func(tx *store.Txn) error {
		for _, d := range docs {
			if err := tx.Insert("db", "c", d); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestSnapshotsDoNotChange(t *testing.T) {
	s := newStore(t)
	insert(t, s, document(t, "_id", 1))
	before := s.Latest()
	insert(t, s, document(t, "_id", 2))
	if n := before.Collection("db", "c").Len(); n != 1 {
		t.Errorf("the snapshot has %d documents", n)
	}
	if n := s.Latest().Collection("db", "c").Len(); n != 2 {
		t.Errorf("the latest state has %d documents", n)
	}
}

func TestTimesOnlyGrow(t *testing.T) {
	s := newStore(t)
	last := s.Latest().Time()
	for i := range 5 {
		ts := insert(t, s, document(t, "_id", i))
		if ts <= last {
			t.Errorf("%d after %d", ts, last)
		}
		last = ts
	}
	if last.T() != 100 {
		t.Errorf("seconds = %d", last.T())
	}
}

func TestFailedUpdateLeavesNothing(t *testing.T) {
	s := newStore(t)
	insert(t, s, document(t, "_id", 1))
	before := s.Latest()
	_, err := s.Update(func(tx *store.Txn) error {
		if err := tx.Insert("db", "c", document(t, "_id", 2)); err != nil {
			return err
		}
		return tx.Insert("db", "c", document(t, "_id", 1))
	})
	if !status.Is(err, errcode.DuplicateKey) || s.Latest() != before {
		t.Errorf("err = %v, state changed: %v", err, s.Latest() != before)
	}
}

func TestOplogHasEveryWrite(t *testing.T) {
	s := newStore(t)
	start := s.Latest().Time()
	changed := s.Oplog().Changed()
	insert(t, s, document(t, "_id", 1), document(t, "_id", 2))
	<-changed
	update(t, s, func(tx *store.Txn) error {
		rec := tx.Snapshot().Collection("db", "c").Scan(0).Next()
		if err := tx.Replace("db", "c", rec, document(t, "_id", 1, "x", 1), document(t, "i", bson.Doc("x", 1))); err != nil {
			return err
		}
		return tx.Delete("db", "c", tx.Snapshot().Collection("db", "c").Scan(0).Next())
	})
	var ops string
	last := start
	for e := range s.Oplog().After(start) {
		if ops += string(e.Op); e.Time <= last {
			t.Errorf("entry at %d after %d", e.Time, last)
		}
		last = e.Time
	}
	if ops != "iiud" {
		t.Errorf("ops = %s", ops)
	}
}

func TestTruncateGoesBack(t *testing.T) {
	s := newStore(t)
	ts := insert(t, s, document(t, "_id", 1))
	insert(t, s, document(t, "_id", 2))
	if at := s.Truncate(ts, nil); at != ts {
		t.Fatalf("truncated at %d, want %d", at, ts)
	}
	if n := s.Latest().Collection("db", "c").Len(); n != 1 || s.Latest().Time() != ts {
		t.Errorf("%d documents at %d", n, s.Latest().Time())
	}
	for e := range s.Oplog().After(ts) {
		t.Errorf("an entry is left: %v", e)
	}
	insert(t, s, document(t, "_id", 2))
	if _, err := s.At(1); !status.Is(err, errcode.SnapshotTooOld) {
		t.Errorf("At(1): %v", err)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	s := newStore(t)
	first := insert(t, s, document(t, "_id", -1))
	big := document(t, "_id", 0, "x", string(make([]byte, 3<<20)))
	insert(t, s, big)
	for range 40 {
		update(t, s, func(tx *store.Txn) error {
			return tx.Replace("db", "c", tx.Snapshot().Collection("db", "c").FindID(path.Field(big, "_id")), append(bson.Raw(nil), big...), nil)
		})
	}
	if _, err := s.At(first); !status.Is(err, errcode.SnapshotTooOld) {
		t.Errorf("At: %v", err)
	}
	if _, err := s.At(s.Latest().Time()); err != nil {
		t.Error(err)
	}
}

func TestWalkInIndexOrder(t *testing.T) {
	s := newStore(t)
	update(t, s, func(tx *store.Txn) error { return tx.CreateIndex("db", "c", newIndex(t, "x_1", "x")) })
	insert(t, s, document(t, "_id", 1, "x", 3), document(t, "_id", 2, "x", bson.A{1, 5}), document(t, "_id", 3), document(t, "_id", 4, "x", "s"))
	c := s.Latest().Collection("db", "c")
	x := c.Index("x_1")
	order := func(back bool) string {
		var ids string
		scan := c.Walk(x, back, x.Range(nil, nil))
		for r := scan.Next(); r != nil; r = scan.Next() {
			ids += path.Field(r.Doc, "_id").String()
		}
		return ids
	}
	if got := order(false); got != "3214" || !x.Multikey {
		t.Errorf("ascending %s, multikey %v", got, x.Multikey)
	}
	if got := order(true); got != "4213" {
		t.Errorf("descending %s", got)
	}
}
