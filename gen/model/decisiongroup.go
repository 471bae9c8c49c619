package model

import "github.com/specdrivers/onion/gen/load"

// DecisionGroups are the folders of the groups of decisions, in the order in which people meet them.
var DecisionGroups = []string{"operation", "timeout", "changestream", "withtransaction"}

// NewDecisionGroup returns the function that resolves and checks a group of decisions.
func NewDecisionGroup(group string) func(*load.Tables) *DecisionGroup {
	return func(t *load.Tables) *DecisionGroup {
		in := t.DecisionGroup(group)
		d := &decisions{tables: t, out: &DecisionGroup{
			Group: group, Package: in.Package, Title: in.Title, Doc: in.Doc, Spec: in.Spec,
		}, terms: map[string]*termUse{}, names: newGoNames(t)}
		d.addTerms(in.Terms)
		rules := d.addRules(group)
		d.addSteps(in, rules)
		d.checkUse(in)
		if len(t.Problems()) == 0 {
			d.addEdges()
		}
		return d.out
	}
}
