package engine

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// appendPlanning appends what a server reports about the planning: how it caches the plan, and which of its limits were reached. Here
// none ever is.
func (x *explanation) appendPlanning(dst []byte) []byte {
	shape := shapeOf(joinConditions(listConditions(documentOrEmpty(x.filter))))
	if x.found.order != nil || x.cursor != "" {
		shape += " ordered"
	}
	hash := hashOf(shape)
	dst = bson.AppendStringElement(dst, "queryHash", hash)
	if x.r.WireVersion >= wire.Server80 {
		dst = bson.AppendStringElement(dst, "planCacheShapeHash", hash)
	}
	if x.c != nil {
		for _, index := range x.c.Indexes() {
			shape += " " + index.Name
		}
	}
	dst = bson.AppendStringElement(dst, "planCacheKey", hashOf(shape))
	if x.r.WireVersion >= wire.Server80 {
		dst = bson.AppendInt32Element(dst, "optimizationTimeMillis", 0)
	}
	if x.r.WireVersion >= wire.Server50 {
		for _, limit := range [...]string{"maxIndexedOrSolutionsReached", "maxIndexedAndSolutionsReached", "maxScansToExplodeReached"} {
			dst = bson.AppendBooleanElement(dst, limit, false)
		}
	}
	if x.r.WireVersion >= wire.Server80 {
		dst = bson.AppendBooleanElement(dst, "prunedSimilarIndexes", false)
	}
	return dst
}

// hashOf returns a hash as explain shows it.
func hashOf(text string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return fmt.Sprintf("%08X", h.Sum32())
}

// shapeOf returns a filter without its constants: filters with one shape share their plans.
func shapeOf(filter bson.Raw) string {
	var s strings.Builder
	for name, v := range filter.All() {
		s.WriteString(name)
		d, _ := v.DocumentOK()
		switch {
		case name == "$and" || name == "$or" || name == "$nor":
			for _, part := range value.Elements(v) {
				s.WriteString("(" + shapeOf(bson.Raw(part.Value)) + ")")
			}
		case name == "$not" || name == "$elemMatch" || !strings.HasPrefix(name, "$") && hasOperators(d):
			s.WriteString("(" + shapeOf(d) + ")")
		}
		s.WriteByte(' ')
	}
	return s.String()
}

func hasOperators(d bson.Raw) bool {
	first, ok := d.Index(0)
	return ok && strings.HasPrefix(first.Key, "$")
}
