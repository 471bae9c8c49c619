package update

import (
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// claim reserves the place of a path, and records the array filters that it names.
func (p *parser) claim(at path.Path) error {
	current := p.root
	for i, f := range at {
		if err := p.checkFilter(at, i); err != nil {
			return err
		}
		want := taken
		if i < len(at)-1 {
			if want = fields; isArrayFilter(at[i+1]) {
				want = positions
			}
		}
		child := current.children[f]
		switch {
		case child == nil:
			child = &place{kind: want}
			if current.children == nil {
				current.children = map[string]*place{}
			}
			current.children[f] = child
		case child.kind != want || want == taken:
			return status.Errorf(errcode.ConflictingUpdateOperators, "Updating the path '%s' would create a conflict at '%s'", at, at[:i+1])
		}
		current = child
	}
	return nil
}

// checkFilter checks component i if it is an array filter, which can match several positions.
func (p *parser) checkFilter(at path.Path, i int) error {
	if !isArrayFilter(at[i]) {
		return nil
	}
	p.update.dynamic = true
	identifier := identifierIn(at[i])
	switch {
	case i == 0:
		return status.Errorf(errcode.BadValue,
			"Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '%s'", at)
	case identifier != "" && p.update.filters[identifier] == nil:
		return status.Errorf(errcode.BadValue, "No array filter found for identifier '%s' in path '%s'", identifier, at)
	}
	p.used[identifier] = true
	return nil
}
