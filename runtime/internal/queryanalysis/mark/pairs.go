package mark

import "github.com/specdrivers/onion/generated/core/encryption"

// Pairs are the ranges of a conjunction. Two ends of one path are one range: the server gets one payload for both.
type Pairs []*pair

type pair struct {
	path         string
	lower, upper End
	rng          Range
	numbered     bool
}

func (p *pair) end(o encryption.Operator) *End {
	if o.IsLower() {
		return &p.lower
	}
	return &p.upper
}

// Place joins an end to the first pair of its path that still lacks it, or begins a new pair.
func (s Pairs) Place(path string, e End) Pairs {
	for _, p := range s {
		if p.path == path && !p.numbered && p.end(e.Operator).Value.IsZero() {
			*p.end(e.Operator) = e
			return s
		}
	}
	p := &pair{path: path}
	*p.end(e.Operator) = e
	return append(s, p)
}

// RangeOf returns the range that an end of a path belongs to, and whether this end carries the whole payload. An end that is in
// no pair is a range of its own.
func (m *Marker) RangeOf(pairs Pairs, path string, e End) (r Range, whole bool) {
	for _, p := range pairs {
		at := p.end(e.Operator)
		if p.path != path || at.Operator != e.Operator || !at.Value.Equal(e.Value) {
			continue
		}
		whole = !p.numbered
		if whole {
			p.rng, p.numbered = m.NewRange(p.lower, p.upper, e.Operator), true
		}
		at.Operator = 0 // written
		return p.rng, whole
	}
	var lone pair
	*lone.end(e.Operator) = e
	return m.NewRange(lone.lower, lone.upper, e.Operator), true
}
