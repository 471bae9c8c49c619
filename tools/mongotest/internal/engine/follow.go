package engine

import (
	"context"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/agg"
	"github.com/specdrivers/onion/tools/mongotest/internal/changestream"
	"github.com/specdrivers/onion/tools/mongotest/internal/path"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// follower is a change stream that runs: it reads the oplog up to the last entry that a majority has, and sends the
// events through the rest of the pipeline.
type follower struct {
	*streamSpec
	engine *Engine
	in     agg.Source // the end of the pipeline; its input is the events
	split  bool       // split large events into parts

	scanned store.Timestamp // the time of the last entry that scan turned into events
	found   bool            // the stream has passed the event to resume after
	events  []changestream.Event
	parts   []bson.Raw // the remaining parts of a split event
	skip    int        // how many parts of the first event the client already has

	current changestream.Event // the last event sent into the pipeline
	drained bool               // there were no more events
	over    bool               // the stream was invalidated

	at, before bson.Raw // the resume tokens after the last document, and after the one before it
	marked     store.Timestamp
	changed    <-chan struct{}
	behind     bool // a majority lacked some entries
}

func (e *Engine) follow(f *streamSpec, p *agg.Pipeline) *follower {
	s := &follower{streamSpec: f, engine: e, scanned: f.start.Time - 1, marked: f.start.Time, found: !f.resume, split: p.Splits()}
	s.at = f.start.Document()
	s.before = s.at
	_, _ = p.Lead("$changeStream") // events replace it
	s.in = p.Run(s.nextEvent)
	return s
}

// nextEvent gives the pipeline its next event, nil for none yet.
func (s *follower) nextEvent() (bson.Raw, error) {
	for len(s.events) == 0 && !s.over {
		more, err := s.scan()
		if err != nil {
			return nil, err
		}
		if !more {
			s.drained = true
			return nil, nil
		}
	}
	if len(s.events) == 0 {
		return nil, nil
	}
	s.current, s.events = s.events[0], s.events[1:]
	if s.current.Token.Invalidate {
		s.over, s.events = true, nil
		s.advance(s.current.Token.Document(), s.current.Token.Time) // even if the pipeline drops the event
	}
	return s.current.Document, nil
}

// scanMax is how many entries one scan reads at most.
const scanMax = 1024

// scan turns the next entries of the oplog into events; more is false when there is none.
func (s *follower) scan() (more bool, err error) {
	log := s.engine.store.Oplog()
	s.changed = log.Changed()
	horizon := s.engine.majority().Time()
	s.behind = horizon < s.engine.store.Latest().Time()
	if !log.Holds(s.scanned) {
		return false, status.Errorf(errcode.CappedPositionLost,
			"CollectionScan died due to position in capped collection being deleted. Last seen record id: RecordId(%d)", s.scanned)
	}
	n := 0
	for e := range log.After(s.scanned) {
		if e.Time > horizon || n >= scanMax && e.Time != s.scanned {
			return n > 0, nil
		}
		if err := s.read(e); err != nil {
			return false, err
		}
		s.scanned = e.Time
		n++
	}
	if n > 0 {
		return true, nil
	}
	s.scanned = max(s.scanned, horizon)
	return false, s.checkFound(horizon + 1)
}

// read takes an entry's events that come after the start.
func (s *follower) read(e *store.Entry) error {
	if !s.found {
		if err := s.checkFound(e.Time); err != nil {
			return err
		}
	}
	if e.Time > s.start.Time {
		events, err := s.stream.Events(e)
		s.events = append(s.events, events...)
		return err
	}
	// The event to start after may lack images or be too large, so build it only if some parts remain.
	var left []string
	for _, token := range s.stream.Tokens(e) {
		after, fragment := token.Place(s.start)
		if after >= 0 {
			s.found = true
		}
		if after > 0 {
			left = append(left, token.Key)
		}
		if fragment > 0 {
			s.skip = fragment
		}
	}
	if left == nil {
		return nil
	}
	events, err := s.stream.Events(e)
	for _, ev := range events {
		if slices.Contains(left, ev.Token.Key) {
			s.events = append(s.events, ev)
		}
	}
	return err
}

// checkFound fails if the stream has passed the point at which the event to resume after should be.
func (s *follower) checkFound(now store.Timestamp) error {
	if s.found || now <= s.start.Time {
		return nil
	}
	return status.Errorf(errcode.ChangeStreamFatalError,
		"cannot resume stream; the resume token was not found. %s", status.Text(s.start.Document()))
}

func (s *follower) next() (bson.Raw, error) {
	if len(s.parts) > 0 {
		return s.nextPart(), nil
	}
	s.drained = false
	d, err := s.in()
	if d == nil || err != nil {
		return nil, err
	}
	token := s.current.Token.Document()
	if id, _ := path.Field(d, "_id").DocumentOK(); string(id) != string(token) {
		return nil, status.Errorf(errcode.ChangeStreamFatalError,
			"Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying "+
				"the _id field of an event makes it impossible to resume the stream from that point. Only transformations that "+
				"retain the unmodified _id field are allowed. Expected: { _id: %s } but found: { _id: %s }",
			status.Text(token), status.TextOf(path.Field(d, "_id")))
	}
	if len(d) <= documentMax {
		s.advance(token, s.current.Token.Time)
		return d, nil
	}
	if !s.split {
		return nil, status.Errorf(errcode.BSONObjectTooLarge,
			"BSONObj size: %d (0x%X) is invalid. Size must be between 0 and %d(16MB) First element: _id: %s",
			len(d), len(d), documentMax+16<<10, status.Text(token))
	}
	if s.parts, err = changestream.Split(s.current.Token, d, documentMax); err != nil {
		return nil, err
	}
	s.parts, s.skip = s.parts[min(s.skip, len(s.parts)):], 0
	if len(s.parts) == 0 {
		return s.next()
	}
	return s.nextPart(), nil
}

// nextPart returns the next part of a split event.
func (s *follower) nextPart() bson.Raw {
	d := s.parts[0]
	s.parts = s.parts[1:]
	token, _ := path.Field(d, "_id").DocumentOK()
	s.advance(token, s.current.Token.Time)
	return d
}

// advance records the stream's position after a document is delivered.
func (s *follower) advance(token bson.Raw, at store.Timestamp) {
	if string(token) != string(s.at) {
		s.before, s.at, s.marked = s.at, token, at
	}
}

func (s *follower) hasEnded() bool { return s.over && len(s.events) == 0 && len(s.parts) == 0 }

// position returns the token of the last document. If no other document follows, it is the token of the time up to which
// the stream has read. held says that the last document was read but not delivered.
func (s *follower) position(held bool) bson.Raw {
	switch {
	case held:
		return s.before
	case s.drained && !s.over && s.scanned > s.marked:
		s.marked = s.scanned
		s.at = changestream.HighWaterMark(s.stream.Wire, s.scanned).Document()
	}
	return s.at
}

// majorityTick is how often a stream checks whether a majority has caught up.
const majorityTick = 2 * time.Millisecond

func (s *follower) wait(ctx context.Context) bool {
	if !s.behind {
		awaitChange(ctx, s.changed)
		return true
	}
	soon := time.Now().Add(majorityTick)
	if until, ok := ctx.Deadline(); ok && until.Before(soon) {
		soon = until
	}
	awaitChange(deadlineContext{ctx, soon}, s.changed)
	return true
}

// Follows reports whether a cursor belongs to a change stream.
func (t *Cursors) Follows(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[id] == nil {
		return false
	}
	_, ok := t.open[id].src.(*follower)
	return ok
}

// streamSpec describes the change stream at the start of a pipeline.
type streamSpec struct {
	stream changestream.Stream
	start  changestream.Token
	resume bool // start is the token of an event, which must exist
}
