package store

import (
	"strings"

	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Snapshot is one state of all databases.
type Snapshot struct {
	time    Timestamp
	writes  int64 // how many writes were published up to this state, without entries that have no effect
	catalog tree.Map[string, *Collection]
}

// Time is the timestamp of the last write that the snapshot has.
func (s *Snapshot) Time() Timestamp { return s.time }

// Collection finds a collection or view, nil when there is none. A nil *Collection reads as an empty one.
func (s *Snapshot) Collection(db, name string) *Collection {
	c, _ := s.catalog.Get(db + "." + name)
	return c
}

// Collections lists a database in the order of names.
func (s *Snapshot) Collections(db string) []*Collection {
	var out []*Collection
	prefix := db + "."
	for it := s.catalog.Ascend(prefix); ; {
		ns, c, ok := it.Next()
		if !ok || !strings.HasPrefix(ns, prefix) {
			return out
		}
		out = append(out, c)
	}
}

// Databases lists the databases that have a collection.
func (s *Snapshot) Databases() []string {
	var out []string
	for it := s.catalog.First(); ; {
		_, c, ok := it.Next()
		if !ok {
			return out
		}
		if len(out) == 0 || out[len(out)-1] != c.DB {
			out = append(out, c.DB)
		}
	}
}
