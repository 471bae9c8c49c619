package engine

import (
	"math/rand/v2"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// documentKinds are the kinds of metadata that a query attaches to documents.
var documentKinds = [...]string{expr.TextScore, expr.GeoDistance, expr.GeoPoint, expr.RandomValue}

// note attaches the requested metadata to a document.
func (s *results) note(f found) {
	for _, kind := range documentKinds {
		if s.meta.Wants(kind) && s.meta.Of(f.rec.Doc, kind).IsZero() {
			s.meta.Set(f.rec.Doc, kind, s.metadata(f.rec.Doc, kind))
		}
	}
	if s.meta.Wants(expr.RecordNumber) {
		s.meta.Set(f.rec.Doc, expr.RecordNumber, recordID(s.walk.plan.c, f.rec))
	}
	if s.meta.Wants(expr.IndexKey) {
		if keyed, err := s.walk.plan.keyed(); err == nil && (s.walk.plan.index != nil || s.walk.plan.byID) {
			s.meta.Set(f.rec.Doc, expr.IndexKey, value.Document(keyed(f.rec.Doc)))
		}
	}
	if s.meta.Wants(expr.SortKey) && s.sortKey != nil {
		s.meta.Set(f.rec.Doc, expr.SortKey, value.ArrayOf(s.sortKey.Values(f.rec.Doc)...))
	}
}

// metadata computes a document's metadata.
func (s *results) metadata(d bson.Raw, kind string) bson.RawValue {
	switch p := s.walk.plan; {
	case kind == expr.TextScore && p.filter.Text() != nil:
		return value.Double(p.filter.Text().Score(d))
	case kind == expr.GeoDistance && p.near != nil:
		distance, _, _ := p.near.Distance(d)
		return value.Double(distance)
	case kind == expr.GeoPoint && p.near != nil:
		_, place, _ := p.near.Distance(d)
		return place
	case kind == expr.RandomValue:
		return value.Double(rand.Float64())
	}
	return bson.RawValue{}
}

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
