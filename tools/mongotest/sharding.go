// The commands shardCollection, enableSharding and listShards of a router: there is one shard, which holds everything.
//
// Left out: shard keys, chunks and everything that moves data; servers that are no routers do not know the commands.

package mongotest

import (
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func shardCollection(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	if r.name == "enableSharding" {
		return newReply().done(), nil
	}
	namespace := r.text(r.name)
	// Change streams with expanded events tell of it by the entry that a shard writes.
	about := newReply().str("shardCollection", namespace).value("shardKey", r.field("key")).boolean("unique", r.flag("unique"))
	db, name, _ := strings.Cut(namespace, ".")
	_, err := r.d.data.store.Update(func(tx *store.Txn) error {
		tx.Note(db, name, newReply().str("msg", "shardCollection").done(), about.done())
		return nil
	})
	return newReply().str("collectionsharded", namespace).done(), err
}

func listShards(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	shard := bson.Doc("_id", shardName, "host", shardName+"/"+r.node.address, "state", int32(1))
	return newReply().value("shards", bson.A{shard}).done(), nil
}
