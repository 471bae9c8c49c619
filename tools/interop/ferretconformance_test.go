package interop

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

// TestConformanceOnFerretDB runs upstream's cases on an existing deployment, as a user with a MongoDB does:
// tools/conformance with -server. FerretDB supports no sessions and no fail points, so many cases fail; the cases that
// it supports pass.
func TestConformanceOnFerretDB(t *testing.T) {
	specs := upstream.Path(t)
	name := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command("go", "run", "./tools/conformance", "-specs", specs, "-server", startEmbeddedFerret(t), "-suite", "crud",
		"-run", `^crud/unified/(find|distinct|deleteOne-let|insertOne-dots_and_dollars|aggregate-write-readPreference)/`, "-json", name)
	cmd.Dir = "../.."
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1 means that cases failed
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Totals   struct{ Cases, Passed, Failed, Skipped int }
		Failures []struct{ File, Case, Message string }
		Skips    []struct{ Reason string }
	}
	if err := json.Unmarshal(data, &report); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Failures {
		t.Logf("%s: %s: %.300s", f.File, f.Case, f.Message)
		if base := filepath.Base(f.File); base != "deleteOne-let.json" && base != "insertOne-dots_and_dollars.json" { // FerretDB supports neither
			t.Errorf("%s: %s fails", f.File, f.Case)
		}
	}
	for _, s := range report.Skips {
		if !strings.HasPrefix(s.Reason, "does not apply to this deployment: it is single-") {
			t.Errorf("skipped: %s", s.Reason)
		}
	}
	n := report.Totals
	t.Logf("%+v", n)
	if n.Passed == 0 || n.Skipped == 0 || n.Passed+n.Failed+n.Skipped != n.Cases {
		t.Errorf("totals %+v", n)
	}
}
