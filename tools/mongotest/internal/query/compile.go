package query

import (
	"github.com/specdrivers/onion/bson"
)

// Compile checks and compiles a query document.
func Compile(filter bson.Raw, o Options) (*Filter, error) {
	c := &compiler{options: o, operator: (*compiler).compileOperator, keyword: (*compiler).compileKeyword}
	root, err := c.document(filter)
	if err != nil {
		return nil, err
	}
	return &Filter{root: root, collation: o.Collation, raw: filter, check: o.Scope.Check(), text: c.search, wire: o.Scope.Wire()}, nil
}
