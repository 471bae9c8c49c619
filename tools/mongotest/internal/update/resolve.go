package update

import (
	"strconv"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// changes returns the update's changes, with $, $[] and $[identifier] replaced by positions.
func (a *application) changes() ([]change, error) {
	u := a.update
	if !u.dynamic {
		return u.changes, nil
	}
	var out []change
	for i := range u.changes {
		c := u.changes[i]
		if c.run.insert && !a.in.Insert {
			continue
		}
		paths, err := a.expand(c.path, 0)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			c.path = p
			out = append(out, c)
		}
	}
	u.arrange(out)
	for i := 1; i < len(out); i++ {
		p, q := out[i-1].path, out[i].path
		if n := sharedComponents(p, q); n == len(p) || n == len(q) {
			return nil, status.Errorf(errcode.ConflictingUpdateOperators, "Update created a conflict at '%s'", p[:n])
		}
	}
	return out, nil
}

func (a *application) expand(p path.Path, from int) ([]path.Path, error) {
	for i := from; i < len(p); i++ {
		switch {
		case p[i] == "$":
			if a.in.Position < 0 {
				return nil, status.Errorf(errcode.BadValue, "The positional operator did not find the match needed from the query.")
			}
			p = replaceAt(p, i, a.in.Position)
		case isArrayFilter(p[i]):
			return a.expandAll(p, i)
		}
	}
	return []path.Path{p}, nil
}

// replaceAt returns the path with component i replaced by a position.
func replaceAt(p path.Path, i, position int) path.Path {
	return append(append(p[:i:i], strconv.Itoa(position)), p[i+1:]...)
}

// expandAll expands the $[] or $[identifier] at component i over the array at that place.
func (a *application) expandAll(p path.Path, i int) ([]path.Path, error) {
	v := a.root.reach(p[:i]).old
	if v.IsZero() {
		return nil, status.Errorf(errcode.BadValue, "The path '%s' must exist in the document in order to apply array updates.", p[:i])
	}
	if v.Type != bsontype.Array {
		return nil, status.Errorf(errcode.BadValue, "Cannot apply array updates to non-array element %s: %s", p[i-1], status.TextOf(v))
	}
	identifier := identifierIn(p[i])
	var out []path.Path
	for n, e := range value.Elements(v) {
		if identifier != "" {
			if ok, err := a.isAccepted(identifier, e); err != nil || !ok {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		paths, err := a.expand(replaceAt(p, i, n), i+1)
		if err != nil {
			return nil, err
		}
		out = append(out, paths...)
	}
	return out, nil
}

// isAccepted reports whether an element matches an array filter.
func (a *application) isAccepted(identifier string, e bson.RawValue) (bool, error) {
	wrapped, start := bson.AppendDocumentStart(nil)
	wrapped = bson.AppendRawValueElement(wrapped, identifier, e)
	return a.update.filters[identifier].Match(bson.AppendDocumentEnd(wrapped, start))
}
