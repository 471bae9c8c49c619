package server

import (
	"sync"
	"sync/atomic"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/query"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// profiler selects the operations that a node records.
type profiler struct {
	on atomic.Int32 // how many databases have a level above 0

	mu     sync.Mutex
	levels map[string]int64
	slowMS int64
	rate   float64
	filter *query.Filter
	shown  bson.Raw // the filter
}

// describe describes the current state; p.mu is held.
func (p *profiler) describe(db string) *reply.Fields {
	if p.levels == nil {
		p.levels, p.slowMS, p.rate = map[string]int64{}, 100, 1
	}
	f := reply.New().Int32("was", int32(p.levels[db])).Int32("slowms", int32(p.slowMS)).Value("sampleRate", p.rate)
	if p.filter != nil {
		f.Doc("filter", p.shown).String("note", "When a filter expression is set, slowms and sampleRate are not used for "+
			"profiling and slow-query log lines.")
	}
	return f
}

// setFilter reads a filter, or "unset"; p.mu is held.
func (p *profiler) setFilter(v bson.RawValue) (err error) {
	if text, _ := v.StringOK(); text == "unset" {
		p.filter, p.shown = nil, nil
		return nil
	}
	doc, ok := v.DocumentOK()
	if !ok {
		return status.Errorf(errcode.BadValue, "Expected an object, or the string 'unset'.")
	}
	p.shown = append(bson.Raw(nil), doc...)
	p.filter, err = query.Compile(p.shown, query.Options{})
	return err
}

// set changes the level of a database; p.mu is held.
func (p *profiler) set(db string, level int64) {
	if level == 0 {
		delete(p.levels, db)
	} else {
		p.levels[db] = level
	}
	p.on.Store(int32(len(p.levels)))
}
