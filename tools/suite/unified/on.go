package unified

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/tools/suite"
)

// Requirement is a kind of deployment; an empty field asks for nothing. Unified Test Format, "runOnRequirement".
type Requirement struct {
	MinVersion, MaxVersion string
	Topologies             []string
	Serverless             string
	Parameters             bson.D
	Auth                   *bool
	AuthMechanism          string
	Encryption             *bool
}

// AnyOf are requirements; one of them must be met.
type AnyOf []Requirement

// Where is where a case runs: deployments that meet one requirement of every list.
type Where struct {
	lists     []AnyOf
	oneRouter bool
	narrow    bool
	except    []string // topologies
}

// On selects the deployments that meet one requirement of every list.
func On(lists ...AnyOf) Where { return Where{lists: lists} }

// BehindOneRouter puts load balancers in front of one router, for clients that must know no other. Unified Test
// Format, "useMultipleMongoses".
func (w Where) BehindOneRouter() Where {
	w.oneRouter = true
	return w
}

// WithOneRouter lets clients know one router of a sharded cluster if the case does not say how many they know. The case sets
// a fail point with such a client, and then needs that router to be the one that another client meets.
func (w Where) WithOneRouter() Where {
	w.narrow = true
	return w
}

// Except leaves out a topology, for the reason that specs/skips.yaml gives.
func (w Where) Except(topology string) Where {
	w.except = append(slices.Clone(w.except), topology)
	return w
}

// Test runs a case on every deployment that counts: of each topology the oldest server that the case accepts, the newest,
// and 8.0. If there is none, it skips the case.
func (w Where) Test(t *testing.T, body func(*Run)) {
	t.Helper()
	w.each(t, func(t *testing.T, k Kindred) {
		runCase(t, k, w, body)
	})
}

// Fails runs a case that must fail, and say why. If because is empty, any reason will do.
func (w Where) Fails(t *testing.T, because string, body func(*Run)) {
	t.Helper()
	w.each(t, func(t *testing.T, k Kindred) {
		failing := &recorder{TB: t}
		runCase(failing, k, w, body)
		switch said := failing.text(); {
		case said == "":
			t.Error("the case must fail, and did not")
		case !strings.Contains(said, because):
			t.Errorf("the case must fail because of %q, but said %q", because, said)
		}
	})
}

// each calls fn on every deployment that the case runs on.
func (w Where) each(t *testing.T, fn func(*testing.T, Kindred)) {
	t.Helper()
	if uri := serverURI(); uri != "" {
		if k, why := w.examineServer(t, uri); why != "" {
			t.Skip(suite.NotHere + why)
		} else {
			fn(t, k)
		}
		return
	}
	t.Parallel()
	kinds := w.choose()
	if len(kinds) == 0 { // Unified Test Format, "runOnRequirements"
		t.Skip(suite.Nowhere + "no deployment in memory meets them")
	}
	for _, k := range kinds {
		t.Run(k.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { fn(t, k) })
		})
	}
}

// Kindred is a kind of deployment that cases run on.
type Kindred struct {
	Topology, Version string
	Auth              bool
	Parameters        bson.D
	mechanisms        []string // of authentication
	oneRouter         bool     // behind a load balancer
	narrow            bool     // a client knows one router unless the case says otherwise
	uri               string   // of a deployment that is there already
	single, several   string   // load balancers of one, in front of one router and of several
}

func (k Kindred) String() string { return k.Topology + "-" + k.Version }

// isMet reports whether a deployment meets one requirement of every list.
func (w Where) isMet(k Kindred) bool {
	if slices.Contains(w.except, k.Topology) {
		return false
	}
	for _, list := range w.lists {
		if !slices.ContainsFunc(list, k.meets) {
			return false
		}
	}
	return true
}

// meets reports whether a kind of deployment meets a requirement.
func (k Kindred) meets(r Requirement) bool {
	switch {
	case r.MinVersion != "" && isOlder(k.Version, r.MinVersion), r.MaxVersion != "" && isOlder(r.MaxVersion, k.Version):
		return false
	case r.Serverless == "require":
		return false
	case r.Auth != nil && *r.Auth != k.Auth:
		return false
	case r.AuthMechanism != "" && !slices.ContainsFunc(k.mechanisms, func(m string) bool { return strings.EqualFold(m, r.AuthMechanism) }):
		return false
	case r.Encryption != nil && !*r.Encryption:
		return false // the driver has client-side encryption, without libmongocrypt and so of every version of it
	case len(r.Topologies) > 0 && !slices.Contains(r.Topologies, k.Topology):
		if k.Topology != "sharded" || !slices.Contains(r.Topologies, "sharded-replicaset") {
			return false
		}
	}
	for _, p := range r.Parameters {
		if v, ok := k.Parameters.Lookup(p.Key); !ok || (matcher{}).match(p.Value, raw(v), false, "") != nil {
			return false
		}
	}
	return true
}

func isOlder(a, b string) bool { return compareVersions(a, b) < 0 }

// compareVersions compares major, minor and patch; a part that is missing is zero. Unified Test Format, "Version String".
func compareVersions(a, b string) int {
	x, y := versionParts(a), versionParts(b)
	return slices.Compare(x[:], y[:])
}

func versionParts(text string) [3]int {
	var parts [3]int
	for i, part := range strings.SplitN(text, ".", 4) {
		if i < 3 {
			n, err := strconv.Atoi(strings.SplitN(part, "-", 2)[0])
			if err != nil {
				panic(fmt.Sprintf("unified: %q is no version", text))
			}
			parts[i] = n
		}
	}
	return parts
}
