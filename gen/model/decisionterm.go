package model

import (
	"slices"

	"github.com/specdrivers/onion/gen/load"
)

// decisions builds a group and remembers which terms and members its rows use.
type decisions struct {
	tables *load.Tables
	out    *DecisionGroup
	terms  map[string]*termUse
	names  goNames
}

// termUse is a term and what the rows do with it.
type termUse struct {
	Term
	asked, given bool
	members      map[string]bool // mentioned by a row
}

func (u *termUse) index(member string) int {
	return slices.IndexFunc(u.Members, func(m load.TermMember) bool { return m.Name == member })
}

func (d *decisions) addTerms(terms []load.Term) {
	for _, term := range terms {
		d.names.add(term.Name, term.At)
		checkSentence(d.tables, term.At, term.Doc)
		if !slices.Contains([]string{placeState, placeEvent, placeVerdict}, term.Place) {
			d.tables.Problemf(term.At, "%s: the place of a term must be state, event or verdict", term.Name)
		}
		if term.Given && term.Place != placeState {
			d.tables.Problemf(term.At, "%s: only a term of the state is given", term.Name)
		}
		if len(term.Members) < 2 {
			d.tables.Problemf(term.At, "%s: a term needs at least two members", term.Name)
		}
		for _, m := range term.Members {
			d.names.add(m.Name, m.At)
			checkSentence(d.tables, m.At, m.Doc)
		}
		resolved := Term{Term: term, at: term.At}
		d.out.Terms = append(d.out.Terms, resolved)
		d.terms[term.Name] = &termUse{Term: resolved, members: map[string]bool{}}
	}
}

// checkUse refuses terms and members that no row mentions.
func (d *decisions) checkUse(in *load.DecisionGroup) {
	for i, term := range in.Terms {
		u := d.terms[term.Name]
		switch {
		case u == nil:
		case term.Place == placeEvent && i == d.events():
		case term.Place != placeVerdict && !u.asked:
			d.tables.Problemf(term.At, "%s: no decision asks for it", term.Name)
		case term.Place == placeVerdict && !u.given:
			d.tables.Problemf(term.At, "%s: no decision gives it", term.Name)
		case term.Place == placeState && !u.given && !term.Given:
			d.tables.Problemf(term.At, "%s: nothing sets it", term.Name)
		default:
			d.checkMembers(u)
		}
	}
}

// checkMembers refuses members that no row mentions. Each term may have one such member: a verdict is zero before a
// decision gives it another value, and of the other terms one member may be what is left when no row applies.
func (d *decisions) checkMembers(u *termUse) {
	rest := false
	for i, m := range u.Members {
		switch {
		case u.members[m.Name]:
		case i == 0 && u.Place == placeVerdict:
		case u.Place != placeVerdict && !rest:
			rest = true
		default:
			d.tables.Problemf(m.At, "%s: no row mentions %s", u.Name, m.Name)
		}
	}
}

// events is the place of the term whose members are the events.
func (d *decisions) events() int {
	return slices.IndexFunc(d.out.Terms, func(t Term) bool { return t.Place == placeEvent })
}
