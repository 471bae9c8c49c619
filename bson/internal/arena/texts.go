package arena

import (
	"unicode/utf8"

	"github.com/specdrivers/onion/bson/internal/wire"
)

// Texts copies the texts of one document into memory that they share, so that not each is an allocation. A text that is kept
// keeps Chunk bytes at most besides itself: longer ones have memory of their own.
type Texts struct {
	chunk []byte
	taken int // of chunk; a number, as storing pointers is dearer while garbage is collected
	used  int // by this document
	last  int // by the document before
}

const (
	// Chunk is the largest piece of memory that texts share.
	Chunk     = 1024
	textShare = 128 // texts of this length or more have memory of their own
)

// room returns memory for n bytes that nobody else has. limit is how much more text there can be. Chunks are as long as the
// texts of the document before were in all, as documents come in rows that look alike.
func (t *Texts) room(n, limit int) []byte {
	if n > len(t.chunk)-t.taken {
		t.grow(n, limit)
	}
	start := t.taken
	t.taken += n
	t.used += n
	return t.chunk[start : start+n : start+n]
}

func (t *Texts) grow(n, limit int) {
	want := t.last - t.used
	if want <= 0 {
		want = max(t.used, textShare)
	}
	t.chunk, t.taken = make([]byte, max(n, min(want, limit, Chunk))), 0
}

// Copy returns a copy of b, which is not empty.
func (t *Texts) Copy(b []byte, limit int) []byte {
	if len(b) >= textShare {
		return wire.Clone(b)
	}
	out := t.room(len(b), limit)
	copy(out, b)
	return out
}

// String returns a copy of b as a string, and whether it is UTF-8.
func (t *Texts) String(b []byte, limit int) (s string, valid bool) {
	if len(b) == 0 {
		return "", true
	}
	if len(b) >= textShare {
		c := t.Copy(b, limit)
		return wire.AliasString(c), wire.ValidText(c)
	}
	out := t.room(len(b), limit)
	var seen uint64
	if len(b) < 8 {
		seen = wire.CopyShort(out, b)
	} else {
		seen = wire.CopyWords(out, b)
	}
	return wire.AliasString(out), seen&wire.HighBits == 0 || utf8.Valid(b)
}

// Release forgets the memory, which belongs to the texts now.
func (t *Texts) Release() { *t = Texts{last: t.used} }
