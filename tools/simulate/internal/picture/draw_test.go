package picture

import (
	"bytes"
	"errors"
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
		Violations: []world.Violation{{Checker: "bank", At: time.Second, Text: "<money> is gone"}},
		History:    []world.Record{{End: time.Second, Text: "</script> in a text", Err: errors.New("no luck")}},
		Marks: []world.Mark{
			{Kind: "fault", Client: -1, Text: "kill", End: time.Second}, {Kind: "fault", Node: -1, Text: "crowd"}, {Kind: "view", Node: -1, Text: "0=P"}, {Kind: "view", Node: -1, Text: "0=?"},
		},
	}
	var page bytes.Buffer
	if err := Draw(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Seed 4711", "&lt;money&gt; is gone", `"kind":"fault"`, `"kind":"blind"`, `"kind":"failed"`, "no luck",
		"elsewhere", "crowd for client 0"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(page.String(), "</script>"); n != 1 {
		t.Errorf("%d scripts end", n)
	}
}
