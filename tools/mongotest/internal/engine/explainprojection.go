package engine

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/tools/mongotest/internal/number"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// projectionStage returns the name of the stage that projects. A projection that only names fields is simple. It is covered, and
// no document is fetched, if the plan's index also has every field of the projection and the filter.
func (x *explanation) projectionStage(d bson.Raw) string {
	shown, includes := []string{"_id"}, false
	for name, v := range d.All() {
		if strings.Contains(name, ".") || v.Type != bsontype.Boolean && !number.Is(v.Type) {
			return "PROJECTION_DEFAULT"
		}
		switch {
		case name != "_id":
			shown, includes = append(shown, name), value.IsTruthy(v)
		case value.IsTruthy(v):
			includes = includes || d.Len() == 1
		default:
			shown = shown[1:]
		}
	}
	if !includes || x.c == nil || x.found.order != nil || !isCovered(x.found.walk.plan, shown, x.filter) {
		return "PROJECTION_SIMPLE"
	}
	x.covers = true
	return "PROJECTION_COVERED"
}

// isCovered reports whether an index has every field of the projection and the filter. An index stores null for a missing
// field too, and a collation's keys are not the strings themselves.
func isCovered(p *plan, shown []string, filter bson.Raw) bool {
	index := p.index
	if index == nil || p.byID || index.Multikey || index.Collation != nil {
		return false
	}
	holds := func(name string) bool {
		return slices.ContainsFunc(index.Fields, func(f store.Field) bool { return f.Name == name && !f.Hashed })
	}
	if _, docs := p.residualFilter(filter); docs.Len() > 0 {
		return false
	}
	return !slices.ContainsFunc(shown, func(name string) bool { return !holds(name) })
}
