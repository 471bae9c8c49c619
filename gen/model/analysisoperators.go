package model

import "github.com/specdrivers/onion/gen/load"

// NewAnalysisOperators resolves the operators that the code of query analysis names, and checks that each has a row.
func NewAnalysisOperators(t *load.Tables) *Values {
	known := map[string]bool{}
	for _, r := range t.AnalysisMatch().Rows {
		known[r.Name] = true
	}
	for _, r := range t.AnalysisUpdate().Rows {
		known[r.Name] = true
	}
	for _, r := range t.AnalysisStages().Rows {
		known[r.Name] = true
	}
	expressions := t.AnalysisExpressions()
	for _, r := range expressions.Rows {
		known[r.Name] = true
	}
	for _, r := range expressions.Accumulators {
		known[r.Name] = true
	}
	const file = "encryption/operators.yaml"
	for _, r := range t.Values(file).Rows {
		if name, _ := r.Value.(string); !known[name] {
			t.Problemf(r.At, "%s: no table of the analysis has a row for %v", r.Name, r.Value)
		}
	}
	return NewValues(file)(t)
}
