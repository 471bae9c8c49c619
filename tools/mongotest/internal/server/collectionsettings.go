package server

import (
	"context"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/engine"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// Shells turn the balancer and the merger of a collection off and on by updates of config.collections. The documents are made
// when they are read, so an update runs on a copy of them, and its values of these fields are kept. Changes of other fields
// would break a cluster, and are dropped here.
var collectionSettings = []string{"noBalance", "enableAutoMerge"}

// updateOverCollections lets a router update config.collections, and everything else with run.
func updateOverCollections(run handler) handler {
	return func(ctx context.Context, r *request) (bson.Raw, error) {
		if at := r.resource(); r.cluster.catalog == nil || at.DB != "config" || at.Collection != "collections" {
			return run(ctx, r)
		}
		return runOnEngine(r.Name, r.cluster.updateCollections)(ctx, r)
	}
}

func (k *Cluster) updateCollections(_ *engine.Engine, ctx context.Context, q *engine.Request, dst []byte) ([]byte, error) {
	k.catalog.settling.Lock()
	defer k.catalog.settling.Unlock()
	s := store.New(store.Config{Now: k.Now})
	copied := engine.New(engine.Config{Store: s, Now: k.Now, Standalone: true})
	documents := bson.A{}
	for _, d := range k.catalog.describeCollections() {
		documents = append(documents, d)
	}
	if len(documents) > 0 {
		fill := &engine.Request{Name: "insert", DB: q.DB, WireVersion: q.WireVersion,
			Body: reply.New().String("insert", "collections").Value("documents", documents).Done()}
		if _, err := engine.Commands()["insert"](copied, ctx, fill, nil); err != nil {
			return nil, err
		}
	}
	update := &engine.Request{Name: q.Name, DB: q.DB, Body: q.Body, Sequences: q.Sequences, WireVersion: q.WireVersion}
	dst, err := engine.Commands()[q.Name](copied, ctx, update, dst)
	scan := s.Latest().Collection(q.DB, "collections").Scan(0)
	for record := scan.Next(); record != nil; record = scan.Next() {
		k.catalog.settle(record.Doc)
	}
	return dst, err
}

// settle keeps the settings that a document of config.collections has.
func (c *catalog) settle(doc bson.Raw) {
	name, _ := doc.Lookup("_id").StringOK()
	c.lock()
	defer c.mu.Unlock()
	s := c.collections[name]
	if s == nil {
		return
	}
	s.settings = nil
	for key, value := range doc.All() {
		if slices.Contains(collectionSettings, key) {
			s.settings = append(s.settings, bson.E{Key: key, Value: value})
		}
	}
}
