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

func TestQuotientInterval(t *testing.T) {
	fast, slow := []float64{4, 4.1, 3.9, 4}, []float64{2, 2.1, 1.9, 2}
	q, in := quotientInterval(slow, fast)
	if q != 0.5 || in.Low > 0.5 || in.High < 0.5 || in.High > 0.6 {
		t.Errorf("%g within %v", q, in)
	}
}
