package engine

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// spanOfComparison returns the span of the values that a comparison with v can match, as the server writes it. Types that share no
// order with others of their kind have none.
func spanOfComparison(v bson.RawValue) (s span, ok bool) {
	emptyDocument := value.Document(value.EmptyDocument)
	firstID := value.ObjectID(bson.ObjectID{})
	switch {
	case number.Is(v.Type):
		return span{low: value.Double(math.Inf(-1)), high: value.Double(math.Inf(1))}, true
	case v.Type == bsontype.String, v.Type == bsontype.Symbol:
		return span{low: value.String(""), high: emptyDocument, highOpen: true}, true
	case v.Type == bsontype.EmbeddedDocument:
		return span{low: emptyDocument, high: value.ArrayOf(), highOpen: true}, true
	case v.Type == bsontype.Binary:
		return span{low: value.Binary(0, nil), high: firstID, highOpen: true}, true
	case v.Type == bsontype.ObjectID:
		last := bson.ObjectID{}
		for i := range last {
			last[i] = 0xFF
		}
		return span{low: firstID, high: value.ObjectID(last)}, true
	case v.Type == bsontype.Boolean:
		return span{low: value.Bool(false), high: value.Bool(true)}, true
	case v.Type == bsontype.DateTime:
		return span{low: value.DateTime(math.MinInt64), high: value.DateTime(math.MaxInt64)}, true
	case v.Type == bsontype.Timestamp:
		return span{low: value.Timestamp(0, 0), high: value.Timestamp(math.MaxUint32, math.MaxUint32)}, true
	}
	return s, false
}
