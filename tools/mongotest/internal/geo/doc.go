// Package geo is the geometry of geospatial queries. It reads GeoJSON objects and legacy points, tests whether shapes
// contain or intersect each other, and measures distances.
//
// GeoJSON lies on a sphere, where lines are arcs of great circles. The legacy shapes $box, $polygon and $center lie on
// a flat map. A polygon is the smaller of the two parts into which its ring divides the sphere. Left out are polygons
// of a custom reference system that are larger than a hemisphere, and the grid of cells that a server uses for lookups.
package geo
