// The commands shardCollection, enableSharding and listShards of a router: there is one shard, which holds everything.
//
// Left out: shard keys, chunks and everything that moves data.

package server

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// shardName is the id of the one shard behind the routers.
const shardName = "shard0"

// onRouter runs a command that only a router has.
func onRouter(run handler) handler {
	return func(ctx context.Context, r *request) (bson.Raw, error) {
		if !r.cluster.IsRouter() {
			return nil, status.Unknown(r.Name)
		}
		return run(ctx, r)
	}
}

func enableSharding(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }

// shardCollection writes the oplog entry that a shard writes, by which change streams with expanded events learn of it.
func shardCollection(_ context.Context, r *request) (bson.Raw, error) {
	namespace := r.Text(r.Name)
	about := reply.New().String("shardCollection", namespace).Value("shardKey", r.Field("key")).Bool("unique", r.Flag("unique"))
	db, name, _ := strings.Cut(namespace, ".")
	_, err := r.cluster.store.Update(func(tx *store.Txn) error {
		tx.Note(db, name, reply.New().String("msg", "shardCollection").Done(), about.Done())
		return nil
	})
	return reply.New().String("collectionsharded", namespace).Done(), err
}

func listShards(_ context.Context, r *request) (bson.Raw, error) {
	shard := bson.Doc("_id", shardName, "host", shardName+"/"+r.node.Address(), "state", int32(1))
	return reply.New().Value("shards", bson.A{shard}).Done(), nil
}
