package bson

// texts copies the texts of one document into memory that they share, so that not each is an allocation. A text that is kept
// keeps textChunk bytes at most besides itself: longer ones have memory of their own.
type texts struct {
	spare []byte
	used  int // by this document
	last  int // by the document before
}

const (
	textChunk = 1024
	textShare = 128
)

// copy returns a copy of b. limit is how much more text there can be. Chunks are as long as the texts of the document before
// were in all, as documents come in rows that look alike.
func (t *texts) copy(b []byte, limit int) []byte {
	n := len(b)
	if n == 0 {
		return []byte{}
	}
	if n > len(t.spare) {
		if n >= textShare {
			return clone(b)
		}
		want := t.last - t.used
		if want <= 0 {
			want = max(t.used, textShare)
		}
		t.spare = make([]byte, max(n, min(want, limit, textChunk)))
	}
	out := t.spare[:n:n]
	copy(out, b)
	t.spare = t.spare[n:]
	t.used += n
	return out
}

// release forgets the memory, which belongs to the texts now.
func (t *texts) release() { *t = texts{last: t.used} }
