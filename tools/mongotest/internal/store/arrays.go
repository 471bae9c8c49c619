package store

import "github.com/specdrivers/onion/bson"

// arrays says whether the keys of a document come from an array.
type arrays struct {
	any bool
	doc bson.Raw // the document, for an index whose fields have paths
}

// note records that a document of the index has arrays. An index never forgets that, even when the document goes.
func (x *Index) note(met arrays) {
	if !met.any {
		return
	}
	x.Multikey = true
	if met.doc == nil {
		return
	}
	changed := make([]uint64, len(x.paths))
	copy(changed, x.Arrays)
	for i, p := range x.paths {
		changed[i] |= p.Arrays(met.doc)
	}
	x.Arrays = changed // other states of the index share the old slice
}
