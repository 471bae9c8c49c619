package geo

import (
	"cmp"
	"math"
	"slices"
)

// Contains reports whether a region contains a whole shape, which may touch the border of the region from inside.
func (region *Shape) Contains(s *Shape) bool {
	if region.Outside {
		inner := *region
		inner.Outside = false
		return !inner.Intersects(s)
	}
	corners := s.allCorners()
	if len(corners) == 0 {
		return false
	}
	for _, p := range corners {
		if !region.Has(p) {
			return false
		}
	}
	if region.Circle != nil {
		return true // a circle contains every line between two of its points
	}
	for _, e := range s.edges() {
		if !region.containsEdge(e) {
			return false
		}
	}
	return !region.hasHoleIn(s)
}

// containsEdge reports whether an edge between two points of the region does not leave it.
func (region *Shape) containsEdge(e [2]Point) bool {
	g := region.geometry()
	for _, border := range region.edges() {
		if g.cross(e, border) {
			return false
		}
	}
	// Between two corners of the border the edge may be outside without crossing it.
	stops := []Point{e[0], e[1]}
	for _, p := range region.allCorners() {
		if g.toEdge(p, e) <= tolerance {
			stops = append(stops, p)
		}
	}
	slices.SortFunc(stops, func(a, b Point) int { return cmp.Compare(g.distance(e[0], a), g.distance(e[0], b)) })
	for i := 1; i < len(stops); i++ {
		if g.distance(stops[i-1], stops[i]) > 2*tolerance && !region.Has(g.midpoint(stops[i-1], stops[i])) {
			return false
		}
	}
	return true
}

// hasHoleIn reports whether a hole of the region begins inside the shape.
func (region *Shape) hasHoleIn(s *Shape) bool {
	g := region.geometry()
	for _, rings := range region.Polygons {
		for _, hole := range rings[min(1, len(rings)):] {
			for _, p := range hole {
				border := slices.ContainsFunc(s.edges(), func(e [2]Point) bool { return g.toEdge(p, e) <= tolerance })
				if !border && s.Has(p) {
					return true
				}
			}
		}
	}
	return false
}

// Intersects reports whether two shapes have a point in common.
func (s *Shape) Intersects(other *Shape) bool {
	if s.Outside {
		inner := *s
		inner.Outside = false
		return !inner.Contains(other)
	}
	for _, p := range other.allCorners() {
		if s.hasPoint(p) {
			return true
		}
	}
	for _, p := range s.allCorners() {
		if other.hasPoint(p) {
			return true
		}
	}
	for _, a := range s.edges() {
		for _, b := range other.edges() {
			if s.geometry().cross(a, b) {
				return true
			}
		}
	}
	return false
}

// hasPoint reports whether a place belongs to a shape, which may be a line or a point.
func (s *Shape) hasPoint(p Point) bool {
	g := s.geometry()
	for _, q := range s.Points {
		if g.distance(p, q) <= tolerance {
			return true
		}
	}
	for _, l := range s.Lines {
		for i := 1; i < len(l); i++ {
			if g.toEdge(p, [2]Point{l[i-1], l[i]}) <= tolerance {
				return true
			}
		}
	}
	return s.Has(p)
}

// Has reports whether a place lies inside a circle or polygon of the shape, or on its border.
func (s *Shape) Has(p Point) bool {
	g := s.geometry()
	if c := s.Circle; c != nil {
		return g.distance(p, c.Center) <= c.Radius+tolerance
	}
	for _, rings := range s.Polygons {
		if isInRings(g, p, rings) {
			return true
		}
	}
	return false
}

func isInRings(g geometry, p Point, rings [][]Point) bool {
	for i, r := range rings {
		border := false
		for k := 1; k < len(r); k++ {
			border = border || g.toEdge(p, [2]Point{r[k-1], r[k]}) <= tolerance
		}
		switch {
		case border:
			return true
		case i == 0 && !g.isInside(p, r), i > 0 && g.isInside(p, r):
			return false
		}
	}
	return true
}

// Distance returns how far a place is from the nearest place of a shape, in radians, or in units of a flat map.
func (s *Shape) Distance(p Point) float64 {
	if s.Has(p) {
		return 0
	}
	g, least := s.geometry(), math.Inf(1)
	for _, q := range s.Points {
		least = min(least, g.distance(p, q))
	}
	for _, e := range s.edges() {
		least = min(least, g.toEdge(p, e))
	}
	return least
}

// geometry is either the sphere or the flat map.
type geometry interface {
	distance(a, b Point) float64
	toEdge(p Point, e [2]Point) float64
	isInside(p Point, ring []Point) bool
	// middle is the point half-way along an edge.
	midpoint(a, b Point) Point
	// cross reports whether two edges cross, each between its own ends. Edges that only touch do not cross.
	cross(a, b [2]Point) bool
}

// tolerance is the distance below which two places count as one: less than a tenth of a millimetre on the sphere.
const tolerance = 1e-11

func (s *Shape) geometry() geometry {
	if s.Flat {
		return flat{}
	}
	return sphere{}
}

type flat struct{}

func (flat) distance(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

func (flat) toEdge(p Point, e [2]Point) float64 {
	dx, dy := e[1].X-e[0].X, e[1].Y-e[0].Y
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = min(max(((p.X-e[0].X)*dx+(p.Y-e[0].Y)*dy)/length, 0), 1)
	}
	return math.Hypot(p.X-e[0].X-t*dx, p.Y-e[0].Y-t*dy)
}

func (flat) isInside(p Point, ring []Point) bool {
	in := false
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < (b.X-a.X)*(p.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

func (flat) midpoint(a, b Point) Point { return Point{(a.X + b.X) / 2, (a.Y + b.Y) / 2} }

func (flat) cross(a, b [2]Point) bool {
	side := func(e [2]Point, r Point) float64 {
		x, y := e[1].X-e[0].X, e[1].Y-e[0].Y
		return (x*(r.Y-e[0].Y) - y*(r.X-e[0].X)) / math.Hypot(x, y)
	}
	return areOpposite(side(a, b[0]), side(a, b[1])) && areOpposite(side(b, a[0]), side(b, a[1]))
}

// areOpposite reports whether two distances from a line are on its two sides, neither so near that the point is on the line.
func areOpposite(a, b float64) bool {
	return math.Abs(a) > tolerance && math.Abs(b) > tolerance && (a < 0) != (b < 0)
}

type sphere struct{}

// vector is a place as a direction from the centre of the sphere.
type vector [3]float64

func direction(p Point) vector {
	lng, lat := p.X*math.Pi/180, p.Y*math.Pi/180
	return vector{math.Cos(lat) * math.Cos(lng), math.Cos(lat) * math.Sin(lng), math.Sin(lat)}
}

func (a vector) dot(b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func (a vector) product(b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func (a vector) length() float64 { return math.Sqrt(a.dot(a)) }

func (a vector) minus(b vector, times float64) vector {
	return vector{a[0] - times*b[0], a[1] - times*b[1], a[2] - times*b[2]}
}

func angle(a, b vector) float64 { return math.Atan2(a.product(b).length(), a.dot(b)) }

func (sphere) distance(a, b Point) float64 { return angle(direction(a), direction(b)) }

func (sphere) toEdge(p Point, e [2]Point) float64 {
	v, a, b := direction(p), direction(e[0]), direction(e[1])
	n := a.product(b)
	if size := n.length(); size > 0 {
		// The nearest point on the great circle lies on the edge if it is on the inner side of both ends.
		if n.product(a).dot(v) >= 0 && b.product(n).dot(v) >= 0 {
			return math.Abs(math.Asin(min(max(n.dot(v)/size, -1), 1)))
		}
	}
	return min(angle(v, a), angle(v, b))
}

// isInside adds up the angles under which the point sees the edges of the ring. The sum is one full turn if the point is
// inside, otherwise zero.
func (sphere) isInside(p Point, ring []Point) bool {
	v := direction(p)
	var middle vector
	turn := 0.0
	for i := 1; i < len(ring); i++ {
		a, b := direction(ring[i-1]), direction(ring[i])
		middle = middle.minus(a, -1)
		x, y := a.minus(v, a.dot(v)), b.minus(v, b.dot(v))
		turn += math.Atan2(v.dot(x.product(y)), x.dot(y))
	}
	return math.Abs(turn) > math.Pi && v.dot(middle) > 0
}

func (sphere) midpoint(a, b Point) Point {
	v := direction(a).minus(direction(b), -1)
	return Point{math.Atan2(v[1], v[0]) * 180 / math.Pi, math.Atan2(v[2], math.Hypot(v[0], v[1])) * 180 / math.Pi}
}

func (sphere) cross(a, b [2]Point) bool {
	p, q, r, s := direction(a[0]), direction(a[1]), direction(b[0]), direction(b[1])
	n, m := p.product(q), r.product(s)
	from, to := n.length(), m.length()
	if !areOpposite(n.dot(r)/from, n.dot(s)/from) || !areOpposite(m.dot(p)/to, m.dot(q)/to) {
		return false
	}
	// The two great circles meet at two opposite points. Both edges must pass through the same one.
	at := n.product(m)
	return p.minus(q, -1).dot(at)*r.minus(s, -1).dot(at) > 0
}
