package store

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// Snapshot is one immutable state of all databases.
type Snapshot struct {
	time    Timestamp
	writes  int64 // how many writes were published up to this state, not counting entries without effect
	catalog tree.Map[string, *Collection]

	provided *provided
}

// Time returns the timestamp of the last write that the snapshot contains.
func (s *Snapshot) Time() Timestamp { return s.time }

// Writes returns how many writes were published up to this state.
func (s *Snapshot) Writes() int64 { return s.writes }

// Collection finds a collection or view. It returns nil if there is none; a nil *Collection reads as an empty one.
func (s *Snapshot) Collection(db, name string) *Collection {
	c, ok := s.catalog.Get(db + "." + name)
	if !ok && (db == "admin" || db == "local" || db == "config") {
		if made := s.provided.find(db, name, s.time); made != nil {
			return made
		}
	}
	if !ok {
		return s.findDerived(db, name)
	}
	return c
}

// Collections lists the collections of a database, sorted by name.
func (s *Snapshot) Collections(db string) []*Collection {
	var out []*Collection
	prefix := db + "."
	for it := s.catalog.Ascend(prefix); ; {
		ns, c, ok := it.Next()
		if !ok || !strings.HasPrefix(ns, prefix) {
			break
		}
		out = append(out, c)
		if d := s.provided.derivedFrom(c); d != nil {
			out = append(out, d)
			slices.SortFunc(out, func(a, b *Collection) int { return strings.Compare(a.Name, b.Name) })
		}
	}
	if made := s.provided.inDatabase(db, s.time); made != nil {
		out = append(out, made...)
		slices.SortFunc(out, func(a, b *Collection) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

// Databases lists the databases that have at least one collection.
func (s *Snapshot) Databases() []string {
	var out []string
	for it := s.catalog.First(); ; {
		_, c, ok := it.Next()
		if !ok {
			break
		}
		if len(out) == 0 || out[len(out)-1] != c.DB {
			out = append(out, c.DB)
		}
	}
	for _, p := range s.provided.list {
		if !slices.Contains(out, p.DB) {
			out = append(out, p.DB)
			slices.Sort(out)
		}
	}
	return out
}

// findDerived finds a derived collection by name.
func (s *Snapshot) findDerived(db, name string) *Collection {
	base, ok := strings.CutPrefix(name, BucketsPrefix)
	if !ok {
		return nil
	}
	c, _ := s.catalog.Get(db + "." + base)
	return s.provided.derivedFrom(c)
}
