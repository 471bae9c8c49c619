package interrupt

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func TestSortStable(t *testing.T) {
	type item struct{ key, place int }
	compare := func(a, b item) int { return cmp.Compare(a.key, b.key) }
	for _, size := range []int{0, 1, run, run + 1, 2 * run, 5*run + 17} {
		list := make([]item, size)
		for i := range list {
			list[i] = item{rand.IntN(100), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, compare)
		if err := SortStable(list, compare, New(context.Background())); err != nil || !slices.Equal(list, want) {
			t.Errorf("%d elements are not sorted: %v", size, err)
		}
	}
}

func TestEndedContext(t *testing.T) {
	killed, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	for name, tt := range map[string]struct {
		ctx  context.Context
		code errcode.Code
	}{"killed": {killed, errcode.Interrupted}, "late": {late, errcode.MaxTimeMSExpired}} {
		t.Run(name, func(t *testing.T) {
			c := New(context.Background())
			for range 3 * every {
				if err := c.Err(); err != nil {
					t.Fatal(err)
				}
			}
			c.Use(tt.ctx)
			var err error
			for range every {
				err = cmp.Or(err, c.Err())
			}
			if !status.Is(err, tt.code) {
				t.Errorf("got %v", err)
			}
			if err := SortStable(make([]int, run+1), cmp.Compare, c); !status.Is(err, tt.code) {
				t.Errorf("a sort: got %v", err)
			}
		})
	}
}

func TestNilCheckNeverStops(t *testing.T) {
	var c *Check
	c.Use(context.Background())
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}
