package payload

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/internal/encrypt/aead"
)

// Ref names a data key: by its alternate name if Name is not empty, otherwise by its id. Refs are comparable.
type Ref struct {
	ID   bson.UUID
	Name string
}

// Keys returns the data key that a reference names, and its id. The caller owns the key: nothing here retains it.
type Keys func(Ref) (bson.UUID, *aead.Key, error)

// refs collects references, each once, in the order in which they come.
type refs []Ref

func (r *refs) add(ref Ref) {
	if !slices.Contains(*r, ref) {
		*r = append(*r, ref)
	}
}
