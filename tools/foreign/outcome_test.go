package main

import (
	"slices"
	"strings"
	"testing"
)

func TestParseGo(t *testing.T) {
	tests := []struct {
		name, in string
		want     []outcome
	}{
		{"a pass, a failure with its output and a skip", `
not JSON
{"Action":"run","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"B"}
{"Action":"output","Package":"p","Test":"B","Output":"why\n"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"run","Package":"p","Test":"C"}
{"Action":"skip","Package":"p","Test":"C"}
{"Action":"fail","Package":"p"}`, []outcome{{"A", passed, ""}, {"B", failed, "why\n"}, {"C", skipped, ""}}},
		{"a parent whose child fails does not count", `
{"Action":"run","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"A/x"}
{"Action":"fail","Package":"p","Test":"A/x"}
{"Action":"fail","Package":"p","Test":"A"}`, []outcome{{"A/x", failed, ""}}},
		{"a parent that fails by itself counts", `
{"Action":"run","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"A/x"}
{"Action":"pass","Package":"p","Test":"A/x"}
{"Action":"fail","Package":"p","Test":"A"}`, []outcome{{"A", failed, ""}, {"A/x", passed, ""}}},
		{"a test that does not end has failed", `
{"Action":"run","Package":"p","Test":"A"}`, []outcome{{"A", failed, "it did not end"}}},
		{"a package that does not build has failed", `
{"Action":"output","Package":"p","Output":"undefined: x\n"}
{"Action":"fail","Package":"p"}`, []outcome{{"p", failed, "undefined: x\n"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseGo(strings.NewReader(test.in))
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%+v, %v; want %+v", got, err, test.want)
			}
		})
	}
}

func TestParseLines(t *testing.T) {
	tests := []struct {
		name, in string
		want     []outcome
		complete bool
	}{
		{"each state", "noise\nok - a b\nnot ok - c\n# why\n# where\nok - d # SKIP no time\n1..3\n",
			[]outcome{{"a b", passed, ""}, {"c", failed, "why\nwhere\n"}, {"d", skipped, "no time"}}, true},
		{"an end that is missing", "ok - a\n", []outcome{{"a", passed, ""}}, false},
		{"a test that is missing", "ok - a\n1..2\n", []outcome{{"a", passed, ""}}, false},
		{"nothing at all", "1..0\n", nil, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, complete, err := parseLines(strings.NewReader(test.in))
			if err != nil || complete != test.complete || !slices.Equal(got, test.want) {
				t.Errorf("%+v, %v, %v; want %+v, %v", got, complete, err, test.want, test.complete)
			}
		})
	}
}
