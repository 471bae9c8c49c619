package store

import "github.com/specdrivers/onion/bson"

// Between is the stretch of keys from low, included, up to high, excluded; each is a value for every field, or nil for an
// open end.
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

// IsEmpty reports a range that no key can be in.
func (r Range) IsEmpty() bool { return r.low >= r.high }

// Shared lists the groups of documents that have a key of the index in common.
func (c *Collection) Shared(x *Index) [][]*Record {
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
