package model

import "slices"

// addEdges finds out which rows an event can meet in the decisions that give the first term of the verdicts.
func (d *decisions) addEdges() {
	event := d.out.Terms[d.events()].Name
	do := d.out.Terms[slices.IndexFunc(d.out.Terms, func(t Term) bool { return t.Place == placeVerdict })].Name
	members := d.terms[event].Members
	for _, step := range d.out.Steps {
		for _, rule := range d.out.Rules {
			column := slices.IndexFunc(rule.Gives, func(t Term) bool { return t.Name == do })
			if column < 0 || !slices.Contains(step.Asks, rule.Name) {
				continue
			}
			on := slices.IndexFunc(rule.Asks, func(t Term) bool { return t.Name == event })
			given := step.verdictsBefore(rule.Name, d.out.Rules)
			for _, i := range rule.reachedRows(func(situation []int) bool {
				return (on < 0 || members[situation[on]].Name == step.On) && rule.isPossible(situation, given)
			}) {
				row := rule.Rows[i]
				d.out.Edges = append(d.out.Edges, DecisionEdge{step.On, row.Name, rule.Gives[column].Members[row.Then[column]].Name})
			}
		}
	}
}

// verdictsBefore lists the verdicts that the step's decisions give before it asks one of them.
func (s *DecisionStep) verdictsBefore(rule string, rules []Decision) []string {
	var out []string
	for _, ask := range s.Asks[:slices.Index(s.Asks, rule)] {
		i := slices.IndexFunc(rules, func(r Decision) bool { return r.Name == ask })
		for _, t := range rules[i].Gives {
			out = append(out, t.Name)
		}
	}
	return out
}

// isPossible reports whether a situation can occur: a verdict that has not been given yet must be zero.
func (d *Decision) isPossible(situation []int, given []string) bool {
	for column, term := range d.Asks {
		if term.Place == placeVerdict && situation[column] != 0 && !slices.Contains(given, term.Name) {
			return false
		}
	}
	return true
}
