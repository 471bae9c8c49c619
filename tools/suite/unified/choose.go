package unified

import (
	"iter"
	"slices"
	"strings"

	"github.com/specdrivers/onion/bson"
)

// topologies are the topologies that a deployment in memory can have, and versions the server versions that it can act as.
var (
	topologies = []string{"single", "replicaset", "sharded", "load-balanced"}
	versions   = []string{
		"4.2", "4.4", "5.0", "5.1", "5.2", "5.3", "6.0", "6.1", "6.2", "6.3", "7.0", "7.1", "7.2", "7.3", "8.0",
		"8.1", "8.2", "9.0",
	}
)

// mechanisms are those that the runner can authenticate with on a deployment in memory.
var mechanisms = []string{"SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN", awsMechanism, oidcMechanism}

// parameters are the server parameters that every deployment in memory has.
var parameters = bson.Doc("enableTestCommands", true, "requireApiVersion", false)

// choose picks the kinds of deployments that a case runs on.
func (w Where) choose() []Kindred {
	var out []Kindred
	for _, topology := range topologies {
		if slices.Contains(w.except, topology) {
			continue
		}
		able := w.eligibleKinds(topology, versions)
		if len(able) == 0 {
			able = w.eligibleKinds(topology, w.patchVersions())
		}
		if len(able) == 0 {
			continue
		}
		chosen := []Kindred{able[0], able[len(able)-1]}
		if i := slices.IndexFunc(able, func(k Kindred) bool { return k.Version == "8.0" }); i >= 0 {
			chosen = append(chosen, able[i])
		}
		slices.SortFunc(chosen, func(a, b Kindred) int { return compareVersions(a.Version, b.Version) })
		out = append(out, slices.CompactFunc(chosen, func(a, b Kindred) bool { return a.Version == b.Version })...)
	}
	return out
}

// eligibleKinds lists the kinds of deployments of a topology that meet the requirements, by version.
func (w Where) eligibleKinds(topology string, versions []string) []Kindred {
	var out []Kindred
	for _, version := range versions {
		if topology == "load-balanced" && isOlder(version, "5.0") {
			continue
		}
		for _, auth := range []bool{false, true} {
			k := Kindred{
				Topology:   topology,
				Version:    version,
				Auth:       auth,
				Parameters: parameters,
				mechanisms: mechanisms,
				oneRouter:  w.oneRouter,
				narrow:     w.narrow,
			}
			if set, ok := k.findParameters(w.lists); ok {
				k.Parameters = set
				out = append(out, k)
				break
			}
		}
	}
	return out
}

// patchVersions lists the oldest versions that the requirements accept, for a window between two releases such as 4.4.7 to
// 4.4.99. They are patches of known releases.
func (w Where) patchVersions() []string {
	var out []string
	for _, list := range w.lists {
		for _, r := range list {
			if r.MinVersion != "" && slices.Contains(versions, release(r.MinVersion)) {
				out = append(out, r.MinVersion)
			}
		}
	}
	slices.SortFunc(out, compareVersions)
	return slices.Compact(out)
}

// release returns the release that a version is a patch of: its first two numbers.
func release(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// findParameters finds the server parameters with which a deployment meets one requirement of every list. Those of all the lists
// must hold together; the requirements of one list are alternatives.
func (k Kindred) findParameters(lists []AnyOf) (bson.D, bool) {
	for chosen := range choices(lists) {
		k := k
		k.Parameters = slices.Clone(k.Parameters)
		for _, r := range chosen {
			for _, p := range r.Parameters {
				k.set(p)
			}
		}
		if !slices.ContainsFunc(chosen, func(r Requirement) bool { return !k.meets(r) }) {
			return k.Parameters, true
		}
	}
	return nil, false
}

// set sets a server parameter, in place of another value of it.
func (k *Kindred) set(p bson.E) {
	for i := range k.Parameters {
		if k.Parameters[i].Key == p.Key {
			k.Parameters[i] = p
			return
		}
	}
	k.Parameters = append(k.Parameters, p)
}

// choices yields every way to choose one requirement of each list.
func choices(lists []AnyOf) iter.Seq[[]Requirement] {
	return func(yield func([]Requirement) bool) {
		var choose func(rest []AnyOf, chosen []Requirement) bool
		choose = func(rest []AnyOf, chosen []Requirement) bool {
			if len(rest) == 0 {
				return yield(chosen)
			}
			for _, r := range rest[0] {
				if !choose(rest[1:], append(slices.Clip(chosen), r)) {
					return false
				}
			}
			return true
		}
		choose(lists, nil)
	}
}
