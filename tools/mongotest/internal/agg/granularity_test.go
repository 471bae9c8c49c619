package agg_test

import (
	"fmt"
	"strings"
	"testing"
)

// The test puts the numbers from 0 to 99 in five buckets. The manual lists four of the series.
func TestGranularities(t *testing.T) {
	var in []string
	for i := range 100 {
		in = append(in, fmt.Sprintf("{n:%d}", i))
	}
	bounds := func(list ...float64) string {
		var out []string
		for i, high := range list[1:] {
			out = append(out, fmt.Sprintf("{_id:{min:%.1f,max:%.1f}}", list[i], high))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	var cases []outcome
	for name, want := range map[string]string{
		"R20": bounds(0, 20, 40, 63, 90, 100), "1-2-5": bounds(0, 20, 50, 100), "E24": bounds(0, 20, 43, 68, 91, 100),
		"POWERSOF2": bounds(0, 32, 64, 128), "R80": bounds(0, 19.5, 40, 60, 80, 100), "E192": bounds(0, 19.1, 39.2, 59.7, 79.6, 100),
	} {
		cases = append(cases, gives(name, "["+strings.Join(in, ",")+"]",
			`[{$bucketAuto:{groupBy:'$n',buckets:5,granularity:'`+name+`'}},{$unset:'count'}]`, want))
	}
	cases = append(cases, gives("fractions", `[{n:0.024},{n:0.03}]`, `[{$bucketAuto:{groupBy:'$n',buckets:1,granularity:'E6'}}]`,
		`[{_id:{min:0.022,max:0.033},count:2}]`))
	check(t, cases)
}
