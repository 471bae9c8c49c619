// The command buildInfo: the version that the deployment was given.
//
// Left out: everything about the build itself.

package mongotest

import (
	"strconv"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

func buildInfo(r *request) (bson.Raw, error) {
	version := r.d.config.fullVersion()
	parts := bson.A{}
	for _, part := range strings.Split(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, status.Errorf(errcode.InternalError, "the version %s is not made of numbers", version)
		}
		parts = append(parts, int32(n))
	}
	return newReply().str("version", version).str("gitVersion", "mongotest").value("modules", bson.A{}).
		value("versionArray", append(parts, int32(0))).str("javascriptEngine", "none").
		int32("bits", 64).boolean("debug", false).int32("maxBsonObjectSize", 16<<20).
		value("storageEngines", bson.A{"inMemory"}).done(), nil
}

// fullVersion is the version with the three parts that a server shows.
func (c *config) fullVersion() string {
	if strings.Count(c.version, ".") == 1 {
		return c.version + ".0"
	}
	return c.version
}
