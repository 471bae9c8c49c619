package store

import (
	"maps"

	"github.com/specdrivers/onion/bson"
)

// arrays says whether the keys of a document come from an array.
type arrays struct {
	any   bool
	doc   bson.Raw // the document, for an index whose fields have paths
	paths []string // the paths of its arrays, for a wildcard index
}

// arrayFinder is a Maker whose index knows the paths that have arrays.
type arrayFinder interface {
	// Arrays lists the paths of the arrays in a document that the index covers.
	Arrays(doc bson.Raw) []string
}

// note records that a document of the index has arrays. An index never forgets that, even when the document goes.
func (x *Index) note(met arrays) {
	if !x.learns(met) {
		return
	}
	x.Multikey = true
	// Other states of the index share the old slice and the old map.
	if met.doc != nil {
		changed := make([]uint64, len(x.paths))
		copy(changed, x.Arrays)
		for i, p := range x.paths {
			changed[i] |= p.Arrays(met.doc)
		}
		x.Arrays = changed
	}
	if len(met.paths) > 0 {
		x.ArrayPaths = maps.Clone(x.ArrayPaths)
		if x.ArrayPaths == nil {
			x.ArrayPaths = map[string]bool{}
		}
		for _, p := range met.paths {
			x.ArrayPaths[p] = true
		}
	}
}

// learns reports whether note would record anything new.
func (x *Index) learns(met arrays) bool {
	if !met.any {
		return false
	}
	if !x.Multikey || met.doc != nil && x.Arrays == nil {
		return true
	}
	for _, p := range met.paths {
		if !x.ArrayPaths[p] {
			return true
		}
	}
	if met.doc != nil {
		for i, p := range x.paths {
			if p.Arrays(met.doc)&^x.Arrays[i] != 0 {
				return true
			}
		}
	}
	return false
}
