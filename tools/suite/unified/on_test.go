package unified

import (
	"slices"
	"testing"

	"github.com/specdrivers/onion/bson"
)

// Unified Test Format, "runOnRequirement".
func TestRequirements(t *testing.T) {
	set := Kindred{
		Topology: "replicaset", Version: "7.0.4", Auth: true, mechanisms: []string{"SCRAM-SHA-256"},
		Parameters: bson.Doc("enableTestCommands", true, "limit", int32(3)),
	}
	for _, tt := range []struct {
		name string
		r    Requirement
		want bool
	}{
		{"nothing", Requirement{}, true},
		{"an older version", Requirement{MinVersion: "4.2"}, true},
		{"this version", Requirement{MinVersion: "7.0.4", MaxVersion: "7.0.4"}, true},
		{"a newer patch", Requirement{MinVersion: "7.0.5"}, false},
		{"versions are no texts", Requirement{MinVersion: "6.10", MaxVersion: "10.0"}, true},
		{"up to a patch", Requirement{MaxVersion: "7.0.99"}, true},
		{"up to an older version", Requirement{MaxVersion: "7.0"}, false},
		{"its topology", Requirement{Topologies: []string{"sharded", "replicaset"}}, true},
		{"another topology", Requirement{Topologies: []string{"single"}}, false},
		{"no serverless instance", Requirement{Serverless: "forbid"}, true},
		{"either", Requirement{Serverless: "allow"}, true},
		{"a serverless instance", Requirement{Serverless: "require"}, false},
		{"authentication", Requirement{Auth: new(true)}, true},
		{"no authentication", Requirement{Auth: new(false)}, false},
		{"a mechanism, in any case of letters", Requirement{AuthMechanism: "scram-sha-256"}, true},
		{"another mechanism", Requirement{AuthMechanism: "MONGODB-AWS"}, false},
		{"a parameter", Requirement{Parameters: bson.Doc("enableTestCommands", true)}, true},
		{"a number of another type", Requirement{Parameters: bson.Doc("limit", 3.0)}, true},
		{"another value", Requirement{Parameters: bson.Doc("limit", 4)}, false},
		{"a parameter that the server lacks", Requirement{Parameters: bson.Doc("other", nil)}, false},
		{"all of them", Requirement{MinVersion: "4.4", Topologies: []string{"replicaset"}, Auth: new(true)}, true},
		{"all but one", Requirement{MinVersion: "4.4", Topologies: []string{"sharded"}, Auth: new(true)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := set.meets(tt.r); got != tt.want {
				t.Errorf("it meets the requirement: %v", got)
			}
		})
	}
	sharded := Kindred{Topology: "sharded", Version: "4.2"}
	if !sharded.meets(Requirement{Topologies: []string{"sharded-replicaset"}}) || set.meets(Requirement{Topologies: []string{"sharded-replicaset"}}) {
		t.Error("sharded-replicaset is a sharded cluster of replica sets")
	}
}

func TestOneRequirementOfEachListIsMet(t *testing.T) {
	old, mode := AnyOf{{MaxVersion: "4.4.99"}, {MinVersion: "8.0"}}, AnyOf{{Topologies: []string{"single"}}}
	var names []string
	for _, k := range On(old, mode).choose() {
		names = append(names, k.String())
	}
	want := []string{"single-4.2", "single-8.0", "single-9.0"} // the oldest, 8.0 and the newest
	if len(names) != len(want) || names[0] != want[0] || names[1] != want[1] || names[2] != want[2] {
		t.Errorf("chose %v, want %v", names, want)
	}
	if chosen := On(mode).Except("single").choose(); len(chosen) != 0 {
		t.Errorf("an excepted topology is chosen: %v", chosen)
	}
}

// Unified Test Format, "Version String".
func TestVersionsAreComparedByParts(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"4.0.10", "4.0.9", 1}, {"4.0.10", "4.2", -1}, {"3.6", "3.6.0", 0}, {"5", "5.0.0", 0}, {"4.9.0-alpha4-271-g7d5cf02", "4.9.0", 0},
	} {
		if got := compareVersions(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// Unified Test Format, "serverParameters": the lists of the file and of the test must hold together, and what is in one list
// are alternatives.
func TestServerParametersOfSeveralLists(t *testing.T) {
	commands, api := bson.Doc("enableTestCommands", true), bson.Doc("requireApiVersion", true)
	for _, tt := range []struct {
		name  string
		lists []AnyOf
		want  bson.D // of every deployment that is chosen, nil for none
	}{
		{"what deployments in memory have", []AnyOf{{{Parameters: commands}}}, parameters},
		{"nothing", nil, parameters},
		{"another value", []AnyOf{{{Parameters: api}}}, bson.Doc("enableTestCommands", true, "requireApiVersion", true)},
		{"file and test", []AnyOf{{{Parameters: bson.Doc("a", 1)}}, {{Parameters: bson.Doc("b", 2)}}},
			append(slices.Clone(parameters), bson.Doc("a", 1, "b", 2)...)},
		{"the alternative that agrees",
			[]AnyOf{{{Parameters: bson.Doc("a", 1)}, {Parameters: bson.Doc("a", 2)}}, {{Parameters: bson.Doc("a", 2)}}},
			append(slices.Clone(parameters), bson.Doc("a", 2)...)},
		{"the alternative of another topology",
			[]AnyOf{{{Topologies: []string{"none"}, Parameters: api}, {Topologies: []string{"single"}}}}, parameters},
		{"no two values", []AnyOf{{{Parameters: bson.Doc("a", 1)}}, {{Parameters: bson.Doc("a", 2)}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kinds := On(tt.lists...).choose()
			if (len(kinds) > 0) != (tt.want != nil) {
				t.Errorf("chose %v", kinds)
			}
			for _, k := range kinds {
				if err := matchExactly(tt.want, raw(k.Parameters)); err != nil {
					t.Errorf("%s: %v", k, err)
				}
			}
		})
	}
}

// Unified Test Format, "minServerVersion", "runOnRequirements".
func TestVersionsBetweenReleases(t *testing.T) {
	single := []string{"single"}
	for _, tt := range []struct {
		name  string
		lists []AnyOf
		want  []string
	}{
		{"a window inside a release", []AnyOf{{{MinVersion: "4.4.7", MaxVersion: "4.4.99", Topologies: single}}}, []string{"single-4.4.7"}},
		{"of two lists", []AnyOf{{{MinVersion: "6.0.3"}}, {{MaxVersion: "6.0.99", Topologies: single}}}, []string{"single-6.0.3"}},
		{"a release in the window", []AnyOf{{{MinVersion: "4.4.7", MaxVersion: "5.0", Topologies: single}}}, []string{"single-5.0"}},
		{"an unknown release", []AnyOf{{{MinVersion: "99.0"}}}, nil},
		{"too old", []AnyOf{{{MaxVersion: "3.6.99"}}}, nil},
		{"no topology", []AnyOf{{{Topologies: single}}, {{Topologies: []string{"sharded"}}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var names []string
			for _, k := range On(tt.lists...).choose() {
				names = append(names, k.String())
			}
			if !slices.Equal(names, tt.want) {
				t.Errorf("chose %v, want %v", names, tt.want)
			}
		})
	}
}

// Unified Test Format, "runOnRequirements": what no deployment meets is skipped.
func TestWhatNoDeploymentMeetsIsSkipped(t *testing.T) {
	if serverURI() != "" {
		t.Skip("the deployments in memory do not count")
	}
	ran := make(chan bool, 1)
	t.Run("group", func(t *testing.T) {
		t.Run("case", func(t *testing.T) {
			t.Cleanup(func() { ran <- t.Skipped() && !t.Failed() })
			On(AnyOf{{MinVersion: "99.0"}}).Test(t, func(r *Run) { r.failf("the case runs") })
		})
	})
	if !<-ran {
		t.Error("the case is not skipped")
	}
	On(AnyOf{{MinVersion: "4.4.7", MaxVersion: "4.4.99"}}).Test(t, func(r *Run) { r.Data("d", "c", bson.Doc("_id", 1)) })
}
