package simulate

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/specdrivers/onion/tools/mutate/planted"
)

var (
	chosen = flag.String("mistakes", "", "plant the mistakes whose names match, one after the other")
	most   = flag.Int("most", 200, "how many seeds a mistake has to show in")
)

// caughtBy finds the checker in the output of a world that failed.
var caughtBy = regexp.MustCompile(`(?m)^\s+simulate_test\.go:\d+: ([a-z]+) at |^panic: (seed|the world|runtime|test timed out)|^(fatal error)`)

// TestMistakes plants mistakes and requires that a checker finds each. One build holds all of them, and the environment
// selects the bug of a run.
func TestMistakes(t *testing.T) {
	if *chosen == "" {
		t.Skip("no planted bugs are asked for")
	}
	wanted, err := regexp.Compile(*chosen)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overlay, err := planted.Overlay(mistakes, root, folder)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(folder, "simulate.test")
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range mistakes {
		if wanted.MatchString(m.Name) {
			t.Run(m.Name, func(t *testing.T) { plant(t, binary, m) })
		}
	}
}

// plant runs worlds with a bug until one fails, and prints a row of the table in README.md.
func plant(t *testing.T, binary string, m planted.Mistake) {
	folder := t.TempDir()
	worlds := exec.Command(binary, "-test.run", "TestSeeds", "-test.timeout", "0", "-first", fmt.Sprint(max(*first, 1)),
		"-seeds", fmt.Sprint(*most), "-test.v", "-stop", "-out", folder)
	worlds.Env = append(os.Environ(), planted.Variable+"="+m.Name)
	out, err := worlds.CombinedOutput()
	if err == nil {
		t.Errorf("| %s | **not caught in %d seeds** | |", m.Name, *most)
		return
	}
	var by []string
	for _, found := range caughtBy.FindAllSubmatch(out, -1) {
		name := string(bytes.Join(found[1:], nil))
		if !strings.Contains(strings.Join(by, ", "), name) {
			by = append(by, name)
		}
	}
	if len(by) == 0 {
		t.Fatalf("%s: the run failed, and no checker says why:\n%s", m.Name, out[max(0, len(out)-2000):])
	}
	tried := bytes.Count(out, []byte("--- FAIL: TestSeeds/")) + bytes.Count(out, []byte("--- PASS: TestSeeds/"))
	fmt.Printf("| %s | %s | %d |\n", m.Name, strings.Join(by, ", "), max(tried, 1))
}

// TestMistakesApply checks that every mistake fits the current sources, together with all the others.
func TestMistakesApply(t *testing.T) {
	if _, err := planted.Overlay(mistakes, "../..", t.TempDir()); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, m := range mistakes {
		if seen[m.Name] {
			t.Errorf("there are two mistakes %q", m.Name)
		}
		seen[m.Name] = true
		for _, e := range m.Edits {
			if !strings.Contains(e.Is, "PLANTED") {
				t.Errorf("%s: the bug is there in every run", m.Name)
			}
		}
	}
}
