package server

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/hashed"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// keyOf returns the shard key of a document.
func (s *shardedCollection) keyOf(doc bson.Raw) bson.Raw {
	f := reply.New()
	for field, kind := range s.key.All() {
		v := doc.Lookup(strings.Split(field, ".")...)
		if v.IsZero() {
			v = value.Null
		}
		if value.Text(kind) == "hashed" {
			v = value.Int64(hashed.Sum(v))
		}
		f.Value(field, v)
	}
	return f.Done()
}

// median returns the key in the middle of the chunk that contains a document, or nil if the chunk has only one.
func (s *shardedCollection) median(c *store.Collection, find bson.RawValue) bson.Raw {
	wanted, ok := find.DocumentOK()
	if !ok || c == nil {
		return nil
	}
	chunk := func(key bson.Raw) int {
		n, found := slices.BinarySearchFunc(s.splits, key, func(a, b bson.Raw) int { return compare.Documents(a, b, nil) })
		if found {
			n++
		}
		return n
	}
	at := chunk(s.keyOf(wanted))
	var keys []bson.Raw
	for scan := c.Scan(0); ; {
		record := scan.Next()
		if record == nil {
			break
		}
		if key := s.keyOf(record.Doc); chunk(key) == at {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b bson.Raw) int { return compare.Documents(a, b, nil) })
	keys = slices.CompactFunc(keys, func(a, b bson.Raw) bool { return compare.Documents(a, b, nil) == 0 })
	if len(keys) < 2 {
		return nil
	}
	return keys[len(keys)/2]
}
