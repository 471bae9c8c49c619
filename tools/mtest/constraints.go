package mtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// RunOnBlock describes a deployment that a test accepts.
type RunOnBlock struct {
	MinServerVersion string                   `bson:"minServerVersion"`
	MaxServerVersion string                   `bson:"maxServerVersion"`
	Topology         []TopologyKind           `bson:"topology"`
	Topologies       []TopologyKind           `bson:"topologies"` // the same, as files of the unified format spell it
	Serverless       string                   `bson:"serverless"`
	ServerParameters map[string]bson.RawValue `bson:"serverParameters"`
	Auth             *bool                    `bson:"auth"`
	AuthEnabled      *bool                    `bson:"authEnabled"`
}

// explainUnfit says why the deployment of Setup is not the one that the block describes.
func (b *RunOnBlock) explainUnfit() string {
	version, kind := environment.version, environment.kind
	kinds := slices.Concat(b.Topology, b.Topologies)
	fits := func(want TopologyKind) bool {
		return want == kind || want == ShardedReplicaSet && environment.replicated
	}
	switch {
	case b.MinServerVersion != "" && CompareServerVersions(version, b.MinServerVersion) < 0:
		return fmt.Sprintf("server %s is older than %s", version, b.MinServerVersion)
	case b.MaxServerVersion != "" && CompareServerVersions(version, b.MaxServerVersion) > 0:
		return fmt.Sprintf("server %s is newer than %s", version, b.MaxServerVersion)
	case len(kinds) > 0 && !slices.ContainsFunc(kinds, fits):
		return fmt.Sprintf("the deployment is a %s, not one of %q", kind, kinds)
	case b.Auth != nil && *b.Auth != AuthEnabled(), b.AuthEnabled != nil && *b.AuthEnabled != AuthEnabled():
		return "authentication is to be the other way round"
	case b.Serverless == "require":
		return "the deployment is not serverless"
	}
	for name, want := range b.ServerParameters {
		if got := environment.parameters.Lookup(name); !want.Equal(got) {
			return fmt.Sprintf("server parameter %s is %v, not %v", name, got, want)
		}
	}
	return ""
}

// collectionName makes a name that a server accepts: without $, and short enough for its namespace.
func collectionName(db, name string) string {
	const longest = 120 - 1
	name = strings.ReplaceAll(name, "$", "%")
	return name[max(0, len(db+".")+len(name)-longest):]
}
