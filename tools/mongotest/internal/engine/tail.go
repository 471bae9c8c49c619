package engine

import (
	"context"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/project"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// tail follows a capped collection: it yields the documents inserted after the last one that it returned.
type tail struct {
	engine     *Engine
	db, name   string
	uuid       bson.UUID
	last       store.RecordID
	filter     *query.Filter
	projection *project.Projection
	scan       *store.Scan
	skip       int64
	limit      int64
	given      int64
	changed    <-chan struct{}
}

// newTail makes a tailable cursor. It makes none when the collection has no document to follow.
func (e *Engine) newTail(a *args, c *store.Collection, cur *cursor) error {
	switch {
	case c == nil:
		return nil
	case !c.Options.Capped:
		return status.Errorf(errcode.BadValue,
			"error processing query: ns=%s planner returned error :: caused by :: tailable cursor requested on non capped "+
				"collection", c.Namespace())
	}
	f, err := e.compileFilter(a, c, "filter")
	if err != nil {
		return err
	}
	s := &tail{engine: e, db: c.DB, name: c.Name, uuid: c.UUID, filter: f, skip: a.int("skip"), limit: -1}
	if n := a.int("limit"); n > 0 {
		s.limit = n
	}
	if d := a.document("projection"); d.Len() > 0 {
		scope, err := e.scope(a, f.Collation())
		if err != nil {
			return err
		}
		if s.projection, err = project.Compile(d, project.Options{Filter: f, Scope: scope}); err != nil {
			return err
		}
	}
	if c.Len() > 0 {
		cur.src, cur.tailable, cur.await = s, true, a.bool("awaitData")
	}
	return nil
}

func (s *tail) next() (bson.Raw, error) {
	for !s.hasEnded() {
		if s.scan == nil {
			if ok, err := s.open(); !ok || err != nil {
				return nil, err
			}
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
		if s.skip > 0 {
			s.skip--
			continue
		}
		s.given++
		if s.projection == nil {
			return r.Doc, nil
		}
		return s.projection.Apply(r.Doc, m.Position)
	}
	return nil, nil
}

func (s *tail) hasEnded() bool { return s.limit >= 0 && s.given >= s.limit }

// open begins a walk over the new documents. A cursor whose last document was pushed out has lost its position.
func (s *tail) open() (ok bool, err error) {
	s.changed = s.engine.store.Oplog().Changed()
	c := s.engine.latestSnapshot().Collection(s.db, s.name)
	if c == nil || c.UUID != s.uuid {
		return false, errDropped(s.uuid)
	}
	if _, kept := c.Get(s.last); s.last != 0 && !kept {
		return false, status.Errorf(errcode.CappedPositionLost,
			"Executor error during getMore :: caused by :: CollectionScan died due to position in capped collection being "+
				"deleted. Last seen record id: RecordId(%d)", s.last)
	}
	s.scan = c.Scan(s.last)
	return true, nil
}

func (s *tail) position(bool) bson.Raw { return nil }

func (s *tail) wait(ctx context.Context) bool {
	awaitChange(ctx, s.changed)
	return true
}
