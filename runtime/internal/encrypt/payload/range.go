package payload

import (
	"errors"
	"fmt"
	"math"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/bsontype"
	"github.com/specdrivers/onion/generated/core/analysis"
	"github.com/specdrivers/onion/generated/core/encryption"
	"github.com/specdrivers/onion/runtime/internal/encrypt/ranges"
)

// sparsity returns the sparsity in the placeholder, or the default.
func (s *sealer) sparsity() (int64, error) {
	switch {
	case s.Sparsity == nil:
		return defaultSparsity, nil
	case *s.Sparsity < 1:
		return 0, errors.New("encrypt: sparsity must be 1 or larger")
	}
	return *s.Sparsity, nil
}

// insertRange makes a payload of a value that is searched for in ranges.
func (s *sealer) insertRange() ([]byte, error) {
	doc, ok := s.Value.DocumentOK()
	if !ok {
		return nil, errors.New("encrypt: a placeholder of a range does not hold a document")
	}
	spec, err := encryption.ParseRangeInsert(doc)
	if err != nil {
		return nil, err
	}
	d, err := newDomain(spec.Value.Type, spec.Min, spec.Max, spec.Precision)
	if err != nil {
		return nil, err
	}
	sparsity, err := s.sparsity()
	if err != nil {
		return nil, err
	}
	n, top, err := d.encode(spec.Value)
	if err != nil {
		return nil, err
	}
	trim, err := ranges.TrimFactor(spec.TrimFactor, top)
	if err != nil {
		return nil, err
	}
	edges, err := ranges.Edges(n, top, sparsity, trim)
	if err != nil {
		return nil, err
	}
	return s.insertEdges(spec, d, edges, sparsity, int32(trim))
}

func (s *sealer) insertEdges(spec encryption.RangeInsert, d domain, edges []string, sparsity int64, trim int32) ([]byte, error) {
	s.Value = spec.Value
	set, err := s.deriveSet(s.plain, spec.Value.Value, 0)
	if err != nil {
		return nil, err
	}
	p, err := s.newInsert(set)
	if err != nil {
		return nil, err
	}
	leaf := 0
	if edges[0] == ranges.Root {
		leaf = 1
	}
	p.Edges = make([]encryption.TokenSet, len(edges))
	for i, edge := range edges {
		mark := byte(0)
		if i == leaf {
			mark = 1
		}
		if p.Edges[i], err = s.deriveSet(s.plain, []byte(edge), mark); err != nil {
			return nil, err
		}
	}
	p.Sparsity, p.Precision, p.TrimFactor, p.Min, p.Max = &sparsity, spec.Precision, &trim, d.min, d.max
	return p.Append(s.dst), nil
}

// findRange makes a payload that searches for a range, or the stub for the range's second end.
func (s *sealer) findRange() ([]byte, error) {
	doc, ok := s.Value.DocumentOK()
	if !ok {
		return nil, errors.New("encrypt: a placeholder of a range does not hold a document")
	}
	spec, err := encryption.ParseRangeFind(doc)
	if err != nil {
		return nil, err
	}
	p := encryption.FindRange{PayloadID: spec.PayloadID, FirstOperator: spec.FirstOperator, SecondOperator: spec.SecondOperator}
	if spec.Edges == nil {
		return p.Append(s.dst), nil
	}
	sparsity, err := s.sparsity()
	if err != nil {
		return nil, err
	}
	cover, trim, err := coverRange(*spec.Edges, sparsity)
	if err != nil {
		return nil, err
	}
	p.Tokens = &encryption.RangeTokens{Edges: make([]encryption.FindTokens, len(cover)), MaxContention: s.MaxContention}
	for i, edge := range cover {
		p.Tokens.Edges[i] = s.plain.findTokens([]byte(edge))
	}
	p.Sparsity, p.Precision, p.TrimFactor = &sparsity, spec.Edges.Precision, &trim
	p.Min, p.Max = spec.Edges.IndexMin, spec.Edges.IndexMax
	return p.Append(s.dst), nil
}

// coverRange returns the fewest nodes that cover a range, and the trim factor that was used.
func coverRange(e encryption.RangeEdges, sparsity int64) (cover []string, trim int32, err error) {
	d, err := newDomain(e.IndexMin.Type, e.IndexMin, e.IndexMax, e.Precision)
	if err != nil {
		return nil, 0, err
	}
	// An open end reaches to the end of the index, which is in the range.
	if isInfinite(e.LowerBound) {
		e.LowerBound, e.LowerIncluded = e.IndexMin, true
	}
	if isInfinite(e.UpperBound) {
		e.UpperBound, e.UpperIncluded = e.IndexMax, true
	}
	if err := checkBounds(e); err != nil {
		return nil, 0, err
	}
	lower, top, err := d.encode(e.LowerBound)
	if err != nil {
		return nil, 0, err
	}
	upper, _, err := d.encode(e.UpperBound)
	if err != nil {
		return nil, 0, err
	}
	used, err := ranges.TrimFactor(e.TrimFactor, top)
	if err != nil {
		return nil, 0, err
	}
	if lower, upper, err = ranges.Bounds(lower, upper, top, e.LowerIncluded, e.UpperIncluded); err != nil {
		return nil, 0, err
	}
	cover, err = ranges.MinCover(lower, upper, top, sparsity, used)
	return cover, int32(used), err
}

// isInfinite reports whether a bound is an open end: an infinite double, whatever the type of the index.
func isInfinite(v bson.RawValue) bool {
	f, ok := v.DoubleOK()
	return ok && math.IsInf(f, 0)
}

// checkBounds refuses ranges outside their index.
func checkBounds(e encryption.RangeEdges) error {
	for _, v := range []bson.RawValue{e.LowerBound, e.UpperBound} {
		if v.Type != e.IndexMin.Type {
			return fmt.Errorf("encrypt: a bound of a range has type %s, and the index has type %s", v.Type, e.IndexMin.Type)
		}
	}
	bounded := e.Precision != nil || e.IndexMin.Type != bsontype.Double && e.IndexMin.Type != bsontype.Decimal128
	above, below := compare(e.LowerBound, e.IndexMax), compare(e.UpperBound, e.IndexMin)
	switch { // no error quotes the values, which are to be encrypted
	case compare(e.LowerBound, e.UpperBound) > 0:
		return errors.New("encrypt: " + analysis.RangeOrder())
	case !bounded:
	case above > 0 && e.LowerIncluded:
		return errors.New("encrypt: " + analysis.LowerBoundIncluded())
	case above >= 0 && !e.LowerIncluded:
		return errors.New("encrypt: " + analysis.LowerBoundExcluded())
	case below < 0 && e.UpperIncluded:
		return errors.New("encrypt: " + analysis.UpperBoundIncluded())
	case below <= 0 && !e.UpperIncluded:
		return errors.New("encrypt: " + analysis.UpperBoundExcluded())
	}
	return nil
}
