package server

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// initialChunksMax is the most chunks that one shard can begin with.
const initialChunksMax = 8192

// initialSplits returns the keys at which an empty collection is split because its shard key begins with a hash. Version 8.0
// makes one chunk for each shard and ignores numInitialChunks.
func (r *request) initialSplits(s *shardedCollection) ([]bson.Raw, error) {
	chunks, given := r.Field("numInitialChunks").AsInt64OK()
	if given && (chunks < 0 || chunks > initialChunksMax) {
		return nil, status.Errorf(errcode.InvalidOptions,
			"numInitialChunks cannot be more than either: %d, 8192 * number of shards; or 1000000", initialChunksMax)
	}
	first, _ := s.key.Index(0)
	c := r.cluster.store.Latest().Collection(s.db, s.name)
	if first.Value.Type != bsontype.String || c != nil && c.Len() > 0 || r.Wire >= wire.Server80 {
		return nil, nil
	}
	if chunks == 0 {
		chunks = 2
	}
	return s.splitHashes(chunks), nil
}

// splitHashes returns the keys that cut the range of hashes into equal parts.
func (s *shardedCollection) splitHashes(chunks int64) (list []bson.Raw) {
	var hashes []int64
	step := math.MaxInt64 / chunks * 2
	at := step / 2
	if chunks%2 == 0 {
		hashes, at = []int64{0}, step
	}
	for range (chunks - 1) / 2 {
		hashes = append(hashes, at, -at)
		at += step
	}
	slices.Sort(hashes)
	for _, hash := range hashes {
		dst, start := bson.AppendDocumentStart(nil)
		first := true
		for field := range s.key.All() {
			if first {
				dst = bson.AppendInt64Element(dst, field, hash)
			} else {
				dst = bson.AppendRawValueElement(dst, field, bson.RawValue{Type: bsontype.MinKey})
			}
			first = false
		}
		list = append(list, bson.AppendDocumentEnd(dst, start))
	}
	return list
}
