package server

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// searchCommands are the commands on search indexes.
var searchCommands = map[string]func(*searchIndexes, *request, string) (bson.Raw, error){
	"createSearchIndexes": createSearchIndexes, "updateSearchIndex": updateSearchIndex, "dropSearchIndex": dropSearchIndex,
}

// withSearch runs a command on search indexes, or lets the engine refuse it.
func withSearch(refuse handler, run func(*searchIndexes, *request, string) (bson.Raw, error)) handler {
	return func(ctx context.Context, r *request) (bson.Raw, error) {
		if !r.cluster.Search {
			return refuse(ctx, r)
		}
		c, err := r.collection()
		if err != nil {
			return nil, err
		}
		s := &r.cluster.search
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.byNS == nil {
			s.byNS = map[string][]*searchIndex{}
		}
		return run(s, r, c.Namespace())
	}
}

func createSearchIndexes(s *searchIndexes, r *request, namespace string) (bson.Raw, error) {
	created := bson.A{}
	var list []*searchIndex
	for _, doc := range call.Documents(r.Field("indexes")) {
		x := &searchIndex{id: bson.NewObjectID().Hex(), name: "default", kind: "search", since: r.cluster.Now()}
		if name, ok := doc.Lookup("name").StringOK(); ok {
			x.name = name
		}
		if kind, ok := doc.Lookup("type").StringOK(); ok {
			x.kind = kind
		}
		definition, ok := doc.Lookup("definition").DocumentOK()
		if !ok {
			return nil, status.Errorf(errcode.Location40414,
				"BSON field 'createSearchIndexes.indexes.definition' is missing but a required field")
		}
		x.definition = slices.Clone(definition)
		same := func(y *searchIndex) bool { return y.name == x.name }
		if slices.ContainsFunc(s.byNS[namespace], same) || slices.ContainsFunc(list, same) {
			return nil, status.Errorf(errcode.IndexAlreadyExists, "Duplicate Index: %s", x.name)
		}
		list = append(list, x)
		created = append(created, bson.Doc("id", x.id, "name", x.name))
	}
	s.byNS[namespace] = append(s.byNS[namespace], list...)
	return reply.New().Value("indexesCreated", created).Done(), nil
}

// findNamed finds the index that a command names, by its name or its id.
func (s *searchIndexes) findNamed(r *request, namespace string) (int, error) {
	name, id := r.Text("name"), r.Text("id")
	i := slices.IndexFunc(s.byNS[namespace], func(x *searchIndex) bool { return id != "" && x.id == id || id == "" && x.name == name })
	if i < 0 {
		return 0, status.Errorf(errcode.IndexNotFound, "Index '%s%s' not found on %s", name, id, namespace)
	}
	return i, nil
}

func updateSearchIndex(s *searchIndexes, r *request, namespace string) (bson.Raw, error) {
	i, err := s.findNamed(r, namespace)
	if err != nil {
		return nil, err
	}
	definition, ok := r.Field("definition").DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.Location40414, "BSON field 'updateSearchIndex.definition' is missing but a required field")
	}
	x := s.byNS[namespace][i]
	x.definition, x.since, x.version = slices.Clone(definition), r.cluster.Now(), x.version+1
	return reply.OK(), nil
}

func dropSearchIndex(s *searchIndexes, r *request, namespace string) (bson.Raw, error) {
	i, err := s.findNamed(r, namespace)
	if err != nil {
		return nil, err
	}
	s.byNS[namespace] = slices.Delete(s.byNS[namespace], i, i+1)
	return reply.OK(), nil
}

// listSearchIndexes runs the stage $listSearchIndexes.
func (k *Cluster) listSearchIndexes(r *engine.Request, spec bson.Raw) ([]bson.Raw, error) {
	collection, _ := r.Body.Lookup("aggregate").StringOK()
	name, byName := spec.Lookup("name").StringOK()
	id, byID := spec.Lookup("id").StringOK()
	k.search.mu.Lock()
	defer k.search.mu.Unlock()
	var list []bson.Raw
	for _, x := range k.search.byNS[r.DB+"."+collection] {
		if (!byName || x.name == name) && (!byID || x.id == id) {
			list = append(list, x.describe(k.Now()))
		}
	}
	return list, nil
}
