package geo

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// The names of the coordinate systems. The last one is for queries: a polygon is what lies to the left of its border.
const (
	crsEPSG   = "EPSG:4326"
	crsOGC    = "urn:ogc:def:crs:OGC:1.3:CRS84"
	crsStrict = "urn:x-mongodb:crs:strictwinding:EPSG:4326"
)

// coordinateSystem reads the crs of a GeoJSON object.
func coordinateSystem(d bson.Raw) (strict bool, err error) {
	crs := path.Field(d, "crs")
	if crs.IsZero() {
		return false, nil
	}
	in, ok := crs.DocumentOK()
	properties, hasProperties := path.Field(in, "properties").DocumentOK()
	name := path.Field(properties, "name")
	switch {
	case !ok:
		return false, status.Errorf(errcode.BadValue, "GeoJSON CRS must be an object")
	case value.Text(path.Field(in, "type")) != "name":
		return false, status.Errorf(errcode.BadValue, "GeoJSON CRS must have field \"type\": \"name\"")
	case !hasProperties || name.Type != bsontype.String:
		return false, status.Errorf(errcode.BadValue, "GeoJSON CRS must have field \"properties\" with a name")
	}
	switch value.Text(name) {
	case crsEPSG, crsOGC:
		return false, nil
	case crsStrict:
		if value.Text(path.Field(d, "type")) != "Polygon" {
			return false, status.Errorf(errcode.BadValue, "Strict winding order is only supported by polygon")
		}
		return true, nil
	}
	return false, status.Errorf(errcode.BadValue, "Unknown CRS name: %s", value.Text(name))
}
