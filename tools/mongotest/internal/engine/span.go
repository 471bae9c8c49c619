package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/collate"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// span is an interval of the values of one index field. A field's spans are in ascending order and do not overlap.
type span struct {
	low, high         bson.RawValue
	lowOpen, highOpen bool // without the end itself
}

var (
	minKey    = bson.RawValue{Type: bsontype.MinKey}
	maxKey    = bson.RawValue{Type: bsontype.MaxKey}
	undefined = bson.RawValue{Type: bsontype.Undefined}
)

// allValues returns the span of all values.
func allValues() []span { return []span{{low: minKey, high: maxKey}} }

func point(v bson.RawValue) span { return span{low: v, high: v} }

func (s span) isPoint() bool {
	return !s.lowOpen && !s.highOpen && compare.Equal(s.low, s.high, nil)
}

// isWhole reports whether spans leave out nothing.
func isWhole(list []span) bool {
	return len(list) == 1 && list[0].low.Type == bsontype.MinKey && list[0].high.Type == bsontype.MaxKey &&
		!list[0].lowOpen && !list[0].highOpen
}

// String prints the span as explain does.
func (s span) String() string {
	open, shut := "[", "]"
	if s.lowOpen {
		open = "("
	}
	if s.highOpen {
		shut = ")"
	}
	return open + status.TextOf(s.low) + ", " + status.TextOf(s.high) + shut
}

// reverse returns the span read from its upper end.
func (s span) reverse() span { return span{s.high, s.low, s.highOpen, s.lowOpen} }

// isEmpty reports whether no value lies in the span.
func (s span) isEmpty(c *collate.Collator) bool {
	d := compare.Values(s.low, s.high, c)
	return d > 0 || d == 0 && (s.lowOpen || s.highOpen)
}

// intersect returns the values that lie in both lists.
func intersect(a, b []span, c *collate.Collator) []span {
	out := []span{}
	for _, x := range a {
		for _, y := range b {
			s := x
			if d := compare.Values(y.low, s.low, c); d > 0 || d == 0 && y.lowOpen {
				s.low, s.lowOpen = y.low, y.lowOpen
			}
			if d := compare.Values(y.high, s.high, c); d < 0 || d == 0 && y.highOpen {
				s.high, s.highOpen = y.high, y.highOpen
			}
			if !s.isEmpty(c) {
				out = append(out, s)
			}
		}
	}
	return out
}

// unite sorts spans and joins those that overlap.
func unite(list []span, c *collate.Collator) []span {
	slices.SortStableFunc(list, func(a, b span) int {
		if d := compare.Values(a.low, b.low, c); d != 0 || a.lowOpen == b.lowOpen {
			return d
		}
		if a.lowOpen {
			return 1
		}
		return -1
	})
	out := []span{}
	for _, s := range list {
		if len(out) == 0 {
			out = append(out, s)
			continue
		}
		last := &out[len(out)-1]
		d := compare.Values(s.low, last.high, c)
		if d > 0 || d == 0 && s.lowOpen && last.highOpen {
			out = append(out, s)
			continue
		}
		if d := compare.Values(s.high, last.high, c); d > 0 {
			last.high, last.highOpen = s.high, s.highOpen
		} else if d == 0 {
			last.highOpen = last.highOpen && s.highOpen
		}
	}
	return out
}

// complement returns the values that lie in none of the spans.
func complement(list []span, c *collate.Collator) []span {
	out := []span{}
	rest := span{low: minKey, high: maxKey}
	for _, s := range list {
		before := rest
		if before.high, before.highOpen = s.low, !s.lowOpen; !before.isEmpty(c) {
			out = append(out, before)
		}
		rest.low, rest.lowOpen = s.high, !s.highOpen
	}
	if !rest.isEmpty(c) {
		out = append(out, rest)
	}
	return out
}
