package tree

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMapAgreesWithGoMap makes the same random changes to both, and keeps snapshots that must not change.
func TestMapAgreesWithGoMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var m Map[int, int]
	want := map[int]int{}
	type snapshot struct {
		m    Map[int, int]
		want map[int]int
	}
	var snapshots []snapshot
	e := new(Edit)
	for step := range 60_000 {
		k := r.IntN(4000)
		if r.IntN(100) < 45+step/20_000*10-10 {
			_, had := want[k]
			delete(want, k)
			if got := m.Delete(e, k); got != had {
				t.Fatalf("step %d: Delete(%d) = %v, want %v", step, k, got, had)
			}
		} else {
			want[k] = step
			m.Set(e, k, step)
		}
		if step%97 == 0 {
			e = new(Edit)
		}
		if step%6000 == 0 {
			e = new(Edit)
			snapshots = append(snapshots, snapshot{m, maps.Clone(want)})
		}
	}
	snapshots = append(snapshots, snapshot{m, want})
	for i, s := range snapshots {
		check(t, i, s.m, s.want)
	}
}

func check(t *testing.T, i int, m Map[int, int], want map[int]int) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	if m.Len() != len(keys) {
		t.Fatalf("snapshot %d: Len = %d, want %d", i, m.Len(), len(keys))
	}
	if got := collect(m.First()); !slices.Equal(got, keys) {
		t.Fatalf("snapshot %d: ascending order differs", i)
	}
	for from := -1; from <= 4000; from += 131 {
		at, _ := slices.BinarySearch(keys, from)
		if got := collect(m.Ascend(from)); !slices.Equal(got, keys[at:]) {
			t.Fatalf("snapshot %d: Ascend(%d) differs", i, from)
		}
		down := slices.Clone(keys[:at])
		if at < len(keys) && keys[at] == from {
			down = append(down, from)
		}
		slices.Reverse(down)
		if got := collect(m.Descend(from)); !slices.Equal(got, down) {
			t.Fatalf("snapshot %d: Descend(%d) differs", i, from)
		}
	}
	for k, v := range want {
		if got, ok := m.Get(k); !ok || got != v {
			t.Fatalf("snapshot %d: Get(%d) = %d, %v, want %d", i, k, got, ok, v)
		}
	}
	slices.Reverse(keys)
	if got := collect(m.Last()); !slices.Equal(got, keys) {
		t.Fatalf("snapshot %d: descending order differs", i)
	}
}

func collect[K cmp.Ordered, V any](it *Iterator[K, V]) []K {
	var keys []K
	for {
		k, _, ok := it.Next()
		if !ok {
			return keys
		}
		keys = append(keys, k)
	}
}
