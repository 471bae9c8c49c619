package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/load"
)

// The tables of query analysis may only use words for which the types of the package have a constant.
func TestAnalysisWordsComeFromTheTypes(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"a constant of another name", "{name: StageFacet,", "{name: StageFaucet,", `specs/encryption/stages.yaml: csfle is "facet"; it is one of `},
		{"a constant that is gone", "      - {name: PlaceTop, number: 2, doc: \"PlaceTop: next to paths.\"}\n", "",
			`specs/encryption/match.yaml: place is "top"; it is one of path, both`},
		{"a type that is gone", "- name: Accumulator\n", "- name: Accumulators\n",
			"specs/types: no table has the type Accumulator of package core/analysis"},
		{"the word of a path that is not encrypted", "{name: KindRandom,", "{name: KindUneven,",
			`specs/encryption/types.yaml: kind is "random"; it is one of uneven, deterministic, equality, range, text, unindexed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables, _ := changeTable(t, "types/analysis.yaml", c.from, c.to)
			NewAnalysis(tables)
			if !slices.ContainsFunc(tables.Problems(), func(p load.Problem) bool {
				return strings.HasPrefix(p.Pos.File+": "+p.Text, c.want)
			}) {
				t.Errorf("the problems are %v, want %s", tables.Problems(), c.want)
			}
		})
	}
}
