package engine

import (
	"math"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/geo"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

var geoNearFields = []field{
	{"near", 0, anything}, {"distanceField", 0, anything}, {"spherical", 0, anything}, {"maxDistance", 0, anything},
	{"minDistance", 0, anything},
	{"query", 0, document}, {"distanceMultiplier", 0, anything}, {"includeLocs", 0, anything}, {"key", 0, anything},
	{"uniqueDocs", 0, anything}, {"limit", 0, anything}, {"num", 0, anything}, {"start", 0, anything},
}

// geoNear is $geoNear: the documents around a point with their distances, nearest first.
func (x *access) geoNear(spec bson.Raw) ([]bson.Raw, error) {
	a, err := x.r.parseStatement("$geoNear", spec, geoNearFields)
	if err != nil {
		return nil, err
	}
	at, err := x.nearPoint(a)
	if err != nil {
		return nil, err
	}
	low, err := x.nearLimit(a, "minDistance", 7555701)
	if err != nil {
		return nil, err
	}
	high, err := x.nearLimit(a, "maxDistance", 7555702)
	if err != nil {
		return nil, err
	}
	if err := checkGeoNear(a); err != nil || x.target == nil {
		return nil, err
	}
	distanceField, locs := a.text("distanceField"), a.text("includeLocs")
	key, err := geoKey(x.target, a.text("key"))
	if err != nil {
		return nil, err
	}
	near, err := query.NewNear(key, at, a.bool("spherical") || geo.IsGeoJSON(at), low, high)
	if err != nil {
		return nil, err
	}
	f, err := query.Compile(documentOrEmpty(a.document("query")), query.Options{Scope: x.scope, Collation: x.scope.Collation, NoNear: true})
	if err != nil {
		return nil, err
	}
	factor := 1.0
	if a.has("distanceMultiplier") {
		factor = number.Float64(a.get("distanceMultiplier"))
	}
	return x.sortByDistance(near, f, func(d bson.Raw, distance float64, place bson.RawValue) bson.Raw {
		d = agg.Put(d, path.Parse(distanceField), value.Double(distance*factor))
		if locs != "" {
			d = agg.Put(d, path.Parse(locs), place)
		}
		x.scope.Meta.Set(d, expr.GeoDistance, value.Double(distance))
		x.scope.Meta.Set(d, expr.GeoPoint, place)
		return d
	})
}

// nearPoint evaluates near, which since 5.1 may be an expression without fields.
func (x *access) nearPoint(a *args) (bson.RawValue, error) {
	at := a.get("near")
	old := x.scope.Wire() < wire.Server51
	switch {
	case at.IsZero() && !old:
		return at, status.Errorf(5860400, "$geoNear requires a 'near' argument")
	case !at.IsZero():
		var err error
		if at, err = evaluateConstant(at, x.scope, 5860402, "$geoNear requires a constant near argument"); err != nil {
			return at, err
		}
	}
	switch {
	case at.Type == bsontype.Array, at.Type == bsontype.EmbeddedDocument:
		return at, nil
	case old:
		return at, status.Errorf(16605, "$geoNear requires a 'near' option as an Array")
	}
	return at, status.Errorf(5860401, "$geoNear requires 'near' to evaluate to a point, found %s", value.TypeName(at))
}

// nearLimit evaluates a distance, which is an expression without fields.
func (x *access) nearLimit(a *args, name string, code errcode.Code) (bson.RawValue, error) {
	if !a.has(name) {
		return bson.RawValue{}, nil
	}
	v, err := evaluateConstant(a.get(name), x.scope, code, "$geoNear requires $"+name+" to evaluate to a constant number")
	if err == nil && !number.Is(v.Type) {
		err = status.Errorf(code, "$geoNear requires $%s to evaluate to a constant number", name)
	}
	return v, err
}

// checkGeoNear refuses the options of old servers, and values of wrong types.
func checkGeoNear(a *args) error {
	isText := func(name string) bool { return !a.has(name) || a.get(name).Type == bsontype.String }
	multiplier := a.get("distanceMultiplier")
	switch {
	case a.has("start"):
		return status.Errorf(50856, "$geoNear no longer supports the 'start' argument.")
	case a.has("num"):
		return status.Errorf(50857, "$geoNear no longer supports the 'num' parameter. Use a $limit stage instead.")
	case a.has("limit"):
		return status.Errorf(50858, "$geoNear no longer supports the 'limit' parameter. Use a $limit stage instead.")
	case !a.has("distanceField"), !isText("distanceField"), a.text("distanceField") == "":
		return status.Errorf(16606, "$geoNear requires a 'distanceField' option as a String")
	case !isText("includeLocs"):
		return status.Errorf(16607, "$geoNear requires that 'includeLocs' option is a String")
	case !isText("key"):
		return status.Errorf(errcode.TypeMismatch, "$geoNear parameter 'key' must be of type string but found type: %s", a.get("key").Type)
	case a.has("key") && a.text("key") == "":
		return status.Errorf(errcode.BadValue, "$geoNear parameter 'key' cannot be the empty string")
	case a.has("distanceMultiplier") && !number.Is(multiplier.Type):
		return status.Errorf(errcode.TypeMismatch, "$geoNear requires a distanceMultiplier that is a number, found %s", multiplier.Type)
	case a.has("distanceMultiplier") && !(number.Float64(multiplier) >= 0):
		return status.Errorf(errcode.BadValue, "$geoNear requires a non-negative distanceMultiplier argument")
	}
	return nil
}

// nearFilter returns the query that a pipeline's first stage $geoNear makes, for explain. It is nil if that stage is another one, or
// if its point is an expression.
func nearFilter(c *store.Collection, stages []bson.RawValue) bson.Raw {
	if len(stages) == 0 || c == nil {
		return nil
	}
	spec, ok := bson.Raw(stages[0].Value).Lookup("$geoNear").DocumentOK()
	at := spec.Lookup("near")
	key, err := geoKey(c, value.Text(spec.Lookup("key")))
	if !ok || err != nil || at.Type != bsontype.Array && !geo.IsGeoJSON(at) {
		return nil
	}
	op := "$near"
	if geo.IsGeoJSON(at) || value.IsTruthy(spec.Lookup("spherical")) {
		op = "$nearSphere"
	}
	dst, start := bson.AppendDocumentStart(nil)
	dst, field := bson.AppendDocumentElementStart(dst, key)
	inner := -1
	if geo.IsGeoJSON(at) {
		dst, inner = bson.AppendDocumentElementStart(dst, op)
		op = "$geometry"
	}
	dst = bson.AppendRawValueElement(dst, op, at)
	for _, limit := range [...]string{"minDistance", "maxDistance"} {
		if v := spec.Lookup(limit); !v.IsZero() {
			dst = bson.AppendRawValueElement(dst, "$"+limit, v)
		}
	}
	if inner >= 0 {
		dst = bson.AppendDocumentEnd(dst, inner)
	}
	dst = bson.AppendDocumentEnd(dst, field)
	if query, _ := spec.Lookup("query").DocumentOK(); query.Len() > 0 {
		dst = bson.AppendRawValueElement(dst, "$and", value.ArrayOf(value.Document(query)))
	}
	return bson.AppendDocumentEnd(dst, start)
}

// evaluateConstant evaluates an argument that depends on no document. One that does is refused with the code.
func evaluateConstant(v bson.RawValue, scope *expr.Scope, code errcode.Code, refusal string) (bson.RawValue, error) {
	if v.Type == bsontype.Array {
		return v, nil
	}
	node, err := expr.Compile(v, scope)
	if err != nil {
		return v, err
	}
	if !node.Constant() {
		return v, status.Errorf(code, "%s", refusal)
	}
	return node.Eval(value.EmptyDocument)
}

// geoKey returns the field that $geoNear searches: the one it names, or the field of the only geospatial index.
func geoKey(c *store.Collection, named string) (string, error) {
	var fields []string
	for _, kind := range [...]string{"2d", "2dsphere"} {
		n := 0
		for _, x := range c.Indexes() {
			if kindOfIndex(x) != kind || named != "" && !slices.Contains(geoFields(x), named) {
				continue
			}
			n++
			fields = append(fields, geoFields(x)...)
		}
		if n > 1 && named == "" {
			return "", status.Errorf(errcode.IndexNotFound,
				"There is more than one %s index on %s; unsure which to use for $geoNear", kind, c.Namespace())
		}
	}
	switch {
	case len(fields) == 0:
		return "", status.Errorf(errcode.IndexNotFound, "$geoNear requires a 2d or 2dsphere index, but none were found")
	case named != "":
		return named, nil
	}
	return fields[0], nil
}

// sortByDistance sorts the documents of the pipeline's collection by distance.
func (x *access) sortByDistance(
	near *query.Near, f *query.Filter, shape func(bson.Raw, float64, bson.RawValue) bson.Raw,
) ([]bson.Raw, error) {
	type found struct {
		doc      bson.Raw
		distance float64
	}
	var list []found
	for scan := x.target.Scan(0); ; {
		r := scan.Next()
		if r == nil {
			break
		}
		distance, place, ok := near.Distance(r.Doc)
		if !ok {
			continue
		}
		if ok, err := f.Match(r.Doc); err != nil {
			return nil, err
		} else if ok {
			list = append(list, found{shape(r.Doc, distance, place), distance})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance || math.IsNaN(a.distance):
			return 1
		}
		return 0
	})
	docs := make([]bson.Raw, len(list))
	for i := range list {
		docs[i] = list[i].doc
	}
	return docs, nil
}
