package simulate

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/simulate/internal/scenario"
	"github.com/specdrivers/onion/tools/simulate/internal/world"
)

// cases is the folder of scenarios that once failed. Every run carries them out again.
const cases = "testdata"

func TestCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(cases, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s, err := load(file)
			if err != nil {
				t.Fatal(err)
			}
			report(t, run(t, s))
		})
	}
}

// TestKeepCase shows that a kept case can be read again, and that a second one does not overwrite it.
func TestKeepCase(t *testing.T) {
	s := scenario.Generate(1)
	result := &world.Result{Scenario: s, Violations: []world.Violation{{Checker: "bank", Text: "1 is missing,\nor 2"}}}
	file := filepath.Join(t.TempDir(), "kept.txt")
	if err := keepCase(file, result); err != nil {
		t.Fatal(err)
	}
	if err := keepCase(file, result); err == nil {
		t.Error("a case was overwritten")
	}
	again, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(again), fmt.Sprint(s); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func load(file string) (*scenario.Scenario, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scenario.Read(f)
}

// keepCase writes the scenario of a failure into a new file, which begins with the violations.
func keepCase(file string, result *world.Result) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := write(f, result); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// write writes the violations as comments, then the scenario.
func write(w io.Writer, result *world.Result) error {
	for _, v := range result.Violations {
		if _, err := fmt.Fprintf(w, "# %s\n", strings.ReplaceAll(v.String(), "\n", "\n# ")); err != nil {
			return err
		}
	}
	return scenario.Write(w, result.Scenario)
}
