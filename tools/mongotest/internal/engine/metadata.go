package engine

import (
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
)

// checkMeta refuses metadata that the query does not provide.
func checkMeta(m *expr.Metadata, f *query.Filter, o *order.Order) error {
	if o != nil {
		for _, by := range o.Fields {
			if by.Meta != "" {
				m.Want(by.Meta)
			}
		}
	}
	switch {
	case m.Wants(expr.TextScore) && f.Text() == nil:
		return expr.Missing(expr.TextScore)
	case m.Wants(expr.GeoDistance) && f.Near() == nil && !m.Has(expr.GeoDistance):
		return expr.Missing(expr.GeoDistance)
	case m.Wants(expr.GeoPoint) && f.Near() == nil && !m.Has(expr.GeoPoint):
		return expr.Missing(expr.GeoPoint)
	}
	return nil
}
