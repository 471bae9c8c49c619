// Package geo is the geometry of geospatial queries: GeoJSON objects and legacy points, which of them lie in which, which
// meet, and how far apart they are.
//
// GeoJSON lies on a sphere, where lines are arcs of great circles; the legacy shapes $box, $polygon and $center lie on a flat
// map. A polygon is the smaller part of the sphere that its ring cuts off. Left out: polygons of a custom reference
// system that are larger than a hemisphere, and the grid of cells in which a server looks things up.
package geo
