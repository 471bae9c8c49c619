package arena

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// Texts copies the texts of one document into shared memory, which saves an allocation for each. Keeping one text keeps at
// most Chunk bytes alive, because long texts have memory of their own.
type Texts struct {
	chunk []byte
	taken int // of chunk; a number, because storing a pointer needs a write barrier
	used  int // by this document
	last  int // by the document before
}

const (
	// Chunk is the largest piece of memory that texts share.
	Chunk     = 1024
	textShare = 128 // texts of this length or more have memory of their own
)

// reserve takes n bytes of the chunk and returns where they start. At least wire.WordRoom free bytes follow them. limit is how
// much more text there can be. A chunk is as long as all texts of the previous document, because successive documents tend to
// look alike.
func (t *Texts) reserve(n, limit int) (start int) {
	if n+wire.WordRoom > len(t.chunk)-t.taken {
		t.grow(n, limit)
	}
	start = t.taken
	t.taken += n
	t.used += n
	return start
}

func (t *Texts) grow(n, limit int) {
	want := t.last - t.used
	if want <= 0 {
		want = max(t.used, textShare)
	}
	t.chunk, t.taken = make([]byte, max(n, min(want, limit, Chunk-wire.WordRoom))+wire.WordRoom), 0
}

// Copy returns a copy of b, which is not empty.
func (t *Texts) Copy(b []byte, limit int) []byte {
	if len(b) >= textShare {
		return wire.Clone(b)
	}
	start := t.reserve(len(b), limit)
	out := t.chunk[start : start+len(b) : start+len(b)]
	copy(out, b)
	return out
}

// String returns a copy of b as a string, and whether it is UTF-8.
func (t *Texts) String(b []byte, limit int) (s string, valid bool) {
	n := len(b)
	if uint(n-1) >= textShare-1 {
		return t.copyUnshared(b)
	}
	start := t.reserve(n, limit)
	to, seen := t.chunk[start:start+n+wire.WordRoom], uint64(0)
	switch {
	case n < 8:
		seen = wire.ShortWord(b)
		binary.LittleEndian.PutUint64(to, seen)
	case n <= 16:
		first, last := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
		binary.LittleEndian.PutUint64(to, first)
		binary.LittleEndian.PutUint64(to[n-8:], last)
		seen = first | last
	default:
		seen = wire.CopyText(to, b)
	}
	return wire.AliasString(to[:n]), seen&wire.HighBits == 0 || utf8.Valid(b)
}

// copyUnshared is String for long texts, which do not share memory: one that stays in use would keep the others.
func (t *Texts) copyUnshared(b []byte) (s string, valid bool) {
	if len(b) == 0 {
		return "", true
	}
	c := wire.Clone(b)
	return wire.AliasString(c), wire.ValidText(c)
}

// Release forgets the memory, which now belongs to the texts.
func (t *Texts) Release() { *t = Texts{last: t.used} }
