package bson

import (
	"slices"
	"sync"

	"github.com/specdrivers/onion/bson/internal/wire"
)

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// release drops everything that the decoded values refer to.
func (d *decoder) release() {
	d.root, d.base, d.owned = nil, 0, false
	d.texts.Release()
	d.boxes.release()
	d.spans = keepStack(d.spans)
	decoders.Put(d)
}

// maxKeptStack is the largest stack of elements that is kept for later use.
const maxKeptStack = 4096

// growByDoubling makes room for at least one more element. Append alone grows long slices by a quarter, which copies
// five times their length in all.
func growByDoubling[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(len(s), 16))
}

func keepStack[T any](s []T) []T {
	if cap(s) > maxKeptStack {
		return nil
	}
	return s[:0]
}

// offset returns where b, which was cut from root, starts in the document.
func (d *decoder) offset(b []byte) int { return d.base + cap(d.root) - cap(b) }

// fail returns the error err at the place of b.
func (d *decoder) fail(b []byte, err error) *DecodeError { return decodeErrorAt(err, d.offset(b)) }

// copyRoot copies b, makes the copy the root, and returns it with what restore needs. Strings inside then need no
// copies of their own.
func (d *decoder) copyRoot(b []byte) (owned []byte, undo rootState) {
	undo = rootState{d.root, d.base, d.owned}
	owned = wire.Clone(b)
	d.base, d.root, d.owned = d.offset(b), owned, true
	return owned, undo
}

func (d *decoder) restore(s rootState) { d.root, d.base, d.owned = s.root, s.base, s.owned }

// ownString returns b as a string that outlives the input.
func (d *decoder) ownString(b []byte) string { return wire.AliasString(d.ownBytes(b)) }

// ownBytes returns b, or a copy, that outlives the input and that the caller may give away.
func (d *decoder) ownBytes(b []byte) []byte {
	n := len(b)
	if d.owned {
		return b[:n:n]
	}
	if n == 0 {
		return []byte{}
	}
	return d.texts.Copy(b, len(d.root))
}

// checkText reports whether b is acceptable as text.
func (d *decoder) checkText(b []byte) bool { return wire.ValidText(b) || d.opts.invalidText }
