package agg

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
)

// windows is the stage $setWindowFields.
type windows struct {
	c       *compiler
	by      *expr.Node // nil for one partition
	order   *order.Order
	sortBy  bson.Raw
	outputs []windowOutput
}

// windowOutput is a field that a window function computes.
type windowOutput struct {
	path path.Path
	run  windowFunction
}

// windowFunction computes one value for each document of a sorted partition.
type windowFunction func(p *partition) ([]bson.RawValue, error)

// partition is the documents that a window function sees.
type partition struct {
	docs []bson.Raw
	keys []string // the fields that the documents are sorted by
}

// evaluateAll computes an expression for every document.
func (p *partition) evaluateAll(node expr.Node) ([]bson.RawValue, error) {
	out := make([]bson.RawValue, len(p.docs))
	for i, d := range p.docs {
		var err error
		if out[i], err = node.Eval(d); err != nil {
			return nil, err
		}
	}
	return out, nil
}
