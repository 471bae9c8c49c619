package store

import (
	"crypto/sha256"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/tree"
)

// BucketsPrefix is the prefix of the names of derived collections.
const BucketsPrefix = "system.buckets."

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
