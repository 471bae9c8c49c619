package query

import (
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/geo"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// compileGeo compiles $geoWithin or $geoIntersects.
func compileGeo(op string, v bson.RawValue) (condition, error) {
	d, ok := v.DocumentOK()
	if !ok || d.Len() == 0 {
		return condition{}, status.Errorf(errcode.BadValue, "geometry must be an object")
	}
	if op != "$geoIntersects" {
		region, err := geo.Region(d)
		if err == nil && !region.Flat {
			err = region.Valid()
		}
		return geoTest(func(s *geo.Shape) bool { return region.Contains(s) }), err
	}
	first, _ := d.Index(0)
	if first.Key != "$geometry" {
		return condition{}, status.Errorf(errcode.BadValue, "$geoIntersects not supported with provided geometry: %s", status.TextOf(v))
	}
	other, err := geo.Parse(first.Value)
	if err == nil {
		err = other.Valid()
	}
	return geoTest(func(s *geo.Shape) bool { return other.Intersects(s) }), err
}

// geoTest tests the shapes at a path. A value that is not a shape does not match.
func geoTest(f func(*geo.Shape) bool) condition {
	return condition{leaf: path.Whole, test: func(_ *Match, v bson.RawValue) bool {
		found := false
		eachShape(v, func(s *geo.Shape) { found = found || f(s) })
		return found
	}}
}

// Region is a search for the shapes in a region, or across one.
type Region struct {
	Path string
	// Sphere says that the region lies on the sphere, Flat that it lies on a flat map. $centerSphere is both.
	Sphere, Flat bool
}

// Regions lists the searches by region that every matching document meets.
func (f *Filter) Regions() (list []Region) {
	collect(f.root, func(n *leaf) {
		switch n.cond.op {
		case "$geoWithin", "$geoIntersects", "$within":
			d, _ := n.cond.operand.DocumentOK()
			first, _ := d.Index(0)
			r := Region{Path: n.name, Sphere: first.Key == "$geometry" || first.Key == "$centerSphere", Flat: first.Key != "$geometry"}
			if !n.cond.negated {
				list = append(list, r)
			}
		}
	})
	return list
}

// eachShape visits the shape that v is, or the shapes in the array v.
func eachShape(v bson.RawValue, visit func(*geo.Shape)) {
	if s, err := geo.Parse(v); err == nil {
		visit(&s)
		return
	}
	if v.Type != bsontype.Array {
		return
	}
	for _, e := range value.Elements(v) {
		if s, err := geo.Parse(e); err == nil {
			visit(&s)
		}
	}
}

// Near is $near or $nearSphere: the documents around a point, nearest first. The query matches documents whose distance
// lies within the bounds.
type Near struct {
	Field string
	// Legacy means that the point is not GeoJSON; Flat means that distances are on a flat map.
	Legacy, Flat bool

	path     path.Path
	center   geo.Point
	min, max float64
	scale    float64 // scale of distances: metres for GeoJSON, radians or units for legacy points
}

// NewNear makes a search around a point, which may be GeoJSON. With spherical, distances around a legacy point are on
// the sphere.
func NewNear(field string, at bson.RawValue, spherical bool, low, high bson.RawValue) (*Near, error) {
	n := &Near{Field: field, path: path.Parse(field), scale: 1, max: math.Inf(1)}
	s, err := geo.Parse(at)
	switch {
	case err != nil:
		return nil, err
	case len(s.Points) != 1 || len(s.Lines)+len(s.Polygons) > 0:
		return nil, status.Errorf(errcode.BadValue, "$near requires a point, given %s", status.TextOf(at))
	}
	n.center = s.Points[0]
	if geo.IsGeoJSON(at) {
		n.scale = geo.EarthRadius
	} else {
		n.Legacy, n.Flat = true, !spherical
	}
	for _, limit := range [...]struct {
		name string
		v    bson.RawValue
		to   *float64
	}{{"$minDistance", low, &n.min}, {"$maxDistance", high, &n.max}} {
		if limit.v.IsZero() {
			continue
		}
		if *limit.to = number.Float64(limit.v); !number.Is(limit.v.Type) || !(*limit.to >= 0) {
			return nil, limitError(limit.name[1:], number.Is(limit.v.Type), n.Legacy)
		}
	}
	return n, nil
}

// limitError returns the error for a distance that is negative or not a number. Distances next to a legacy point have codes of their
// own.
func limitError(name string, isNumber, legacy bool) error {
	code, want := errcode.BadValue, "a number"
	if isNumber {
		want = "non-negative"
	}
	if legacy {
		code = map[string]errcode.Code{"minDistance": 16893, "maxDistance": 16895}[name]
		if isNumber {
			code++
		}
	}
	return status.Errorf(code, "%s must be %s", name, want)
}

// Distance returns how far away a document is, and its nearest place. ok is false if no place lies within the bounds.
func (n *Near) Distance(doc bson.Raw) (distance float64, place bson.RawValue, ok bool) {
	distance = math.Inf(1)
	n.path.Each(doc, path.Whole, func(v bson.RawValue, _ int) bool {
		list := []bson.RawValue{v}
		if _, err := geo.Parse(v); err != nil {
			list = value.Elements(v)
		}
		for _, e := range list {
			s, err := geo.Parse(e)
			if err != nil {
				continue
			}
			s.Flat = n.Flat
			if d := s.Distance(n.center) * n.scale; d < distance {
				distance, place = d, e
			}
		}
		return true
	})
	return distance, place, distance >= n.min && distance <= n.max && !math.IsInf(distance, 1)
}

func (n *Near) match(_ *Match, doc bson.Raw) bool {
	_, _, ok := n.Distance(doc)
	return ok
}

// compileNear compiles {$near: ...}. The distances for a legacy point are next to $near, not inside it.
func (c *compiler) compileNear(field string, ops bson.Raw) (node, error) {
	if c.options.NoNear && c.options.Scope.Wire() >= wire.Server60 {
		return nil, status.Errorf(5626500,
			"$geoNear, $near, and $nearSphere are not allowed in this context, because they sort. $geoWithin does not.")
	}
	if c.options.Plain || c.options.NoNear {
		return nil, status.Errorf(errcode.BadValue, "$geoNear, $near, and $nearSphere are not allowed in this context")
	}
	first, _ := ops.Index(0)
	at, from := first.Value, ops
	if d, ok := at.DocumentOK(); ok && !path.Field(d, "$geometry").IsZero() {
		at, from = path.Field(d, "$geometry"), d
		if !geo.IsGeoJSON(at) {
			return nil, status.Errorf(errcode.BadValue, "invalid point in geo near query $geometry argument: %s", status.TextOf(at))
		}
	}
	for op := range ops.All() {
		switch {
		case isNear(op) && op != first.Key:
			return nil, status.Errorf(errcode.BadValue, "Too many geoNear expressions")
		case !isNear(op) && op != "$minDistance" && op != "$maxDistance":
			return nil, status.Errorf(34413, "invalid argument in geo near query: %s", op)
		}
	}
	high := path.Field(from, "$maxDistance")
	if at, isGeo := first.Value.DocumentOK(); isGeo && !path.Field(at, "$geometry").IsZero() {
		for op := range at.All() {
			if op != "$geometry" && op != "$minDistance" && op != "$maxDistance" {
				return nil, status.Errorf(errcode.BadValue, "invalid argument in geo near query: %s", op)
			}
		}
	}
	if list := value.Elements(at); at.Type == bsontype.Array && len(list) > 2 && number.Is(list[2].Type) && high.IsZero() {
		high = list[2]
	}
	return NewNear(field, at, first.Key == "$nearSphere" || geo.IsGeoJSON(at), path.Field(from, "$minDistance"), high)
}

// Near returns the query's $near, or nil.
func (f *Filter) Near() *Near { return nearOf(f.root) }

func nearOf(n node) *Near {
	switch n := n.(type) {
	case and:
		for _, child := range n {
			if found := nearOf(child); found != nil {
				return found
			}
		}
	case *Near:
		return n
	}
	return nil
}
