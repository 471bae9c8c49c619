package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// shownBounds returns the bounds of the plan's index. A plan with min or max has its own ranges, but its filter still bounds
// the index as explain shows it.
func (p *plan) shownBounds() *bounds {
	if p.bounds == nil {
		p.bounds = boundIndex(p.index, p.conditions(p.index), p.filter)
	}
	return p.bounds
}

// appendBounds appends indexBounds: the intervals to read, for each field of the plan's index.
func (p *plan) appendBounds(dst []byte) []byte {
	dst, start := bson.AppendDocumentElementStart(dst, "indexBounds")
	b := p.shownBounds()
	for i, f := range p.index.Fields {
		list := b.fields[i]
		if list == nil {
			list = allValues()
		}
		if f.Hashed {
			list = hashSpans(list, b)
		}
		texts := make([]bson.RawValue, len(list))
		for j, s := range list {
			if f.Descending != p.back {
				s = s.reverse()
			}
			texts[j] = value.String(s.String())
		}
		if f.Descending != p.back {
			slices.Reverse(texts)
		}
		dst = bson.AppendRawValueElement(dst, f.Name, value.ArrayOf(texts...))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// hashSpans returns the spans of the values' hashes.
func hashSpans(list []span, b *bounds) []span {
	var out []span
	for _, s := range list {
		if !s.isPoint() {
			return list
		}
		out = append(out, point(b.x.Hash(s.low)))
	}
	return unite(out, nil)
}

// residualFilter returns the part of a filter that the index bounds do not cover: what the keys are tested against, and what each
// document is.
func (p *plan) residualFilter(filter bson.Raw) (keys, docs bson.Raw) {
	var onKeys, onDocs []predicate
	for _, part := range listConditions(filter) {
		left := fetched
		for i := range p.shownBounds().uses {
			if u := &p.bounds.uses[i]; part.states(u) {
				left = u.tightness
			}
		}
		switch left {
		case covered:
			onKeys = append(onKeys, part)
		case fetched:
			onDocs = append(onDocs, part)
		}
	}
	return joinConditions(onKeys), joinConditions(onDocs)
}
