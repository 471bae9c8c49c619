package store

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Interval is a range of values of one index field. A nil bound is open.
type Interval struct {
	Low, High                   *bson.RawValue
	LowExclusive, HighExclusive bool
}

// Point returns the interval that contains a single value.
func Point(v bson.RawValue) Interval { return Interval{Low: &v, High: &v} }

// Range is a range of encoded index keys: a prefix with a lower and an upper end.
type Range struct {
	low, high string // high is exclusive; "" is open
}

// above is greater than any byte that can follow in a key.
const above = "\xff\xff"

// Range encodes points for the leading fields and an interval for the next field; nil means no interval.
func (x *Index) Range(points []bson.RawValue, last *Interval) Range {
	var prefix []byte
	for i, v := range points {
		prefix = x.Fields[i].Append(prefix, v, x.Collation)
	}
	r := Range{low: string(prefix), high: string(prefix) + above}
	if last == nil {
		return r
	}
	f := &x.Fields[len(points)]
	low, high := last.Low, last.High
	lowExclusive, highExclusive := last.LowExclusive, last.HighExclusive
	if f.Descending {
		low, high = high, low
		lowExclusive, highExclusive = highExclusive, lowExclusive
	}
	if low != nil {
		r.low = string(f.Append(prefix[:len(prefix):len(prefix)], *low, x.Collation))
		if lowExclusive {
			r.low += above
		}
	}
	if high != nil {
		r.high = string(f.Append(prefix[:len(prefix):len(prefix)], *high, x.Collation))
		if !highExclusive {
			r.high += above
		}
	}
	return r
}

// PrefixRange returns the range of keys that begin with prefix.
func PrefixRange(prefix string) Range { return Range{low: prefix, high: prefix + above} }

// walk reads records in the order of an index.
type walk struct {
	c       *Collection
	index   *Index
	ranges  []Range
	back    bool
	it      *tree.Iterator[string, RecordID]
	current Range
	seen    map[RecordID]bool
}

// Walk reads the documents whose keys lie in the ranges. The ranges must not overlap unless they are equal. A document
// with several keys is returned once.
func (c *Collection) Walk(x *Index, back bool, ranges ...Range) *Scan {
	slices.SortFunc(ranges, func(a, b Range) int { return strings.Compare(a.low, b.low) })
	w := &walk{c: c, index: x, ranges: slices.Compact(ranges), back: back}
	if x.Multikey || x.Path != "" {
		w.seen = map[RecordID]bool{}
	}
	return &Scan{walk: w}
}

func (w *walk) next() *Record {
	for {
		if w.it == nil && !w.open() {
			return nil
		}
		key, id, ok := w.it.Next()
		if !ok || !w.back && key >= w.current.high || w.back && key < w.current.low {
			w.it = nil
			continue
		}
		if w.back && key >= w.current.high {
			continue
		}
		if w.seen != nil {
			if w.seen[id] {
				continue
			}
			w.seen[id] = true
		}
		if r, ok := w.c.records.Get(id); ok {
			return r
		}
	}
}

// open begins the next range.
func (w *walk) open() bool {
	if len(w.ranges) == 0 {
		return false
	}
	if w.back {
		w.current, w.ranges = w.ranges[len(w.ranges)-1], w.ranges[:len(w.ranges)-1]
		w.it = w.index.entries.Descend(w.current.high)
		return true
	}
	w.current, w.ranges = w.ranges[0], w.ranges[1:]
	w.it = w.index.entries.Ascend(w.current.low)
	return true
}

// FindID finds the document with an _id.
func (c *Collection) FindID(id bson.RawValue) *Record {
	if c == nil || len(c.indexes) == 0 {
		return nil
	}
	x := c.indexes[0]
	var buffer [64]byte
	key := string(compare.AppendKey(buffer[:0], id, x.Collation))
	found, ok := x.holder(key, 0)
	if !ok {
		return nil
	}
	r, _ := c.records.Get(found)
	return r
}

// Scan iterates over documents, in insertion order or in the order of an index.
type Scan struct {
	records *tree.Iterator[RecordID, *Record]
	walk    *walk
}

// Next returns the next document, or nil at the end.
func (s *Scan) Next() *Record {
	switch {
	case s.walk != nil:
		return s.walk.next()
	case s.records == nil:
		return nil
	}
	_, r, ok := s.records.Next()
	if !ok {
		return nil
	}
	return r
}

// Scan reads the documents with a RecordID above after, in insertion order.
func (c *Collection) Scan(after RecordID) *Scan {
	if c == nil {
		return &Scan{}
	}
	return &Scan{records: c.records.Ascend(after + 1)}
}

// ScanBack reads all documents in reverse insertion order.
func (c *Collection) ScanBack() *Scan {
	if c == nil {
		return &Scan{}
	}
	return &Scan{records: c.records.Last()}
}
