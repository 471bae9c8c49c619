//go:build purego

package bson

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTwinsAgree compares the results of this build, without unsafe, with those of the usual one, document by document.
// The other tests and the fuzz targets run in both builds, too.
func TestTwinsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the twin")
	}
	file := filepath.Join(t.TempDir(), "results")
	run := exec.Command("go", "test", "-vet=off", "-run", "^TestWriteResults$", ".", "-args", "-results", file)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, got := results(t), strings.Split(string(text), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d results with unsafe, %d without", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("result %d differs:\nwithout unsafe: %s\nwith unsafe:    %s", i, want[i], got[i])
		}
	}
}
