package engine

import "github.com/specdrivers/onion/tools/mongotest/internal/value"

// finishWildcard completes the bounds of a view of a wildcard index. If a document may match by being there at all, so may
// the documents below it, whose keys have longer paths.
func (b *bounds) finishWildcard() {
	b.score -= 4 // the path bounds nothing by itself
	if b.score > 1 {
		b.score-- // an index of the path alone is better
	}
	for i := range b.x.Fields {
		if b.x.Fields[i].Name == pathField && b.fields[i+1] != nil && isWhole(b.fields[i+1]) {
			below := span{low: value.String(b.x.Path + "."), high: value.String(b.x.Path + "/"), highOpen: true}
			b.fields[i] = []span{point(value.String(b.x.Path)), below}
		}
	}
}
