package geo

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// EarthRadius is the radius of the sphere in metres.
const EarthRadius = 6378100.0

// Point is a place: longitude and latitude, or a point on a flat map.
type Point struct{ X, Y float64 }

// Shape is a set of places.
type Shape struct {
	Points   []Point
	Lines    [][]Point
	Polygons [][][]Point // each is a ring and its holes; the first point of a ring is also its last
	Circle   *Circle
	Flat     bool // the shape lies on a flat map
	Outside  bool // the region is everything outside the polygon
}

// Circle is a centre and a radius, in radians on the sphere or units on a flat map.
type Circle struct {
	Center Point
	Radius float64
}

// IsGeoJSON reports whether a value is a document with a type field, as GeoJSON objects are.
func IsGeoJSON(v bson.RawValue) bool {
	d, ok := v.DocumentOK()
	return ok && path.Field(d, "type").Type == bsontype.String
}

// Parse reads a GeoJSON object or a legacy point.
func Parse(v bson.RawValue) (Shape, error) {
	if !IsGeoJSON(v) {
		p, err := Legacy(v)
		return Shape{Points: []Point{p}}, err
	}
	d := bson.Raw(v.Value)
	var s Shape
	strict, err := coordinateSystem(d)
	if err == nil {
		err = s.add(d, 0)
	}
	if err != nil {
		return s, err
	}
	s.Outside = strict && isClockwise(s.Polygons[0][0])
	for _, p := range s.allCorners() {
		if !(math.Abs(p.X) <= 180 && math.Abs(p.Y) <= 90) {
			return s, status.Errorf(errcode.BadValue, "Longitude/latitude is out of bounds, lng: %g lat: %g", p.X, p.Y)
		}
	}
	return s, nil
}

// add reads a GeoJSON object.
func (s *Shape) add(d bson.Raw, depth int) error {
	kind, at := value.Text(path.Field(d, "type")), path.Field(d, "coordinates")
	if kind != "GeometryCollection" && at.Type != bsontype.Array {
		return status.Errorf(errcode.BadValue, "GeoJSON coordinates must be an array of coordinates or of arrays: %s", status.Text(d))
	}
	switch kind {
	case "Point":
		return each(value.ArrayOf(at), s.addPoint)
	case "MultiPoint":
		return each(at, s.addPoint)
	case "LineString":
		return each(value.ArrayOf(at), s.addLine)
	case "MultiLineString":
		return each(at, s.addLine)
	case "Polygon":
		return each(value.ArrayOf(at), s.addPolygon)
	case "MultiPolygon":
		return each(at, s.addPolygon)
	case "GeometryCollection":
		if depth > 20 {
			break
		}
		return each(path.Field(d, "geometries"), func(v bson.RawValue) error {
			inner, ok := v.DocumentOK()
			if !ok {
				return status.Errorf(errcode.BadValue, "GeometryCollection geometries must be objects")
			}
			return s.add(inner, depth+1)
		})
	}
	return status.Errorf(errcode.BadValue, "unknown GeoJSON type: %s", status.Text(d))
}

func each(list bson.RawValue, f func(bson.RawValue) error) error {
	if list.Type != bsontype.Array || len(value.Elements(list)) == 0 {
		return status.Errorf(errcode.BadValue, "GeoJSON coordinates must be an array with at least 1 element")
	}
	for _, v := range value.Elements(list) {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shape) addPoint(v bson.RawValue) error {
	p, err := Legacy(v)
	s.Points = append(s.Points, p)
	return err
}

func pointsOf(values []bson.RawValue) (list []Point, err error) {
	for _, v := range values {
		p, err := Legacy(v)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (s *Shape) addLine(v bson.RawValue) error {
	list, err := pointsOf(value.Elements(v))
	if err != nil {
		return err
	}
	if list = dropRepeats(list); len(list) < 2 {
		return status.Errorf(errcode.BadValue, "GeoJSON LineString must have at least 2 vertices: %s", status.TextOf(v))
	}
	s.Lines = append(s.Lines, list)
	return nil
}

func (s *Shape) addPolygon(v bson.RawValue) error {
	var rings [][]Point
	err := each(v, func(e bson.RawValue) error {
		ring, err := ringOf(e)
		rings = append(rings, ring)
		return err
	})
	if err == nil && len(rings) == 0 {
		err = status.Errorf(errcode.BadValue, "Polygon has no loops.")
	}
	s.Polygons = append(s.Polygons, rings)
	return err
}

func ringOf(v bson.RawValue) ([]Point, error) {
	ring, err := pointsOf(value.Elements(v))
	switch {
	case err != nil:
		return nil, err
	case len(ring) < 4:
		return nil, status.Errorf(errcode.BadValue, "Loop must have at least 3 different vertices: %s", status.TextOf(v))
	case ring[0] != ring[len(ring)-1]:
		return nil, status.Errorf(errcode.BadValue, "Loop is not closed: %s", status.TextOf(v))
	}
	if ring = dropRepeats(ring); len(ring) < 4 {
		return nil, status.Errorf(errcode.BadValue, "Loop must have at least 3 different vertices: %s", status.TextOf(v))
	}
	return ring, nil
}

// Legacy reads two numbers from an array, or from a document with any field names.
func Legacy(v bson.RawValue) (Point, error) {
	if v.Type != bsontype.Array && v.Type != bsontype.EmbeddedDocument {
		return Point{}, status.Errorf(errcode.BadValue, "Point must be an array or object")
	}
	list := value.Elements(v)
	if v.Type == bsontype.EmbeddedDocument {
		for _, e := range bson.Raw(v.Value).All() {
			list = append(list, e)
		}
	}
	if len(list) < 2 || !number.Is(list[0].Type) || !number.Is(list[1].Type) {
		return Point{}, status.Errorf(errcode.BadValue, "Point must only contain numeric elements")
	}
	return Point{number.Float64(list[0]), number.Float64(list[1])}, nil
}

// isClockwise reports whether a ring goes round clockwise, seen from above.
func isClockwise(ring []Point) bool {
	area, x := 0.0, 0.0
	for i := 1; i < len(ring); i++ {
		step := math.Remainder(ring[i].X-ring[i-1].X, 360)
		area += x*ring[i].Y - (x+step)*ring[i-1].Y
		x += step
	}
	return area < 0
}

// dropRepeats leaves out points that repeat their predecessor.
func dropRepeats(list []Point) (out []Point) {
	for i, p := range list {
		if i == 0 || p != list[i-1] {
			out = append(out, p)
		}
	}
	return out
}

// allCorners returns the corners of a shape.
func (s *Shape) allCorners() []Point {
	out := append([]Point(nil), s.Points...)
	for _, l := range s.Lines {
		out = append(out, l...)
	}
	for _, rings := range s.Polygons {
		for _, r := range rings {
			out = append(out, r...)
		}
	}
	return out
}

// edges returns the edges of a shape's lines and polygon rings, as pairs of points.
func (s *Shape) edges() (out [][2]Point) {
	add := func(l []Point) {
		for i := 1; i < len(l); i++ {
			out = append(out, [2]Point{l[i-1], l[i]})
		}
	}
	for _, l := range s.Lines {
		add(l)
	}
	for _, rings := range s.Polygons {
		for _, r := range rings {
			add(r)
		}
	}
	return out
}

// Region reads the argument of $geoWithin.
func Region(d bson.Raw) (Shape, error) {
	first, _ := d.Index(0)
	name, v := first.Key, first.Value
	switch name {
	case "$geometry":
		s, err := Parse(v)
		if err == nil && (len(s.Polygons) == 0 || len(s.Points)+len(s.Lines) > 0) {
			err = status.Errorf(errcode.BadValue, "$within not supported with provided geometry: %s", status.TextOf(v))
		}
		return s, err
	case "$box":
		list, err := readCorners(v)
		if err == nil && len(list) != 2 {
			err = status.Errorf(errcode.BadValue, "Point must be an array or object")
		}
		if err != nil {
			return Shape{}, err
		}
		a, b := list[0], list[1]
		return Shape{Flat: true, Polygons: [][][]Point{{{a, {b.X, a.Y}, b, {a.X, b.Y}, a}}}}, nil
	case "$polygon":
		list, err := readCorners(v)
		if err == nil && len(list) < 3 {
			err = status.Errorf(errcode.BadValue, "Polygon must have at least 3 points")
		}
		if err != nil {
			return Shape{}, err
		}
		return Shape{Flat: true, Polygons: [][][]Point{{append(list, list[0])}}}, nil
	case "$center", "$centerSphere":
		list := value.Elements(v)
		if len(list) != 2 || !number.Is(list[1].Type) || number.Float64(list[1]) < 0 {
			return Shape{}, status.Errorf(errcode.BadValue, "radius must be a non-negative number")
		}
		p, err := Legacy(list[0])
		return Shape{Flat: name == "$center", Circle: &Circle{p, number.Float64(list[1])}}, err
	}
	return Shape{}, status.Errorf(errcode.BadValue, "unknown geo specifier: %s: %s", name, status.TextOf(v))
}

// readCorners reads legacy points from an array or a document.
func readCorners(v bson.RawValue) ([]Point, error) {
	values := value.Elements(v)
	if d, ok := v.DocumentOK(); ok {
		for _, e := range d.All() {
			values = append(values, e)
		}
	}
	return pointsOf(values)
}
