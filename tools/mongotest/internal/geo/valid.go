package geo

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// Valid refuses polygons whose borders cross or touch themselves or each other, and holes that leave their polygon. It looks at
// every pair of edges, so it is for shapes of queries and indexes, not for each document that a query visits.
func (s *Shape) Valid() error {
	g := s.geometry()
	for _, rings := range s.Polygons {
		for _, r := range rings {
			if !isSimple(g, r) {
				return status.Errorf(errcode.BadValue, "The edges of a polygon's loop cross or touch each other")
			}
		}
		for i, hole := range rings {
			if i > 0 && !isWithin(g, hole, rings[0]) {
				return status.Errorf(errcode.BadValue, "A polygon's hole is not inside its first loop")
			}
		}
	}
	return nil
}

// isSimple reports whether no two edges of a ring have a point in common, except that neighbours share a corner.
func isSimple(g geometry, ring []Point) bool {
	n := len(ring) - 1
	for i := range n {
		for k := i + 1; k < n; k++ {
			if ring[i] == ring[k] || g.cross([2]Point{ring[i], ring[i+1]}, [2]Point{ring[k], ring[k+1]}) {
				return false
			}
		}
	}
	return true
}

// isWithin reports whether a hole lies inside a ring. It may have corners in common with it, but no edge or part of one.
func isWithin(g geometry, hole, ring []Point) bool {
	inside := 0
	for i := 1; i < len(hole); i++ {
		corner := false
		for k := 1; k < len(ring); k++ {
			edge := [2]Point{ring[k-1], ring[k]}
			if g.cross([2]Point{hole[i-1], hole[i]}, edge) {
				return false
			}
			corner = corner || hole[i] == ring[k]
			if hole[i] != ring[k-1] && hole[i] != ring[k] && g.toEdge(hole[i], edge) <= tolerance {
				return false
			}
		}
		switch {
		case corner:
		case !g.isInside(hole[i], ring):
			return false
		default:
			inside++
		}
	}
	return inside > 0
}
