package engine

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/runtime/mongotest/internal/order"
	"github.com/specdrivers/onion/runtime/mongotest/internal/project"
	"github.com/specdrivers/onion/runtime/mongotest/internal/query"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
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

func (s *documents) ended() bool { return len(s.list) == 0 }

// results yields the documents that a plan finds, within skip and limit, projected.
type results struct {
	walk       *matches
	order      *order.Order // nil when the walk has the order already
	skip       int64
	limit      int64 // negative is none
	projection *project.Projection

	sorted []found
	ready  bool
	given  int64
}

// found is a document and the array position that its query noted.
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
		f, ok, err := s.raw()
		if !ok || err != nil {
			return nil, err
		}
		if s.skip > 0 {
			s.skip--
			continue
		}
		s.given++
		if s.projection == nil {
			return f.rec.Doc, nil
		}
		return s.projection.Apply(f.rec.Doc, f.position)
	}
}

func (s *results) ended() bool { return s.limit >= 0 && s.given >= s.limit }

// raw is the next document before skip, limit and projection.
func (s *results) raw() (f found, ok bool, err error) {
	if s.order == nil {
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
		key, err := s.order.Key(r.Doc)
		if err != nil {
			return err
		}
		s.sorted = append(s.sorted, found{r, key, s.walk.m.Position})
	}
	sortFound(s.sorted)
	return nil
}

// tail follows a capped collection: it yields what is inserted after the last document that it gave.
type tail struct {
	engine     *Engine
	db, name   string
	uuid       bson.UUID
	last       store.RecordID
	filter     *query.Filter
	projection *project.Projection
	scan       *store.Scan
	limit      int64
	given      int64
	changed    <-chan struct{}
	dead       bool
}

func (s *tail) next() (bson.Raw, error) {
	if s.limit >= 0 && s.given >= s.limit || s.dead {
		return nil, nil
	}
	for {
		if s.scan == nil && !s.open() {
			return nil, nil
		}
		r := s.scan.Next()
		if r == nil {
			s.scan = nil
			return nil, nil
		}
		s.last = r.ID
		var m query.Match
		ok, err := s.filter.Test(&m, r.Doc)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		s.given++
		if s.projection == nil {
			return r.Doc, nil
		}
		return s.projection.Apply(r.Doc, m.Position)
	}
}

// open begins a walk over what is new. The collection's end is the cursor's end.
func (s *tail) open() bool {
	s.changed = s.engine.store.Oplog().Changed()
	c := s.engine.store.Latest().Collection(s.db, s.name)
	if c == nil || c.UUID != s.uuid {
		s.dead = true
		return false
	}
	s.scan = c.Scan(s.last)
	return true
}

func (s *tail) position() bson.Raw { return nil }

func (s *tail) wait(ctx context.Context) bool {
	if s.dead {
		return false
	}
	awaitChange(ctx, s.changed)
	return true
}

// awaitChange blocks until the channel is closed, or the context or its deadline ends.
func awaitChange(ctx context.Context, changed <-chan struct{}) {
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(awaitDefault)
	}
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
	}
}
