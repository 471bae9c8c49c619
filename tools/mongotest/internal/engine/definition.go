package engine

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// definition is what a create command describes.
type definition struct {
	r          *Request
	a          *args
	name       string
	options    store.Options
	index      *store.Index
	standalone bool
	shown      map[string]bson.RawValue // options that listCollections shows in another form
}
