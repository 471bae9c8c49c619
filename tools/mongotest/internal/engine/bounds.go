package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// setBounds bounds the walk of a hinted index by min (inclusive) and max (exclusive).
func (p *plan) setBounds(low, high bson.Raw) error {
	if low.Len()+high.Len() == 0 || p.c == nil {
		return nil
	}
	x := p.hinted
	if x == nil || x.Opaque {
		return status.Errorf(51174, "The index chosen is not compatible with min/max")
	}
	var ends [2][]bson.RawValue
	for i, d := range [...]bson.Raw{low, high} {
		if d.Len() > 0 && !sameNames(d, x.KeyPattern()) {
			return status.Errorf(51174, "The index chosen is not compatible with min/max")
		}
		for _, v := range d.All() {
			ends[i] = append(ends[i], v)
		}
	}
	r := x.Between(ends[0], ends[1])
	if r.IsEmpty() {
		return status.Errorf(51175, "The value provided for min() does not come before the value provided for max().")
	}
	p.index, p.ranges, p.byID = x, []store.Range{r}, false
	return nil
}

// keyMaker makes a document's key in the plan's index, for returnKey. Without an index the key is empty.
func (p *plan) keyMaker() (func(bson.Raw) bson.Raw, error) {
	x := p.index
	if p.byID {
		x = p.c.Indexes()[0]
	}
	if x == nil {
		return func(bson.Raw) bson.Raw { return value.EmptyDocument }, nil
	}
	if x.Multikey {
		return nil, status.Errorf(errcode.CommandNotSupported, "find does not support 'returnKey' with an index over arrays in mongotest")
	}
	return func(d bson.Raw) bson.Raw {
		dst, start := bson.AppendDocumentStart(nil)
		for _, f := range x.Fields {
			_, _ = path.Keys(d, []path.Path{f.Path}, func(values []bson.RawValue) {
				v := values[0]
				if v.IsZero() {
					v = value.Null
				}
				dst = bson.AppendRawValueElement(dst, f.Name, v)
			})
		}
		return bson.AppendDocumentEnd(dst, start)
	}, nil
}

// addNumber adds a record's number to the document read from it.
func addNumber(d bson.Raw, number bson.RawValue) bson.Raw {
	dst := append(make([]byte, 0, len(d)+20), d[:len(d)-1]...)
	dst = bson.AppendRawValueElement(dst, "$recordId", number)
	return bson.AppendDocumentEnd(dst, 0)
}
