package project

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
)

// Compile checks and compiles a projection.
func Compile(spec bson.Raw, o Options) (*Projection, error) {
	c := &compiler{options: o, spec: spec, root: &node{}}
	if o.find() && o.Scope.Wire() < wire.Server44 {
		var err error
		if c.spec, err = translateLegacy(spec, o.Filter); err != nil {
			return nil, err
		}
	}
	for name, v := range c.spec.All() {
		c.idNamed = c.idNamed || name == "_id" || strings.HasPrefix(name, "_id.")
		if err := c.compileElement(c.root, name, v); err != nil {
			return nil, err
		}
	}
	if c.mode == undecided {
		c.mode = c.modeOfAmbiguous()
	}
	switch {
	case c.mode == inclusion && !c.idNamed:
		c.root.child("_id").include = true
	case c.mode == exclusion && c.id == inclusion:
		delete(c.root.children, "_id")
	}
	return &Projection{root: c.root, mode: c.mode, after: c.after}, nil
}
