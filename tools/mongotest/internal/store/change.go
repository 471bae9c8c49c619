package store

import (
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/compare"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// change is the work that one write causes in one index.
type change struct {
	remove, add []string
	met         arrays

	// These are the one key of the index on _id, and the entry made from it.
	one   [1]string
	filed string
}

// makeIDKey makes the key of a new document in the index on _id. The key is the beginning of the entry, so both share
// one allocation.
func (ch *change) makeIDKey(x *Index, doc bson.Raw, id RecordID) {
	var buffer [72]byte
	key := compare.AppendKey(buffer[:0], path.Field(doc, "_id"), x.Collation)
	ch.filed = string(binary.BigEndian.AppendUint64(key, uint64(id)))
	ch.one[0] = ch.filed[:len(key)]
	ch.add = ch.one[:]
}

// cancel drops the keys that stay the same.
func (ch *change) cancel() {
	if len(ch.add) == 1 && len(ch.remove) == 1 && ch.add[0] == ch.remove[0] {
		ch.add, ch.remove = nil, nil
	}
}
