package main

import (
	"math/rand/v2"
	"slices"
)

// interval is a confidence interval.
type interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	resamples  = 2000
	confidence = 0.95
)

// medianInterval returns the median of the samples, and its confidence interval by the percentile bootstrap.
func medianInterval(samples []float64) (float64, interval) {
	medians := bootstrap(func(draw func([]float64) []float64) float64 { return median(draw(samples)) })
	return median(samples), percentiles(medians)
}

// quotientOfPairs divides the median of some samples by the median of others from the same rounds, with the confidence
// interval of the quotient.
func quotientOfPairs(numerators, denominators []float64) (float64, interval) {
	rounds := make([]float64, len(numerators))
	for i := range rounds {
		rounds[i] = float64(i)
	}
	of := func(samples, drawn []float64) float64 {
		out := make([]float64, len(drawn))
		for i, round := range drawn {
			out[i] = samples[int(round)]
		}
		return median(out)
	}
	quotients := bootstrap(func(draw func([]float64) []float64) float64 {
		drawn := draw(rounds)
		return of(numerators, drawn) / of(denominators, drawn)
	})
	return median(numerators) / median(denominators), percentiles(quotients)
}

// bootstrap computes a statistic of many resamples. draw resamples with replacement. The seed is fixed, so the same
// samples always have the same interval.
func bootstrap(statistic func(draw func([]float64) []float64) float64) []float64 {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(from []float64) []float64 {
		out := make([]float64, len(from))
		for i := range out {
			out[i] = from[random.IntN(len(from))]
		}
		return out
	}
	values := make([]float64, resamples)
	for i := range values {
		values[i] = statistic(draw)
	}
	return values
}

func percentiles(values []float64) interval {
	return interval{quantile(values, (1-confidence)/2), quantile(values, (1+confidence)/2)}
}

// ratios divides round by round.
func ratios(numerators, denominators []float64) []float64 {
	out := make([]float64, len(numerators))
	for i := range out {
		out[i] = max(numerators[i], 1e-3) / max(denominators[i], 1e-3) // the clock may have measured no processor time
	}
	return out
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// quantile returns the value below which the given part of the values lies.
func quantile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(part*float64(len(sorted)-1))]
}
