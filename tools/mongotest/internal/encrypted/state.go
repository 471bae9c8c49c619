package encrypted

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/bson/emitted/sealed"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// Reader finds a document of a state collection by its _id.
type Reader interface {
	Find(db, collection string, id bson.RawValue) (bson.Raw, bool)
}

// Writer also adds documents to the state collections and removes them.
type Writer interface {
	Reader
	Insert(db, collection string, doc bson.Raw) error
	Delete(db, collection string, id bson.RawValue) error
	All(db, collection string) []bson.Raw
}

// counter counts the inserts of a value under one contention factor.
type counter struct {
	state      Reader
	db, esc    string
	tag, value sealed.Token // ESCTwiceDerivedTagToken, ESCTwiceDerivedValueToken
}

func (s *Schema) counter(state Reader, esc sealed.Token) counter {
	return counter{state, s.DB, s.ESC, encryption.ESCTwiceDerivedTagToken(esc), encryption.ESCTwiceDerivedValueToken(esc)}
}

func (c counter) find(id sealed.Token) (bson.Raw, bool) {
	return c.state.Find(c.db, c.esc, value.Binary(0, id[:]))
}

// position is the position of a value: its last document and its last anchor.
type position struct{ count, anchor uint64 }

// position searches for a value's last document by doubling and halving, because documents can be found only by _id.
func (c counter) position() position {
	var p position
	if doc, ok := c.find(c.tag.Anchor(0)); ok {
		p.anchor, p.count = c.openAnchor(doc)
	}
	last := findGreatest(p.anchor, func(n uint64) bool { _, ok := c.find(c.tag.Anchor(n)); return ok })
	if doc, ok := c.find(c.tag.Anchor(last)); ok && last > p.anchor {
		p.anchor = last
		_, p.count = c.openAnchor(doc)
	}
	p.count = findGreatest(p.count, func(n uint64) bool { _, ok := c.find(c.tag.Position(n)); return ok })
	return p
}

// openAnchor decrypts an anchor: a count, and the anchor's number, which only the null anchor has.
func (c counter) openAnchor(doc bson.Raw) (anchor, count uint64) {
	_, data, _ := doc.Lookup("value").BinaryOK()
	plain, err := c.value.Open(data)
	if err != nil || len(plain) != 16 {
		return 0, 0
	}
	return binary.LittleEndian.Uint64(plain), binary.LittleEndian.Uint64(plain[8:])
}

// newAnchor returns an anchor that records the number of a value's documents. anchor is 0 except in the null anchor.
func (c counter) newAnchor(id sealed.Token, anchor, count uint64) bson.Raw {
	plain := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, anchor), count)
	dst, start := bson.AppendDocumentStart(nil)
	dst = bson.AppendBinaryElement(dst, "_id", 0, id[:])
	dst = bson.AppendBinaryElement(dst, "value", 0, c.value.Seal(nil, newIV(), plain))
	return bson.AppendDocumentEnd(dst, start)
}

// findGreatest returns the greatest number above base such that exists holds for every number up to it, or base.
func findGreatest(base uint64, exists func(uint64) bool) uint64 {
	if !exists(base + 1) {
		return base
	}
	low, high := base+1, base+2 // exists(low) holds
	for step := uint64(2); exists(high); step *= 2 {
		low, high = high, high+step
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; exists(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// newIV draws an initialization vector.
func newIV() (b [sealed.IVSize]byte) {
	_, _ = rand.Read(b[:]) // it never fails
	return b
}
