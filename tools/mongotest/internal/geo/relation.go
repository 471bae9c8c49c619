package geo

import "math"

// Contains reports whether a region contains a whole shape.
func (region *Shape) Contains(s *Shape) bool {
	corners := s.all()
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
		for _, border := range region.edges() {
			if region.geometry().cross(e, border) {
				return false
			}
		}
	}
	return true
}

// Intersects reports whether two shapes have a point in common.
func (s *Shape) Intersects(other *Shape) bool {
	for _, p := range other.all() {
		if s.touches(p) {
			return true
		}
	}
	for _, p := range s.all() {
		if other.touches(p) {
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

// touches reports whether a place belongs to a shape, which may be a line or a point.
func (s *Shape) touches(p Point) bool {
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
		if inRings(g, p, rings) {
			return true
		}
	}
	return false
}

func inRings(g geometry, p Point, rings [][]Point) bool {
	for i, r := range rings {
		border := false
		for k := 1; k < len(r); k++ {
			border = border || g.toEdge(p, [2]Point{r[k-1], r[k]}) <= tolerance
		}
		switch {
		case border:
			return true
		case i == 0 && !g.inside(p, r), i > 0 && g.inside(p, r):
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
	inside(p Point, ring []Point) bool
	// cross reports whether two edges cross, each between its own ends.
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

func (flat) inside(p Point, ring []Point) bool {
	in := false
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < (b.X-a.X)*(p.Y-a.Y)/(b.Y-a.Y)+a.X {
			in = !in
		}
	}
	return in
}

func (flat) cross(a, b [2]Point) bool {
	side := func(p, q, r Point) float64 { return (q.X-p.X)*(r.Y-p.Y) - (q.Y-p.Y)*(r.X-p.X) }
	return side(a[0], a[1], b[0])*side(a[0], a[1], b[1]) < 0 && side(b[0], b[1], a[0])*side(b[0], b[1], a[1]) < 0
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

// inside adds up the angles under which the point sees the edges of the ring. The sum is one full turn if the point is
// inside, otherwise zero.
func (sphere) inside(p Point, ring []Point) bool {
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

func (sphere) cross(a, b [2]Point) bool {
	p, q, r, s := direction(a[0]), direction(a[1]), direction(b[0]), direction(b[1])
	n, m := p.product(q), r.product(s)
	if n.dot(r)*n.dot(s) >= 0 || m.dot(p)*m.dot(q) >= 0 {
		return false
	}
	// The two great circles meet at two opposite points. Both edges must pass through the same one.
	at := n.product(m)
	return p.minus(q, -1).dot(at)*r.minus(s, -1).dot(at) > 0
}
