package engine

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// matches is the walk of a plan with the query applied.
type matches struct {
	plan     *plan
	scan     scan
	done     bool
	m        query.Match
	examined int32 // documents that were read
	explains bool  // it does not count as a use of its indexes
}

func (p *plan) newMatches() *matches { return &matches{plan: p} }

// next returns the next record that matches; nil at the end.
func (w *matches) next() (*store.Record, error) {
	if w.scan == nil && !w.done && !w.explains {
		w.plan.noteUsage()
	}
	if w.plan.byID {
		r := w.plan.single
		if w.done || r == nil {
			w.done = true
			return nil, nil
		}
		w.done = true
		w.examined++
		ok, err := w.plan.filter.Test(&w.m, r.Doc)
		if !ok {
			r = nil
		}
		return r, err
	}
	if w.scan == nil {
		w.scan = w.plan.newScan()
	}
	for {
		r := w.scan.Next()
		if r == nil {
			return nil, nil
		}
		if err := w.plan.filter.Check().Err(); err != nil {
			return nil, err
		}
		w.examined++
		ok, err := w.plan.filter.Test(&w.m, r.Doc)
		if ok || err != nil {
			return r, err
		}
	}
}

// noteUsage counts one use of each index of the plan.
func (p *plan) noteUsage() {
	for _, branch := range p.branches {
		branch.noteUsage()
	}
	x := p.index
	switch {
	case p.byID:
		x = p.c.Indexes()[0]
	case p.near != nil:
		x = p.hinted
	case p.shapes != nil:
		x = p.shapes
	}
	if x != nil {
		x.Usage.Note()
	}
}
