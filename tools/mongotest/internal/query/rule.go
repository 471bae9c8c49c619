package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// schema is a compiled $jsonSchema. Every rule must hold. A rule about a type that the value does not have always holds.
type schema []rule

type rule func(v bson.RawValue) bool

func (s schema) holds(v bson.RawValue) bool {
	for _, r := range s {
		if !r(v) {
			return false
		}
	}
	return true
}

// match applies a schema to a whole document.
func (s schema) match(_ *Match, doc bson.Raw) bool { return s.holds(value.Document(doc)) }
