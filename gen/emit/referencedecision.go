package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/gen/load"
	"github.com/specdrivers/onion/gen/model"
)

// writeDecisions prints the groups of decisions as matrices.
func writeDecisions(p *page, m *model.Reference) {
	for _, group := range m.Decisions {
		p.writeText("## " + group.Title)
		p.writeText(group.Doc + " In each table the first row that fits decides. An empty cell fits anything.")
		writeDecisionMatrices(p, group)
	}
}

// writeDecisionMatrices prints each decision as a table.
func writeDecisionMatrices(p *page, m *model.DecisionGroup) {
	for _, rule := range m.Rules {
		p.writeText("### " + rule.Title)
		p.writeText(rule.Doc + " Specification: " + rule.Spec + ".")
		var header []string
		for _, t := range rule.Asks {
			header = append(header, t.Name)
		}
		for _, t := range rule.Gives {
			header = append(header, "→ "+t.Name)
		}
		header = append(header, "Because")
		var rows [][]string
		for _, r := range rule.Rows {
			rows = append(rows, append(decisionCells(rule, r), r.Doc))
		}
		p.writeTable(header, rows)
	}
}

func decisionCells(rule model.Decision, r model.DecisionRow) []string {
	var out []string
	for i, values := range r.When {
		var names []string
		for _, j := range values {
			names = append(names, rule.Asks[i].Members[j].Name)
		}
		if others := namesExcept(rule.Asks[i].Members, values); len(values) > 2 && len(others) < len(values) {
			names = []string{"not " + strings.Join(others, ", ")}
		}
		out = append(out, strings.Join(names, ", "))
	}
	for i, t := range rule.Gives {
		out = append(out, fmt.Sprintf("**%s**", t.Members[r.Then[i]].Name))
	}
	return out
}

// namesExcept returns the names of the members that are not at these places.
func namesExcept(members []load.TermMember, places []int) []string {
	var out []string
	for i, m := range members {
		if !slices.Contains(places, i) {
			out = append(out, m.Name)
		}
	}
	return out
}
