package names

import (
	"encoding/binary"
	"math/bits"
)

// Table finds fields by name: a hash table with open addressing, sized so that most names hit at once.
type Table struct {
	names []string
	slots []uint16 // index into names plus 1, 0 for none
	shift uint8
}

// New returns the table of the names, which must not change.
func New(names []string) Table {
	size := 1 << bits.Len(uint(2*len(names)))
	t := Table{names: names, slots: make([]uint16, size), shift: uint8(64 - bits.Len(uint(size-1)))}
	for i := range names {
		at := hashName([]byte(names[i])) >> t.shift
		for t.slots[at] != 0 {
			at = (at + 1) & uint64(size-1)
		}
		t.slots[at] = uint16(i + 1)
	}
	return t
}

// hashName mixes the length, the first and the last eight bytes of a name.
func hashName(name []byte) uint64 {
	const k = 0x9E3779B97F4A7C15
	h := uint64(len(name))
	if len(name) >= 8 {
		h ^= binary.LittleEndian.Uint64(name)
		h = bits.RotateLeft64(h*k, 29) ^ binary.LittleEndian.Uint64(name[len(name)-8:])
		return h * k
	}
	var w uint64
	for i, c := range name {
		w |= uint64(c) << (8 * i)
	}
	return bits.RotateLeft64((h^w)*k, 29) * k
}

// Find returns the position of the field named key, -1 if there is none.
func (t *Table) Find(key []byte) int {
	mask := uint64(len(t.slots) - 1)
	for at := hashName(key) >> t.shift; ; at = (at + 1) & mask {
		i := int(t.slots[at]) - 1
		if i < 0 || t.names[i] == string(key) {
			return i
		}
	}
}

// Lookup is Find, with a second try in lower case for keys that have capitals: the default names are in lower case.
func (t *Table) Lookup(key []byte) int {
	if i := t.Find(key); i >= 0 {
		return i
	}
	for i, c := range key {
		if c-'A' < 26 {
			var buf [64]byte
			lower := append(buf[:0], key...)
			for j := i; j < len(lower); j++ {
				if lower[j]-'A' < 26 {
					lower[j] += 'a' - 'A'
				}
			}
			return t.Find(lower)
		}
	}
	return -1
}
