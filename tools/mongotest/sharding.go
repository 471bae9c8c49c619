// The commands shardCollection, enableSharding and listShards of a router: there is one shard, which holds everything.
//
// Left out: shard keys, chunks and everything that moves data; servers that are no routers do not know the commands.

package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func shardCollection(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	if r.name == "enableSharding" {
		return newReply().done(), nil
	}
	return newReply().str("collectionsharded", r.text(r.name)).done(), nil
}

func listShards(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	shard := bson.Doc("_id", shardName, "host", shardName+"/"+r.node.address, "state", int32(1))
	return newReply().value("shards", bson.A{shard}).done(), nil
}
