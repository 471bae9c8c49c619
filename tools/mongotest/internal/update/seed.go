package update

import (
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// notExactValueField is the error code for a query that names only a part of _id.
const notExactValueField errcode.Code = 111

// Seed returns the document that an upsert starts from. It has the fields that the query fixes to one value, or only
// the _id if a replacement follows. The fields are in the order of their paths.
func Seed(equalities []query.Equality, replacement bool) (bson.Raw, error) {
	var chosen []query.Equality
	for _, eq := range equalities {
		if replacement && eq.Path != "_id" {
			if strings.HasPrefix(eq.Path, "_id.") {
				return nil, status.Errorf(notExactValueField,
					"field at '_id' must be exactly specified, field at sub-path '%s'found", eq.Path)
			}
			continue
		}
		for _, other := range chosen {
			switch {
			case other.Path == eq.Path:
				return nil, status.Errorf(errcode.NotSingleValueField,
					"cannot infer query fields to set, path '%s' is matched twice", eq.Path)
			case strings.HasPrefix(eq.Path, other.Path+"."):
				return nil, status.Errorf(errcode.NotSingleValueField,
					"cannot infer query fields to set, both paths '%s' and '%s' are matched", eq.Path, other.Path)
			}
		}
		chosen = append(chosen, eq)
	}
	slices.SortFunc(chosen, func(a, b query.Equality) int { return strings.Compare(a.Path, b.Path) })
	root := newLevel(nil, false)
	for _, eq := range chosen {
		p := path.Parse(eq.Path)
		s := root.reach(p)
		if s.depth > 0 && !s.canCreateRest() {
			return nil, status.Errorf(errcode.PathNotViable,
				"cannot use the part (%s of %s) to traverse the element ({%s})", p[s.depth-1], eq.Path, s.stopText())
		}
		if err := s.make(p, eq.Value); err != nil {
			return nil, err
		}
	}
	return bson.Raw(root.encode().Value), nil
}
