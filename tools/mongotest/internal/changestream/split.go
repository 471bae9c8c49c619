package changestream

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Split divides an event larger than limit into parts, with the smallest fields first. Each part has its own token.
func Split(token Token, event bson.Raw, limit int) ([]bson.Raw, error) {
	type field struct {
		name  string
		value bson.RawValue
	}
	var fields []field
	for name, v := range event.All() {
		if name != "_id" {
			fields = append(fields, field{name, v})
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return len(a.value.Value) - len(b.value.Value) })
	const head = 1 << 10 // more than _id and splitEvent need
	var groups [][]field
	size := limit
	for _, f := range fields {
		n := len(f.name) + 2 + len(f.value.Value)
		if n+head > limit {
			return nil, status.Errorf(errcode.BSONObjectTooLarge,
				"Splitting change event failed: fragment size: %d is greater than maximum allowed fragment size: %d", n+head, limit)
		}
		if size+n > limit {
			groups, size = append(groups, nil), head
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], f)
		size += n
	}
	parts := make([]bson.Raw, len(groups))
	for i, group := range groups {
		dst, start := bson.AppendDocumentStart(nil)
		dst = bson.AppendDocumentElement(dst, "_id", token.Fragment(i))
		dst, in := bson.AppendDocumentElementStart(dst, "splitEvent")
		dst = bson.AppendInt32Element(dst, "fragment", int32(i+1))
		dst = bson.AppendInt32Element(dst, "of", int32(len(groups)))
		dst = bson.AppendDocumentEnd(dst, in)
		for _, f := range group {
			dst = bson.AppendRawValueElement(dst, f.name, f.value)
		}
		parts[i] = bson.AppendDocumentEnd(dst, start)
	}
	return parts, nil
}
