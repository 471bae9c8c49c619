package geo_test

import (
	"math"
	"strings"
	"testing"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/geo"
)

func parseShape(t testing.TB, s string) geo.Shape {
	t.Helper()
	d, err := bson.ExtJSONToRaw([]byte(strings.ReplaceAll(s, "'", `"`)), false)
	if err != nil {
		t.Fatal(err)
	}
	out, err := geo.Parse(bson.RawValue{Type: 3, Value: d})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parsePolygon(t testing.TB, ring string) geo.Shape {
	return parseShape(t, `{'type':'Polygon','coordinates':[`+ring+`]}`)
}

func TestDistances(t *testing.T) {
	for _, test := range []struct {
		name  string
		shape string
		from  geo.Point
		want  float64 // in degrees
	}{
		{"along the equator", `{'type':'Point','coordinates':[0,0]}`, geo.Point{X: 90}, 90},
		{"across the date line", `{'type':'Point','coordinates':[179,0]}`, geo.Point{X: -179}, 2},
		{"over the pole", `{'type':'Point','coordinates':[0,80]}`, geo.Point{X: 180, Y: 80}, 20},
		{"to a line", `{'type':'LineString','coordinates':[[0,-10],[0,10]]}`, geo.Point{X: 3}, 3},
		{"to the end of a line", `{'type':'LineString','coordinates':[[0,1],[0,10]]}`, geo.Point{}, 1},
		{"to a polygon from inside", `{'type':'Polygon','coordinates':[[[-1,-1],[1,-1],[1,1],[-1,1],[-1,-1]]]}`, geo.Point{}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parseShape(t, test.shape)
			if got := s.Distance(test.from) * 180 / math.Pi; math.Abs(got-test.want) > 1e-9 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestPolygonsOfTheSphere(t *testing.T) {
	for _, test := range []struct {
		name string
		ring string
		in   geo.Point
		want bool
	}{
		{"across the date line", `[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]`, geo.Point{X: 180}, true},
		{"on the other side of the earth", `[[170,-10],[-170,-10],[-170,10],[170,10],[170,-10]]`, geo.Point{}, false},
		{"around the pole", `[[0,80],[90,80],[180,80],[-90,80],[0,80]]`, geo.Point{X: 33, Y: 90}, true},
		{"the other pole", `[[0,80],[90,80],[180,80],[-90,80],[0,80]]`, geo.Point{X: 33, Y: -90}, false},
		{"an arc bends to the pole", `[[0,0],[60,40],[0,40],[0,0]]`, geo.Point{X: 30, Y: 42}, true},
		{"the direction of the ring does not matter", `[[0,0],[0,10],[10,10],[10,0],[0,0]]`, geo.Point{X: 5, Y: 5}, true},
		{"a corner", `[[0,0],[10,0],[10,10],[0,10],[0,0]]`, geo.Point{X: 10, Y: 10}, true},
		{"a bay", `[[0,0],[10,0],[10,10],[5,1],[0,10],[0,0]]`, geo.Point{X: 5, Y: 5}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := parsePolygon(t, test.ring)
			if got := s.Has(test.in); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestIntersections(t *testing.T) {
	cross := parseShape(t, `{'type':'LineString','coordinates':[[-1,0],[1,0]]}`)
	for _, test := range []struct {
		name, shape string
		want        bool
	}{
		{"a line that crosses", `{'type':'LineString','coordinates':[[0,-1],[0,1]]}`, true},
		{"a line that touches", `{'type':'LineString','coordinates':[[0,0],[0,1]]}`, true},
		{"a line beside it", `{'type':'LineString','coordinates':[[-1,1],[1,1]]}`, false},
		{"a line at the antipodes", `{'type':'LineString','coordinates':[[180,-1],[180,1]]}`, false},
		{"a point on it", `{'type':'Point','coordinates':[0.5,0]}`, true},
		{"a polygon around it", `{'type':'Polygon','coordinates':[[[-5,-5],[5,-5],[5,5],[-5,5],[-5,-5]]]}`, true},
		{"a collection", `{'type':'GeometryCollection','geometries':[{'type':'Point','coordinates':[9,9]},{'type':'MultiPoint','coordinates':[[8,8],[1,0]]}]}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			other := parseShape(t, test.shape)
			if got := cross.Intersects(&other); got != test.want || other.Intersects(&cross) != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A shape may touch the border of the region that contains it, at corners and along edges.
func TestContainment(t *testing.T) {
	const (
		square = `[[0,0],[30,0],[30,30],[0,30],[0,0]]`
		slope  = `[[-73.99,40.75],[-73.98,40.76],[-73.97,40.74],[-73.985,40.735],[-73.99,40.75]]`
		bay    = `[[0,0],[30,0],[30,30],[15,5],[0,30],[0,0]]`
		holed  = `[[0,0],[30,0],[30,30],[0,30],[0,0]],[[10,10],[10,20],[20,20],[20,10],[10,10]]`
	)
	line := func(points string) string { return `{'type':'LineString','coordinates':` + points + `}` }
	area := func(rings string) string { return `{'type':'Polygon','coordinates':[` + rings + `]}` }
	for _, test := range []struct {
		name, region, shape string
		want                bool
	}{
		{"itself", square, area(square), true},
		{"itself, small and skewed", slope, area(slope), true},
		{"itself, the other way round", slope, area(`[[-73.99,40.75],[-73.985,40.735],[-73.97,40.74],[-73.98,40.76],[-73.99,40.75]]`), true},
		{"a corner", slope, `{'type':'Point','coordinates':[-73.98,40.76]}`, true},
		{"an edge", slope, line(`[[-73.99,40.75],[-73.98,40.76]]`), true},
		{"the border", slope, line(slope), true},
		{"a diagonal", square, line(`[[0,0],[30,30]]`), true},
		{"a part that shares a corner and edges", square, area(`[[0,0],[30,0],[15,15],[0,0]]`), true},
		{"along a meridian of the border", square, line(`[[0,0],[0,10]]`), true},
		{"across a bay between two corners", bay, line(`[[0,30],[30,30]]`), false},
		{"through a corner and out", bay, line(`[[5,5],[15,5],[29,20]]`), true},
		{"across the border", square, line(`[[15,15],[40,15]]`), false},
		{"around a hole", holed, area(`[[5,5],[25,5],[25,25],[5,25],[5,5]]`), false},
		{"beside a hole", holed, area(`[[1,1],[9,1],[9,9],[1,9],[1,1]]`), true},
		{"over a hole", holed, line(`[[5,15],[25,15]]`), false},
	} {
		region, s := parsePolygon(t, test.region), parseShape(t, test.shape)
		for _, flat := range []bool{false, true} {
			region.Flat = flat
			if got := region.Contains(&s); got != test.want {
				t.Errorf("%s, flat %v: %v", test.name, flat, got)
			}
		}
	}
}
