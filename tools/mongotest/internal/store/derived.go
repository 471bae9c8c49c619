package store

import (
	"crypto/sha256"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// BucketsPrefix is the prefix of the names of derived collections.
const BucketsPrefix = "system.buckets."

// Derived is a collection that shows another collection in a different form. Clients cannot write to it.
type Derived struct {
	Name    string
	Options Options
	// Documents creates the documents when they are read.
	Documents func() []bson.Raw
}

// Derive sets the function that returns what to derive from a collection, or nil for nothing. Call it before the store
// is used.
func (s *Store) Derive(of func(*Collection) *Derived) {
	s.provided.derive, s.bare.derive = of, of
	s.provided.derived = map[string]derivation{}
}

// derivation caches what was derived from one state of a collection.
type derivation struct{ from, made *Collection }

// derivedFrom returns the collection derived from c, or nil if there is none.
func (p *provided) derivedFrom(c *Collection) *Collection {
	if p == nil || p.derive == nil || c == nil {
		return nil
	}
	d := p.derive(c)
	if d == nil {
		return nil
	}
	sum := sha256.Sum256(append([]byte("derived"), c.UUID[:]...))
	made := &Collection{DB: c.DB, Name: d.Name, Options: d.Options, UUID: bson.UUID(sum[:16]), provided: true}
	made.UUID[6], made.UUID[8] = made.UUID[6]&0x0f|0x40, made.UUID[8]&0x3f|0x80
	if p.bare {
		return made
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.derived[c.Namespace()]; known.from == c {
		return known.made
	}
	edit := new(tree.Edit)
	for _, doc := range d.Documents() {
		made.lastID++
		made.size += int64(len(doc))
		made.records.Set(edit, made.lastID, &Record{ID: made.lastID, Doc: doc})
	}
	p.derived[c.Namespace()] = derivation{c, made}
	return made
}

// derived finds a derived collection by name.
func (s *Snapshot) derived(db, name string) *Collection {
	base, ok := strings.CutPrefix(name, BucketsPrefix)
	if !ok {
		return nil
	}
	c, _ := s.catalog.Get(db + "." + base)
	return s.provided.derivedFrom(c)
}
