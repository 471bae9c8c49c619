// The command serverStatus: the process, its connections and its place in a replica set.
//
// Left out: the counters of operations, locks, memory, network and storage.

package server

import (
	"context"
	"os"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

func serverStatus(_ context.Context, r *request) (bson.Raw, error) {
	k := r.cluster
	program := "mongod"
	if k.IsRouter() {
		program = "mongos"
	}
	up := k.Now().Sub(k.clock.Began())
	f := reply.New().String("host", r.node.Address()).String("version", k.fullVersion()).String("process", program).
		Value("service", bson.A{program}).Int64("pid", int64(os.Getpid())).
		Value("uptime", up.Seconds()).Int64("uptimeMillis", up.Milliseconds()).Int64("uptimeEstimate", int64(up.Seconds())).
		Date("localTime", k.Now().UnixMilli()).
		Value("connections", bson.Doc("current", int32(len(r.node.connections())), "available", int32(1000),
			"totalCreated", k.connections.Load(), "active", int32(len(r.node.operations(false)))))
	if k.Set != nil {
		k.Set.DescribeStatus(f, r.node.Index)
	}
	if !k.IsRouter() {
		f.Value("storageEngine", bson.Doc("name", "inMemory", "supportsCommittedReads", true, "persistent", false))
	}
	return f.Value("mem", bson.Doc("bits", int32(64))).Done(), nil
}
