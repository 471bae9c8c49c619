package bson

import "github.com/specdrivers/onion/bson/internal/arena"

// boxes hands out memory for what documents decode into when the Go type is any. Values of one type share arrays instead of
// having an allocation each. The arrays are as long as the document before made good use of, and never longer than the
// document at hand could fill.
type boxes struct {
	limit     arena.Limit
	strings   arena.Slab[string]
	int32s    arena.Slab[int32]
	int64s    arena.Slab[int64]
	float64s  arena.Slab[float64]
	dateTimes arena.Slab[DateTime]
	objectIDs arena.Slab[ObjectID]
	ds        arena.Slab[D]
	as        arena.Slab[A]
	elems     arena.Slab[E]
	items     arena.Slab[any]

	rare     rareBoxes
	usedRare bool // most documents need no rare box, and then release skips them
}

// rareBoxes are the boxes of the types that are less common.
type rareBoxes struct {
	binaries    arena.Slab[Binary]
	regexes     arena.Slab[Regex]
	javaScripts arena.Slab[JavaScript]
	scopes      arena.Slab[CodeWithScope]
	timestamps  arena.Slab[Timestamp]
	decimals    arena.Slab[Decimal128]
}

// useRare returns the boxes of the types that are less common, and remembers that release has to empty them.
func (b *boxes) useRare() *rareBoxes {
	b.usedRare = true
	return &b.rare
}

// release forgets the memory. Documents that decode into structs alone take none.
func (b *boxes) release() {
	if !b.limit.Used {
		return
	}
	b.limit.Used = false
	b.strings.Release()
	b.int32s.Release()
	b.int64s.Release()
	b.float64s.Release()
	b.dateTimes.Release()
	b.objectIDs.Release()
	b.ds.Release()
	b.as.Release()
	b.elems.Release()
	b.items.Release()
	if b.usedRare {
		b.rare.release()
		b.usedRare = false
	}
}

func (b *rareBoxes) release() {
	b.binaries.Release()
	b.regexes.Release()
	b.javaScripts.Release()
	b.scopes.Release()
	b.timestamps.Release()
	b.decimals.Release()
}
