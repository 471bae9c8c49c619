package agg

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// granularity rounds the bounds of $bucketAuto to preferred numbers: a series of numbers, repeated for every power of
// ten.
type granularity struct {
	series []float64 // from 1 to below 10; empty for the powers of two
}

// renard40 and renard80 are the finer Renard series. The coarser series are subsets of renard40.
var renard40 = []float64{
	1, 1.06, 1.12, 1.18, 1.25, 1.32, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.12, 2.24, 2.36, 2.5, 2.65, 2.8, 3, 3.15, 3.35, 3.55, 3.75, 4,
	4.25, 4.5, 4.75, 5, 5.3, 5.6, 6, 6.3, 6.7, 7.1, 7.5, 8, 8.5, 9, 9.5,
}

var renard80 = []float64{
	1, 1.03, 1.06, 1.09, 1.12, 1.15, 1.18, 1.22, 1.25, 1.28, 1.32, 1.36, 1.4, 1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.75, 1.8, 1.85, 1.9,
	1.95, 2, 2.06, 2.12, 2.18, 2.24, 2.3, 2.36, 2.43, 2.5, 2.58, 2.65, 2.72, 2.8, 2.9, 3, 3.07, 3.15, 3.25, 3.35, 3.45, 3.55, 3.65,
	3.75, 3.87, 4, 4.12, 4.25, 4.37, 4.5, 4.62, 4.75, 4.87, 5, 5.15, 5.3, 5.45, 5.6, 5.8, 6, 6.15, 6.3, 6.5, 6.7, 6.9, 7.1, 7.3, 7.5,
	7.75, 8, 8.25, 8.5, 8.75, 9, 9.25, 9.5, 9.75,
}

// e24 is the finest of the E series that do not follow a formula.
var e24 = []float64{
	1, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2, 2.2, 2.4, 2.7, 3, 3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8, 7.5, 8.2, 9.1,
}

// granularityOf finds a series by name.
func granularityOf(name string) (*granularity, error) {
	switch name {
	case "1-2-5":
		return &granularity{[]float64{1, 2, 5}}, nil
	case "R5":
		return &granularity{[]float64{1, 1.6, 2.5, 4, 6.3}}, nil
	case "R10":
		return &granularity{everyNth(renard40, 4)}, nil
	case "R20":
		return &granularity{everyNth(renard40, 2)}, nil
	case "R40":
		return &granularity{renard40}, nil
	case "R80":
		return &granularity{renard80}, nil
	case "E6":
		return &granularity{everyNth(e24, 4)}, nil
	case "E12":
		return &granularity{everyNth(e24, 2)}, nil
	case "E24":
		return &granularity{e24}, nil
	case "E48":
		return &granularity{geometricSeries(48)}, nil
	case "E96":
		return &granularity{geometricSeries(96)}, nil
	case "E192":
		return &granularity{geometricSeries(192)}, nil
	case "POWERSOF2":
		return &granularity{}, nil
	}
	return nil, status.Errorf(40257, "Unknown rounding granularity '%s'", name)
}

func everyNth(list []float64, n int) (out []float64) {
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// geometricSeries returns an E series of three digits. In one place the standard deviates from the formula.
func geometricSeries(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(100*math.Pow(10, float64(i)/float64(n))) / 100
		if n == 192 && out[i] == 9.19 {
			out[i] = 9.2
		}
	}
	return out
}

// check refuses a value that has no preferred number near it.
func (g *granularity) check(v bson.RawValue) error {
	const only = "$bucketAuto can specify a 'granularity' with "
	switch {
	case !number.Is(v.Type):
		return status.Errorf(40258, only+"numeric boundaries only, but found a value with type: %s", v.Type)
	case number.IsNaN(v):
		return status.Errorf(40259, only+"numeric boundaries only, but found a NaN")
	case number.Float64(v) < 0:
		return status.Errorf(40260, only+"non-negative numbers only, but found a negative number")
	}
	return nil
}

// roundUp returns the next greater preferred number. Zero stays zero.
func (g *granularity) roundUp(v bson.RawValue) bson.RawValue {
	return value.Double(g.findNear(number.Float64(v), func(candidate, x float64) bool { return candidate > x }, 1))
}

// roundDown returns the next smaller preferred number. Zero stays zero.
func (g *granularity) roundDown(v bson.RawValue) bson.RawValue {
	return value.Double(g.findNear(number.Float64(v), func(candidate, x float64) bool { return candidate < x }, -1))
}

// findNear starts at a power below or above x and walks to the first number that fits.
func (g *granularity) findNear(x float64, fits func(candidate, x float64) bool, step int) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	series, base := g.series, 10.0
	if len(series) == 0 {
		series, base = []float64{1}, 2
	}
	power := int(math.Floor(math.Log(x)/math.Log(base))) - step
	at := 0
	if step < 0 {
		at = len(series) - 1
	}
	for {
		if candidate := scale(series[at], base, power); fits(candidate, x) {
			return candidate
		}
		if at += step; at < 0 || at == len(series) {
			power += step
			at = (at + len(series)) % len(series)
		}
	}
}

// scale multiplies a number of the series by a power. Below one it divides instead, which keeps the decimals exact.
func scale(n, base float64, power int) float64 {
	if power < 0 {
		return math.Round(n*100) / (100 * math.Pow(base, float64(-power)))
	}
	return math.Round(n*100) * math.Pow(base, float64(power)) / 100
}
