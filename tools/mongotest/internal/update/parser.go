package update

import (
	"strings"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// parser reads the operators of an update document in order.
type parser struct {
	update *Update
	used   map[string]bool // the identifiers of array filters that occur in paths
	root   *place
}

// place is one component of the paths that an update names. Two operators must not target the same place, or one place
// below the other.
type place struct {
	children map[string]*place
	kind     kind
}

// kind says how a path uses a place.
type kind uint8

const (
	fields    kind = iota // a path continues with names and positions
	positions             // a path continues with $[] or $[identifier]
	taken                 // a path ends here
)

// readPath reads a path and refuses paths that no update may name.
func (p *parser) readPath(name string) (path.Path, error) {
	if name == "" {
		return nil, status.Errorf(errcode.EmptyFieldName, "An empty update path is not valid.")
	}
	at := path.Parse(name)
	positional := 0
	for _, f := range at {
		switch {
		case f == "":
			return nil, status.Errorf(errcode.EmptyFieldName,
				"The update path '%s' contains an empty field name, which is not allowed.", name)
		case f == "$":
			positional++
		case strings.HasPrefix(f, "$") && !isArrayFilter(f) && !p.update.options.isModern() && !isOfReference(f):
			return nil, p.update.options.refuseDollar(f, name)
		}
	}
	switch {
	case positional > 1:
		return nil, status.Errorf(errcode.BadValue, "Too many positional (i.e. '$') elements found in path '%s'", name)
	case at[0] == "$":
		return nil, status.Errorf(errcode.BadValue, "Cannot have positional (i.e. '$') element in the first position in path '%s'", name)
	}
	p.update.dynamic = p.update.dynamic || positional > 0
	return at, nil
}
