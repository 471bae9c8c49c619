// The command profile, and its entries in system.profile.
//
// Left out: plans and examined documents; slow operations are not logged.

package server

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// profile sets the level of a database and answers the previous one. -1 only asks.
func profile(_ context.Context, r *request) (bson.Raw, error) {
	level, ok := r.Value().AsInt64OK()
	if !ok {
		return nil, status.WrongType("profile.profile", r.Value(), "[long, int, decimal, double]")
	}
	if r.cluster.IsRouter() && level > 0 {
		return nil, status.Errorf(errcode.BadValue, "Profiling is not permitted on mongoS: the 'profile' field should be 0 or -1")
	}
	p := &r.node.profiler
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.describe(r.DB)
	if rate, ok := r.Body.Lookup("sampleRate").AsFloat64OK(); ok {
		if rate < 0 || rate > 1 {
			return nil, status.Errorf(errcode.BadValue, "'sampleRate' must be between 0.0 and 1.0 inclusive")
		}
		p.rate = rate
	}
	if ms, ok := r.Body.Lookup("slowms").AsInt64OK(); ok {
		p.slowMS = ms
	}
	if v := r.Body.Lookup("filter"); !v.IsZero() {
		if err := p.setFilter(v); err != nil {
			return nil, err
		}
	}
	if level >= 0 && level <= 2 {
		p.set(r.DB, level)
	}
	return f.Done(), nil
}

// profile records a request if its database's level requires it.
func (r *request) profile(began time.Time, body bson.Raw, failed *status.Error) {
	p := &r.node.profiler
	if p.on.Load() == 0 || r.command == nil || r.command.beforeAuth || r.Name == "profile" {
		return
	}
	took := time.Since(began)
	p.mu.Lock()
	level, slow, filter := p.levels[r.DB], time.Duration(p.slowMS)*time.Millisecond, p.filter
	p.mu.Unlock()
	if level == 0 || filter == nil && level == 1 && took < slow {
		return
	}
	for _, doc := range r.profileDocuments(took, body, failed) {
		if filter != nil {
			if ok, err := filter.Match(doc); err != nil || !ok {
				continue
			}
		}
		if err := r.node.engine.Profile(r.DB, doc); err != nil {
			r.node.counters.userErrors.Add(1)
		}
	}
}
