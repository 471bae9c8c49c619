// The commands connPoolStats, validateDBMetadata, appendOplogNote, movePrimary and refreshLogicalSessionCacheNow, which has
// nothing to write.
//
// Left out: a node has no connections to other nodes, so there are none to count. Every collection is valid under version
// 1 of the Stable API. Nothing moves, because there is one shard.

package server

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

func connPoolStats(context.Context, *request) (bson.Raw, error) {
	f := reply.New().Int32("numClientConnections", 0).Int32("numAScopedConnections", 0)
	for _, name := range [...]string{"totalInUse", "totalAvailable", "totalLeased", "totalCreated", "totalRefreshing"} {
		f.Int32(name, 0)
	}
	return f.Value("pools", bson.D{}).Value("hosts", bson.D{}).Value("replicaSets", bson.D{}).Done(), nil
}

func validateMetadata(_ context.Context, r *request) (bson.Raw, error) {
	if version, _ := r.Body.Lookup("apiParameters", "version").StringOK(); version != "1" {
		return nil, status.Errorf(errcode.APIVersionError, "API version must be \"1\"")
	}
	return reply.New().Value("apiVersionErrors", bson.A{}).Done(), nil
}

// appendOplogNote writes an entry without effect that holds a document.
func appendOplogNote(_ context.Context, r *request) (bson.Raw, error) {
	if r.cluster.IsRouter() {
		return reply.OK(), nil
	}
	if _, err := r.set(); err != nil {
		return nil, err
	}
	data, ok := r.Field("data").DocumentOK()
	if !ok {
		return nil, status.Errorf(errcode.NoSuchKey, "Missing expected field \"data\"")
	}
	_, err := r.cluster.store.Update(func(tx *store.Txn) error {
		tx.Note("", "", data, nil)
		return nil
	})
	return reply.OK(), err
}

// movePrimary moves nothing: every database is on the only shard already.
func movePrimary(_ context.Context, r *request) (bson.Raw, error) {
	name, ok := r.Value().StringOK()
	to := r.Text("to")
	switch {
	case !ok || name == "" || strings.ContainsAny(name, ". $"):
		return nil, status.Errorf(errcode.InvalidNamespace, "invalid db name specified: %s", name)
	case name == "admin" || name == "config" || name == "local":
		return nil, status.Errorf(errcode.InvalidOptions, "Can't move primary for %s database", name)
	case to == "":
		return nil, status.Errorf(errcode.InvalidOptions, "You have to specify where you want to move it")
	case to != shardName && to != shardHosts:
		return nil, errNoShard(to)
	}
	return reply.OK(), nil
}
