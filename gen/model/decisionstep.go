package model

import "github.com/specdrivers/onion/gen/load"

// addSteps resolves which decisions an event asks. Each must be asked, and every event must have a step.
func (d *decisions) addSteps(in *load.DecisionGroup, rules map[string]Decision) {
	at := d.events()
	if at < 0 {
		d.tables.Problemf(load.Pos{File: "specs/" + d.out.Group + "/machine.yaml"}, "no term has the place event")
		return
	}
	events := d.terms[d.out.Terms[at].Name]
	steps := newUnique[string](d.tables)
	asked := map[string]bool{}
	for _, s := range in.Steps {
		checkSentence(d.tables, s.At, s.Doc)
		steps.add(s.On, s.On, s.At, "the step of %s is given twice", s.On)
		if events.index(s.On) < 0 {
			d.tables.Problemf(s.At, "%s: there is not an event %s", events.Name, s.On)
		}
		d.out.Steps = append(d.out.Steps, d.step(s, rules, asked))
	}
	for _, m := range events.Members {
		if _, ok := steps.seen[m.Name]; !ok {
			d.tables.Problemf(m.At, "%s has no step", m.Name)
		}
	}
	for name, rule := range rules {
		if !asked[name] {
			d.tables.Problemf(load.Pos{File: "specs/" + rule.File}, "no step asks %s", name)
		}
	}
}

// step resolves what one event asks. A decision that asks for a verdict comes after the one that gives it.
func (d *decisions) step(in load.DecisionStep, rules map[string]Decision, asked map[string]bool) DecisionStep {
	out := DecisionStep{On: in.On, Doc: in.Doc}
	early := map[string]string{} // verdicts that a decision has asked for before another one gives them
	for _, word := range in.Asks {
		rule, ok := rules[word.Text]
		if !ok {
			d.tables.Problemf(word.At, "%s: there is no decision %s", in.On, word.Text)
			continue
		}
		for _, term := range rule.Gives {
			if by, ok := early[term.Name]; ok {
				d.tables.Problemf(word.At, "%s: %s asks for %s, which %s gives too late", in.On, by, term.Name, rule.Name)
			}
		}
		for _, term := range rule.Asks {
			if term.Place == placeVerdict {
				early[term.Name] = rule.Name
			}
		}
		if !asked[rule.Name] {
			asked[rule.Name] = true
			d.out.Rules = append(d.out.Rules, rule)
		}
		out.Asks = append(out.Asks, rule.Name)
	}
	return out
}
