// The commands about the server itself: hostInfo, getCmdLineOpts, listCommands, isdbgrid (also isDbGrid) and logRotate.
//
// Left out: hostInfo knows little of the machine.

package server

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
)

func hostInfo(_ context.Context, r *request) (bson.Raw, error) {
	cores := int32(runtime.NumCPU())
	return reply.New().
		Value("system", bson.Doc("currentTime", bson.NewDateTimeFromTime(r.cluster.Now()), "hostname", r.node.Address(),
			"cpuAddrSize", int32(64), "memSizeMB", int64(1024), "memLimitMB", int64(1024), "numCores", cores,
			"numCoresAvailableToProcess", cores, "cpuArch", runtime.GOARCH, "numaEnabled", false)).
		Value("os", bson.Doc("type", runtime.GOOS, "name", "mongotest", "version", r.cluster.fullVersion())).
		Value("extra", bson.D{}).Done(), nil
}

func getCmdLineOpts(_ context.Context, r *request) (bson.Raw, error) {
	parsed := bson.D{}
	if r.cluster.Set != nil {
		parsed = bson.Doc("replication", bson.Doc("replSet", r.cluster.SetName))
	}
	if r.cluster.RequireAuth {
		parsed = append(parsed, bson.E{Key: "security", Value: bson.Doc("authorization", "enabled")})
	}
	return reply.New().Strings("argv", os.Args[:1]).Value("parsed", parsed).Done(), nil
}

// listCommands lists the server's commands by their primary names.
func listCommands(_ context.Context, r *request) (bson.Raw, error) {
	commands := bson.D{}
	table := r.cluster.commands
	for _, name := range slices.Sorted(maps.Keys(table)) {
		row := table[name]
		if row.name != name || !row.exists(r.cluster) {
			continue
		}
		versions := bson.A{}
		if row.api&api1 != 0 {
			versions = append(versions, "1")
		}
		commands = append(commands, bson.E{Key: name, Value: bson.Doc(
			"help", "", "requiresAuth", !row.beforeAuth, "secondaryOk", row.access != writes, "adminOnly", row.admin,
			"apiVersions", versions, "deprecatedApiVersions", bson.A{})})
	}
	return reply.New().Value("commands", commands).Done(), nil
}

func isDBGrid(_ context.Context, r *request) (bson.Raw, error) {
	return reply.New().Int32("isdbgrid", 1).String("hostname", r.node.Address()).Done(), nil
}

func logRotate(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }
