package engine

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/expr"
	"github.com/specdrivers/onion/tools/mongotest/internal/interrupt"
	"github.com/specdrivers/onion/tools/mongotest/internal/order"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
	"github.com/specdrivers/onion/tools/mongotest/internal/value"
)

// documents yields a list.
type documents struct{ list []bson.Raw }

func (s *documents) next() (bson.Raw, error) {
	if len(s.list) == 0 {
		return nil, nil
	}
	d := s.list[0]
	s.list = s.list[1:]
	return d, nil
}

func (s *documents) hasEnded() bool { return len(s.list) == 0 }

// results yields the documents that a plan finds, projected, within skip and limit.
type results struct {
	walk       *matches
	order      *order.Order // nil when the walk already has the order
	skip       int64
	limit      int64 // negative means no limit
	projection *project.Projection
	keyed      func(bson.Raw) bson.Raw // for returnKey
	placed     bool                    // for showRecordId
	meta       *expr.Metadata          // the metadata that $meta asks for

	sortKey *order.Order // the requested order, whichever step provides it

	sorted []found
	ready  bool
	given  int64
}

// found is a document and the array position that its query matched.
type found struct {
	rec      *store.Record
	key      string
	position int
}

func (s *results) next() (bson.Raw, error) {
	if s.limit >= 0 && s.given >= s.limit {
		return nil, nil
	}
	for {
		f, ok, err := s.nextRaw()
		if !ok || err != nil {
			return nil, err
		}
		if s.skip > 0 {
			s.skip--
			continue
		}
		s.given++
		return s.shape(f)
	}
}

// shape returns the document in the form that the command returns.
func (s *results) shape(f found) (d bson.Raw, err error) {
	d = f.rec.Doc
	if s.meta.Wants("") {
		s.note(f)
		if s.meta.Once {
			defer s.meta.Forget(f.rec.Doc)
		}
	}
	switch {
	case s.keyed != nil:
		d = s.keyed(d)
	case s.projection != nil:
		if d, err = s.projection.Apply(d, f.position); err != nil {
			return nil, err
		}
	}
	if s.placed && s.keyed == nil {
		d = addNumber(d, recordID(s.walk.plan.c, f.rec))
	}
	return d, nil
}

func (s *results) hasEnded() bool { return s.limit >= 0 && s.given >= s.limit }

// nextRaw returns the next document before skip, limit and projection.
func (s *results) nextRaw() (f found, ok bool, err error) {
	if s.order == nil && s.walk.plan.near == nil {
		r, err := s.walk.next()
		if r == nil || err != nil {
			return found{}, false, err
		}
		return found{rec: r, position: s.walk.m.Position}, true, nil
	}
	if !s.ready {
		if err := s.sort(); err != nil {
			return found{}, false, err
		}
	}
	if len(s.sorted) == 0 {
		return found{}, false, nil
	}
	f = s.sorted[0]
	s.sorted = s.sorted[1:]
	return f, true, nil
}

// key returns the sort key of a document: its sort fields, or its distance.
func (s *results) key(d bson.Raw) (string, error) {
	if s.order != nil {
		for _, f := range s.order.Fields {
			if f.Meta != "" {
				s.meta.Set(d, f.Meta, s.metadata(d, f.Meta))
			}
		}
		return s.order.Key(d)
	}
	distance, _, _ := s.walk.plan.near.Distance(d)
	return string(binary.BigEndian.AppendUint64(nil, math.Float64bits(distance))), nil
}

func (s *results) sort() error {
	s.ready = true
	for {
		r, err := s.walk.next()
		if err != nil {
			return err
		}
		if r == nil {
			break
		}
		key, err := s.key(r.Doc)
		if s.meta != nil && s.meta.Once {
			s.meta.Forget(r.Doc)
		}
		if err != nil {
			return err
		}
		s.sorted = append(s.sorted, found{r, key, s.walk.m.Position})
	}
	return sortFound(s.sorted, s.walk.plan.filter.Check())
}

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
		if keyed, err := s.walk.plan.keyMaker(); err == nil && (s.walk.plan.index != nil || s.walk.plan.byID) {
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

func sortFound(list []found, check *interrupt.Check) error {
	return interrupt.SortStable(list, func(a, b found) int { return strings.Compare(a.key, b.key) }, check)
}
