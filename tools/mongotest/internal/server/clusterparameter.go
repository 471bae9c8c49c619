// The commands getClusterParameter and setClusterParameter: parameters that all servers of a deployment share.
//
// Left out: only defaultMaxTimeMS has an effect.

package server

import (
	"context"
	"maps"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// knownClusterParameters returns the parameters with their initial values and the first version that has them.
func knownClusterParameters(version int32) map[string]bson.D {
	known := map[string]bson.D{
		"auditConfig":         bson.Doc("filter", bson.D{}, "auditAuthorizationSuccess", false),
		"changeStreamOptions": bson.Doc("preAndPostImages", bson.Doc("expireAfterSeconds", "off")),
	}
	if version >= wire.Server70 {
		known["fleCompactionOptions"] = bson.Doc("maxCompactionSize", int32(268435456), "maxAnchorCompactionSize", int32(268435456),
			"maxESCEntriesPerCompactionDelete", int32(350000), "compactAnchorPaddingFactor", 1.0)
	}
	if version >= wire.Server80 {
		known["defaultMaxTimeMS"] = bson.Doc("readOperations", int64(0))
		known["internalQueryCutoffForSampleFromRandomCursor"] = bson.Doc("sampleCutoff", 0.05)
	}
	return known
}

func getClusterParameter(_ context.Context, r *request) (bson.Raw, error) {
	known := knownClusterParameters(r.Wire)
	var names []string
	switch name, ok := r.Value().StringOK(); {
	case ok && name == "*":
		names = slices.Sorted(maps.Keys(known))
	case ok:
		names = []string{name}
	case len(call.Texts(r.Value())) > 0:
		names = call.Texts(r.Value())
	default:
		return nil, status.Errorf(errcode.BadValue, "Must supply at least one cluster server parameter name to getClusterParameter")
	}
	list := bson.A{}
	for _, name := range names {
		if known[name] == nil {
			return nil, status.Errorf(errcode.NoSuchKey, "Unknown server parameter: %s", name)
		}
		list = append(list, r.cluster.clusterParameters.document(name, known[name]))
	}
	return reply.New().Value("clusterParameters", list).Done(), nil
}

// document returns a parameter as getClusterParameter shows it.
func (p *clusterParameters) document(name string, first bson.D) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if set := p.values[name]; set != nil {
		return set
	}
	return append(bson.Doc("_id", name), first...)
}

func setClusterParameter(_ context.Context, r *request) (bson.Raw, error) {
	if r.cluster.Shape == Standalone && r.Wire < wire.Server71 {
		return nil, status.Errorf(errcode.IllegalOperation, "setClusterParameter cannot be run on standalones")
	}
	doc, ok := r.Value().DocumentOK()
	if !ok {
		return nil, status.WrongType("setClusterParameter.setClusterParameter", r.Value(), "object")
	}
	e, ok := doc.Index(0)
	if !ok || doc.Len() != 1 {
		return nil, status.Errorf(errcode.InvalidOptions, "setClusterParameter only supports setting exactly one parameter")
	}
	first := knownClusterParameters(r.Wire)[e.Key]
	if first == nil {
		return nil, status.Errorf(errcode.NoSuchKey, "Unknown server parameter: %s", e.Key)
	}
	fields, ok := e.Value.DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.BadValue, "Cluster parameter value must be an object")
	}
	f := reply.New().String("_id", e.Key).Value("clusterParameterTime", r.cluster.clock.GossipedTime())
	for _, was := range first {
		if v := fields.Lookup(was.Key); !v.IsZero() {
			f.Value(was.Key, v)
		} else {
			f.Value(was.Key, was.Value)
		}
	}
	for key := range fields.All() {
		if !slices.ContainsFunc(first, func(e bson.E) bool { return e.Key == key }) {
			return nil, status.Errorf(errcode.Location40415, "BSON field '%s.%s' is an unknown field.", e.Key, key)
		}
	}
	p := &r.cluster.clusterParameters
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values = map[string]bson.Raw{}
	}
	p.values[e.Key] = f.Done()
	return reply.OK(), nil
}

// defaultMaxTime returns the time limit in milliseconds for reads that set none; 0 means no limit.
func (p *clusterParameters) defaultMaxTime() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, _ := p.values["defaultMaxTimeMS"].Lookup("readOperations").AsInt64OK()
	return n
}
