// The commands about the server itself: hostInfo, getCmdLineOpts, listCommands, isdbgrid (also isDbGrid), top,
// setFeatureCompatibilityVersion, getClusterParameter and logRotate.
//
// Left out: hostInfo knows little of the machine, top counts nothing, and setFeatureCompatibilityVersion takes only the
// server's own version. No cluster parameter exists.

package server

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
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

// listCommands lists the commands that the server has, under their first names.
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

func top(_ context.Context, r *request) (bson.Raw, error) {
	totals := bson.Doc("note", "all times in microseconds")
	snapshot := r.cluster.store.Latest()
	for _, db := range snapshot.Databases() {
		for _, c := range snapshot.Collections(db) {
			usage := bson.D{}
			for _, kind := range []string{
				"total", "readLock", "writeLock", "queries", "getmore", "insert", "update", "remove", "commands",
			} {
				usage = append(usage, bson.E{Key: kind, Value: bson.Doc("time", int64(0), "count", int64(0))})
			}
			totals = append(totals, bson.E{Key: c.Namespace(), Value: usage})
		}
	}
	return reply.New().Value("totals", totals).Done(), nil
}

func setFeatureCompatibilityVersion(_ context.Context, r *request) (bson.Raw, error) {
	version, ok := r.Value().StringOK()
	switch {
	case !ok:
		return nil, status.WrongType(r.Name+"."+r.Name, r.Value(), "string")
	case version != r.cluster.Version:
		return nil, status.Errorf(errcode.Code(4926900), "Invalid feature compatibility version value '%s'; expected '%s'. See "+
			"https://docs.mongodb.com/master/release-notes/%s-compatibility/#feature-compatibility.",
			version, r.cluster.Version, r.cluster.Version)
	}
	return reply.OK(), nil
}

func getClusterParameter(_ context.Context, r *request) (bson.Raw, error) {
	if name := r.Text(r.Name); name != "*" {
		return nil, status.Errorf(errcode.NoSuchKey, "Unknown server parameter: %s", name)
	}
	return reply.New().Value("clusterParameters", bson.A{}).Done(), nil
}

func logRotate(context.Context, *request) (bson.Raw, error) { return reply.OK(), nil }
