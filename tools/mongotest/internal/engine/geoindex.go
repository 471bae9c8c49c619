package engine

import (
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/geo"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// kindOfIndex returns the kind of an index: 2dsphere, 2d, text, hashed; empty for an ordered one.
func kindOfIndex(x *store.Index) string {
	for _, v := range x.KeyPattern().All() {
		if s, ok := v.StringOK(); ok {
			return s
		}
	}
	return ""
}

// geoFields returns the fields of an index that hold shapes.
func geoFields(x *store.Index) (names []string) {
	for name, v := range x.KeyPattern().All() {
		if s := value.Text(v); s == "2dsphere" || s == "2d" {
			names = append(names, name)
		}
	}
	return names
}

// geoIndex finds an index for a search around a point. A legacy point on a flat map needs a 2d index.
func geoIndex(c *store.Collection, n *query.Near) *store.Index {
	for _, kind := range [...]string{"2dsphere", "2d"} {
		for _, x := range c.Indexes() {
			fits := kind == "2dsphere" && !n.Flat || kind == "2d" && n.Legacy
			if fits && !x.Hidden && kindOfIndex(x) == kind && slices.Contains(geoFields(x), n.Field) {
				return x
			}
		}
	}
	return nil
}

// regionIndex finds an index for a search by region. Regions on the sphere need a 2dsphere index, others a 2d index.
func (p *plan) regionIndex() *store.Index {
	constraints := p.filter.Constraints()
	bounds := func(name string) bool {
		return slices.ContainsFunc(constraints, func(c query.Constraint) bool { return c.Path == name })
	}
	for _, r := range p.filter.Regions() {
		for _, x := range p.c.Indexes() {
			kind := kindOfIndex(x)
			switch {
			case kind != "2dsphere" && kind != "2d", kind == "2dsphere" && !r.Sphere, kind == "2d" && !r.Flat:
			case p.hinted != nil && x.Name != p.hinted.Name || p.hinted == nil && x.Hidden:
			case !slices.Contains(geoFields(x), r.Path), !covers(x, constraints, p.filter.Collation()):
			case x.Fields[0].Name != r.Path && !bounds(x.Fields[0].Name):
			default:
				return x
			}
		}
	}
	return nil
}

// checkShapes refuses documents whose value at a 2dsphere index field is not a shape.
func checkShapes(x *store.Index, key bson.Raw) func(bson.Raw) error {
	var fields []path.Path
	for i, f := range x.Fields {
		if e, _ := key.Index(i); value.Text(e.Value) == "2dsphere" {
			fields = append(fields, f.Path)
		}
	}
	return func(doc bson.Raw) (err error) {
		for _, p := range fields {
			p.Each(doc, path.Whole, func(v bson.RawValue, _ int) bool {
				err = checkShape(doc, v)
				return err == nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func checkShape(doc bson.Raw, v bson.RawValue) error {
	if value.IsNullish(v) {
		return nil
	}
	s, err := geo.Parse(v)
	if err == nil {
		err = s.Valid()
	}
	if list := value.Elements(v); err != nil && len(list) > 0 && !number.Is(list[0].Type) {
		for _, e := range list {
			if _, err = geo.Parse(e); err != nil {
				break
			}
		}
	}
	if err == nil || v.Type == bsontype.Array && len(v.Value) <= 5 {
		return nil
	}
	return status.Errorf(16755, "Can't extract geo keys: %s  %s", status.Text(doc), status.From(err).Message)
}

// flatPointError is the error for an array that is no point of a 2d index.
func flatPointError(list []bson.RawValue, v bson.RawValue) error {
	switch {
	case !number.Is(list[0].Type):
		return status.Errorf(16804, "location object expected, location array not in correct format")
	case len(list) == 1:
		return status.Errorf(13068, "geo field only has 1 element")
	}
	return status.Errorf(13026, "geo values must be 'legacy coordinate pairs' for 2d indexes: %s", status.TextOf(v))
}

// checkRange refuses documents with a point outside the range of a 2d index. Its bounds belong to the range.
func checkRange(key, spec bson.Raw) func(bson.Raw) error {
	low, high := -180.0, 180.0
	if v := spec.Lookup("min"); !v.IsZero() {
		low = number.Float64(v)
	}
	if v := spec.Lookup("max"); !v.IsZero() {
		high = number.Float64(v)
	}
	var fields []path.Path
	for name, v := range key.All() {
		if value.Text(v) == "2d" {
			fields = append(fields, path.Parse(name))
		}
	}
	in := func(v bson.RawValue) error {
		p, err := geo.Legacy(v)
		if list := value.Elements(v); v.Type == bsontype.Array && len(list) > 0 && err != nil {
			return flatPointError(list, v)
		}
		if err != nil || p.X >= low && p.X <= high && p.Y >= low && p.Y <= high {
			return nil
		}
		return status.Errorf(13027, "point not in interval of [ %g, %g ] :: caused by :: %s", low, high, status.TextOf(v))
	}
	return func(doc bson.Raw) (err error) {
		for _, p := range fields {
			p.Each(doc, path.Whole, func(v bson.RawValue, _ int) bool {
				list := value.Elements(v)
				isList := v.Type == bsontype.Array
				if !isList || len(list) > 0 && list[0].Type != bsontype.Array && list[0].Type != bsontype.EmbeddedDocument {
					err = in(v)
					return err == nil
				}
				for _, e := range value.Elements(v) {
					if err = in(e); err != nil {
						return false
					}
				}
				return true
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
