package server

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/oplog"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// oplogSize is how large local.oplog.rs says it may become.
const oplogSize = 1 << 30

// provideLocal gives the database local the collections of a member: its oplog, and the configuration of the set.
func (k *Cluster) provideLocal() {
	shown := reply.New().Bool("capped", true).Int64("size", oplogSize).Bool("autoIndexId", false).Done()
	log := store.Options{Capped: true, MaxSize: oplogSize, Document: shown}
	k.store.ProvideOplog("local", "oplog.rs", log, func(list []*store.Entry) bson.Raw { return oplog.Document(list, k.Wire) })
	k.store.Provide(store.Provided{DB: "local", Name: "system.replset", Documents: func(store.Timestamp) []bson.Raw {
		return []bson.Raw{k.Set.Configuration()}
	}})
	k.store.Noop("initiating set")
}
