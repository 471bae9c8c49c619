package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/oplog"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// oplogSize is the maximum size that local.oplog.rs reports.
const oplogSize = 1 << 30

// provideLocal provides a member's collections in the database local: its oplog and the set's configuration.
func (k *Cluster) provideLocal() {
	shown := reply.New().Bool("capped", true).Int64("size", oplogSize).Bool("autoIndexId", false).Done()
	log := store.Options{Capped: true, MaxSize: oplogSize, Document: shown}
	k.store.ProvideOplog("local", "oplog.rs", log, func(list []*store.Entry) bson.Raw { return oplog.Document(list, k.Wire) })
	k.store.Provide(store.Provided{DB: "local", Name: "system.replset", Documents: func(store.Timestamp) []bson.Raw {
		return []bson.Raw{k.Set.Configuration()}
	}})
	k.store.Noop("initiating set")
}
