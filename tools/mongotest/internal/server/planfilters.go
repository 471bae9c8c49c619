// The commands planCacheClear, planCacheSetFilter, planCacheListFilters and planCacheClearFilters. No plan is cached.
// Index filters are kept and shown but change no plan.

package server

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func planCacheClear(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }

// shape returns the query shape in a command, as filters show it.
func (r *request) shape() (bson.D, error) {
	shape := bson.D{}
	for _, name := range []string{"query", "sort", "projection", "collation"} {
		v := r.Body.Lookup(name)
		doc, ok := v.DocumentOK()
		switch {
		case v.IsZero() && name == "query":
			return nil, status.Errorf(errcode.BadValue, "required field query missing")
		case v.IsZero() && name == "collation":
			continue
		case !v.IsZero() && !ok:
			return nil, status.Errorf(errcode.BadValue, "optional field %s must be an object", name)
		}
		shape = append(shape, bson.E{Key: name, Value: orEmptyDocument(doc)})
	}
	return shape, nil
}

func orEmptyDocument(doc bson.Raw) any {
	if doc == nil {
		return bson.D{}
	}
	return doc
}

func planCacheSetFilter(_ context.Context, r *request) (bson.Raw, error) {
	c, err := r.collection()
	if err != nil {
		return nil, err
	}
	shape, err := r.shape()
	if err != nil {
		return nil, err
	}
	indexes := r.Body.Lookup("indexes")
	list, ok := indexes.ArrayOK()
	switch {
	case indexes.IsZero():
		return nil, status.Errorf(errcode.BadValue, "required field indexes missing")
	case !ok:
		return nil, status.Errorf(errcode.BadValue, "required field indexes must be an array")
	case list.Len() == 0:
		return nil, status.Errorf(errcode.BadValue, "required field indexes must contain at least one index")
	}
	f := reply.New()
	for _, e := range shape {
		f.Value(e.Key, e.Value)
	}
	key := f.Done()
	p := &r.cluster.planFilters
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byNS == nil {
		p.byNS = map[string][]bson.Raw{}
	}
	p.remove(c.Namespace(), key)
	whole := reply.New()
	for name, v := range key.All() {
		whole.Value(name, v)
	}
	p.byNS[c.Namespace()] = append(p.byNS[c.Namespace()], whole.Value("indexes", indexes).Done())
	return reply.OK(), nil
}

// remove drops the filter of a shape; p.mu is held.
func (p *planFilters) remove(namespace string, shape bson.Raw) {
	p.byNS[namespace] = slices.DeleteFunc(p.byNS[namespace], func(have bson.Raw) bool {
		for _, name := range []string{"query", "sort", "projection", "collation"} {
			if !have.Lookup(name).Equal(shape.Lookup(name)) {
				return false
			}
		}
		return true
	})
}

func planCacheListFilters(_ context.Context, r *request) (bson.Raw, error) {
	p := &r.cluster.planFilters
	p.mu.Lock()
	defer p.mu.Unlock()
	list := bson.A{}
	for _, filter := range p.byNS[r.DB+"."+r.Text(r.Name)] {
		list = append(list, filter)
	}
	return reply.New().Value("filters", list).Done(), nil
}

func planCacheClearFilters(_ context.Context, r *request) (bson.Raw, error) {
	p := &r.cluster.planFilters
	namespace := r.DB + "." + r.Text(r.Name)
	if !r.Has("query") {
		for _, name := range []string{"sort", "projection"} {
			if r.Has(name) {
				return nil, status.Errorf(errcode.BadValue, "sort or projection provided without query")
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.byNS, namespace)
		return reply.OK(), nil
	}
	shape, err := r.shape()
	if err != nil {
		return nil, err
	}
	f := reply.New()
	for _, e := range shape {
		f.Value(e.Key, e.Value)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(namespace, f.Done())
	return reply.OK(), nil
}
