package picture

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

func TestDraw(t *testing.T) {
	r := &world.Result{
		Scenario: &scenario.Scenario{
			World: scenario.World{Seed: 4711, Nodes: 1, Shape: scenario.ReplicaSet, Length: time.Minute}, Clients: make([]scenario.Client, 1),
			Workers: []scenario.Worker{{Workload: scenario.Bank}},
		},
		Violations: []world.Violation{
			{Checker: "bank", At: time.Second, Text: "<money> is gone"}, {Checker: "bank", At: time.Minute, Text: "<money> is gone"},
		},
		History: []world.Record{{End: time.Second, Text: "</script> in a text", Err: errors.New("no luck")}},
		Marks: []world.Mark{
			{Kind: "fault", Client: -1, Text: "kill", End: time.Second}, {Kind: "fault", Node: -1, Text: "crowd"},
			{Kind: "view", Node: -1, Text: "0=P"}, {Kind: "view", Node: -1, Text: "0=?"},
		},
	}
	var page bytes.Buffer
	if err := Draw(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Seed 4711", "bank at 1s: &lt;money&gt; is gone (2 times)", `"kind":"fault"`, `"kind":"blind"`, `"kind":"failed"`,
		"no luck", "elsewhere", "crowd for client 0"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(page.String(), "</script>"); n != 1 {
		t.Errorf("%d scripts end", n)
	}
}

// A member is a secondary when it is neither primary nor stopped. Faults of other kinds leave it one.
func TestSecondaries(t *testing.T) {
	mark := func(kind, text string, from, to time.Duration) world.Mark {
		return world.Mark{Kind: kind, Client: -1, Start: from * time.Second, End: to * time.Second, Text: text}
	}
	r := &world.Result{
		Scenario: &scenario.Scenario{World: scenario.World{Nodes: 2, Shape: scenario.ReplicaSet, Length: 10 * time.Second}},
		Marks: []world.Mark{
			mark("role", "primary", 1, 3), mark("fault", "kill", 3, 4), mark("fault", "kill", 2, 5), mark("fault", "slowNode wait=1s", 6, 7),
			mark("fault", "reconfigure", 8, 9),
		},
	}
	want := []bar{{0, 1000, "secondary", "secondary"}, {5000, 8000, "secondary", "secondary"}, {9000, 10000, "secondary", "secondary"}}
	if got := secondaryBars(r, 0); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := secondaryBars(r, 1), []bar{{0, 10000, "secondary", "secondary"}}; !slices.Equal(got, want) {
		t.Errorf("a member without marks: got %v, want %v", got, want)
	}
}
