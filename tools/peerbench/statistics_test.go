package main

import (
	"math/rand/v2"
	"testing"
)

func TestMedian(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   float64
	}{"odd": {[]float64{9, 1, 2}, 2}, "even": {[]float64{4, 1, 2, 9}, 3}, "one": {[]float64{7}, 7}}
	for name, tt := range tests {
		if got := median(tt.values); got != tt.want {
			t.Errorf("%s: %g, want %g", name, got, tt.want)
		}
	}
}

// Of 95 % intervals, about 95 of 100 hold the true value.
func TestIntervalsCoverTheMedian(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	covered := 0
	for range 100 {
		samples := make([]float64, 40)
		for i := range samples {
			samples[i] = 2 + random.NormFloat64()/4
		}
		if _, in := medianInterval(samples); in.Low <= 2 && 2 <= in.High {
			covered++
		}
	}
	if covered < 88 {
		t.Errorf("%d of 100 intervals hold the median", covered)
	}
}

// What slows a whole round slows both samples of it, and widens the quotient's interval by nothing.
func TestQuotientOfPairs(t *testing.T) {
	slow, fast := []float64{4, 8, 4, 12}, []float64{2, 4, 2, 6}
	if q, in := quotientOfPairs(slow, fast); q != 2 || in != (interval{2, 2}) {
		t.Errorf("%g within %v", q, in)
	}
	if _, in := quotientOfPairs([]float64{4, 5, 6, 7}, []float64{2, 2, 2, 2}); in.Low > 2.25 || in.High < 3.25 {
		t.Errorf("samples from 2 to 3.5 are within %v", in)
	}
}
