package query

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/fulltext"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

type compiler struct {
	options Options
	depth   int
	nested  int // how many $elemMatch are open; inside one, conditions do not concern the whole document
	nor     int // how many $nor are open
	search  *fulltext.Search

	// operator compiles one operator on a path, keyword one keyword of a schema. They are fields because what they call
	// compiles queries and schemas in turn.
	operator func(c *compiler, name, op string, v bson.RawValue, ops bson.Raw) (condition, error)
	keyword  func(c *compiler, keyword string, v bson.RawValue, d bson.Raw) (rule, error)
}

// depthMax limits the nesting of logical operators; componentsMax limits the length of a path.
const (
	depthMax      = 100
	componentsMax = 200
)

func errNotAllowed(code errcode.Code, what string) error {
	return status.Errorf(code, "%s is not allowed in this context", what)
}
