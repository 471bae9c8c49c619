package model

import "github.com/specdrivers/onion/gen/load"

// DecisionGroups are the folders of the groups of decisions, in the order in which people meet them.
var DecisionGroups = []string{"operation", "timeout", "changestream", "withtransaction"}

// NewDeciding returns the function that resolves and checks a group of decisions.
func NewDeciding(group string) func(*load.Tables) *Deciding {
	return func(t *load.Tables) *Deciding {
		in := t.Deciding(group)
		d := &decisions{tables: t, out: &Deciding{
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
