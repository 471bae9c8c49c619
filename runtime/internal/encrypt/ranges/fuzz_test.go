package ranges

import (
	"math"
	"slices"
	"testing"
)

// For any numbers, the edges of a range cover exactly the values inside it.
func FuzzRange(f *testing.F) {
	f.Add(int64(7), int64(0), int64(13), int64(3), int64(9), int64(1), int8(0))
	f.Add(int64(0), int64(math.MinInt64), int64(math.MaxInt64), int64(-5), int64(5), int64(2), int8(6))
	f.Add(int64(5), int64(5), int64(5), int64(5), int64(5), int64(8), int8(-1))
	f.Fuzz(func(t *testing.T, value, low, high, from, to, sparsity int64, trim int8) {
		v, largest, err := Int(value, low, high)
		if err != nil {
			return
		}
		a, _, err := Int(from, low, high)
		if err != nil {
			return
		}
		b, _, err := Int(to, low, high)
		if err != nil || from > to {
			return
		}
		var given *int32
		if trim >= 0 {
			given = new(int32(trim))
		}
		factor, err := TrimFactor(given, largest)
		if err != nil {
			return
		}
		edges, err := Edges(v, largest, sparsity, factor)
		if err != nil {
			return
		}
		if len(edges) > 130 {
			t.Errorf("%d edges of one value", len(edges))
		}
		cover, err := MinCover(a, b, largest, sparsity, factor)
		if err != nil || len(cover) > 1<<12 {
			return
		}
		found := slices.ContainsFunc(cover, func(edge string) bool { return slices.Contains(edges, edge) })
		if inside := from <= value && value <= to; found != inside {
			t.Errorf("%d in [%d, %d] of [%d, %d], sparsity %d, trim %d: found %v", value, from, to, low, high, sparsity, factor, found)
		}
	})
}
