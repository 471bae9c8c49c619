package model

import (
	"maps"

	"github.com/specdrivers/onion/gen/load"
)

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
	checkRangeOperators(t)
	return NewValues(file)(t)
}

// checkRangeOperators checks that three tables list the same operators: match.yaml as bounds of ranges, expressions.yaml as
// comparisons of order, and algorithms.yaml with the numbers that payloads carry.
func checkRangeOperators(t *load.Tables) {
	numbered := map[string]bool{}
	for _, r := range t.EncryptionAlgorithms().Operators {
		numbered[r.Text] = true
	}
	bounds, orders := maps.Clone(numbered), maps.Clone(numbered) // those whose row is still to come
	for _, r := range t.AnalysisMatch().Rows {
		delete(bounds, r.Name)
		if (r.Range == "bound") != numbered[r.Name] {
			t.Problemf(r.At, "%s: the operators that bound a range are those of encryption/algorithms.yaml", r.Name)
		}
	}
	for _, r := range t.AnalysisExpressions().Rows {
		delete(orders, r.Name)
		if (r.Rule == "order") != numbered[r.Name] {
			t.Problemf(r.At, "%s: the operators of rule order are those of encryption/algorithms.yaml", r.Name)
		}
	}
	for _, r := range t.EncryptionAlgorithms().Operators {
		if bounds[r.Text] || orders[r.Text] {
			t.Problemf(r.At, "%s bounds a range, and not both tables of the analysis have a row for it", r.Text)
		}
	}
}
