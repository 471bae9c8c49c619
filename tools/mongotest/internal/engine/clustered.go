package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// recordID is the record id that clients see: a number or, in a clustered collection, the key of the _id.
func recordID(c *store.Collection, rec *store.Record) bson.RawValue {
	if !isClustered(c) {
		return value.Int64(int64(rec.ID))
	}
	id := path.Field(rec.Doc, "_id")
	key := compare.AppendKey(nil, id, nil)
	if id.Type == bsontype.ObjectID {
		key = append([]byte{100}, id.Value...)
	}
	d := bson.Raw(bson.AppendDocumentEnd(bson.AppendBinaryElement([]byte{0, 0, 0, 0}, "k", bsontype.BinaryGeneric, key), 0))
	return path.Field(d, "k")
}

// appendClustered appends the stage that scans a range of a clustered collection.
func (x *explanation) appendClustered(dst []byte, begin begins) []byte {
	p := x.found.walk.plan
	dst = begin(dst, "CLUSTERED_IXSCAN")
	dst = p.appendProperties(dst)
	dst = x.appendFilter(dst)
	dst = bson.AppendStringElement(dst, "direction", direction(p.back))
	values, interval := fieldBounds("_id", p.conditions(p.index), p.index, p.filter.Collation())
	var ends [2]bson.RawValue
	switch {
	case values != nil:
		ends[0], ends[1] = values[0], values[0]
		for _, v := range values {
			if compare.Values(v, ends[0], nil) < 0 {
				ends[0] = v
			}
			if compare.Values(v, ends[1], nil) > 0 {
				ends[1] = v
			}
		}
	case interval != nil:
		for i, end := range [...]*bson.RawValue{interval.Low, interval.High} {
			if end != nil {
				ends[i] = *end
			}
		}
	}
	for i, name := range [...]string{"minRecord", "maxRecord"} {
		if !ends[i].IsZero() {
			dst = bson.AppendRawValueElement(dst, name, ends[i])
		}
	}
	return dst
}
