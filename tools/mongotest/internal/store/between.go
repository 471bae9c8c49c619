package store

import "github.com/specdrivers/onion/bson"

// Between returns the range of keys from low up to high. low is inclusive, high is exclusive. Each has a value for
// every field, or is nil for an open end.
func (x *Index) Between(low, high []bson.RawValue) Range {
	r := Range{high: above}
	if low != nil {
		r.low = x.Range(low, nil).low
	}
	if high != nil {
		r.high = x.Range(high, nil).low
	}
	return r
}

// IsEmpty reports whether the range cannot contain a key.
func (r Range) IsEmpty() bool { return r.low >= r.high }

// Duplicates lists the groups of documents that share a key of the index.
func (c *Collection) Duplicates(x *Index) [][]*Record {
	var groups [][]*Record
	var group []*Record
	last := ""
	for it := x.entries.First(); ; {
		entry, id, ok := it.Next()
		if !ok || entry[:len(entry)-8] != last {
			if len(group) > 1 {
				groups = append(groups, group)
			}
			group = nil
		}
		if !ok {
			return groups
		}
		last = entry[:len(entry)-8]
		if r, found := c.records.Get(id); found {
			group = append(group, r)
		}
	}
}
