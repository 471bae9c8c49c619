package mongotest

import (
	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// shardCollection answers shardCollection and enableSharding on a router: there is one shard, which holds everything.
func shardCollection(r *request) (bson.Raw, error) {
	if !r.d.isRouter() {
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	}
	return newReply().str("collectionsharded", r.text(r.name)).done(), nil
}
