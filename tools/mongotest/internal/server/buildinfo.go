// The command buildInfo: answers the version that the deployment was given.
//
// Left out: everything about the build itself.

package server

import (
	"context"
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func buildInfo(_ context.Context, r *request) (bson.Raw, error) {
	version := r.cluster.fullVersion()
	parts := bson.A{}
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, status.Errorf(errcode.InternalError, "the version %s is not made of numbers", version)
		}
		parts = append(parts, int32(n))
	}
	engine := "none"
	if r.cluster.Scripts != nil {
		engine = "mozjs"
	}
	return reply.New().String("version", version).String("gitVersion", "mongotest").Value("modules", bson.A{}).
		String("allocator", "system").String("sysInfo", "deprecated").Value("buildEnvironment", bson.D{}).
		Value("versionArray", append(parts, int32(0))).String("javascriptEngine", engine).
		Int32("bits", 64).Bool("debug", false).Int32("maxBsonObjectSize", 16<<20).
		Value("storageEngines", bson.A{"inMemory"}).Done(), nil
}

// fullVersion returns the version in three parts, as a server shows it.
func (k *Cluster) fullVersion() string {
	if strings.Count(k.Version, ".") == 1 {
		return k.Version + ".0"
	}
	return k.Version
}
