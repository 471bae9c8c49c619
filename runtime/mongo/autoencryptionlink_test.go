package mongo_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that has no AutoEncryption and does not call NewClientEncryption links no encryption code: neither the packages
// of encryption nor the packages of key management services. Variables that these packages initialize may stay.
func TestProgramsWithoutEncryptionDoNotLinkIt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a program")
	}
	binary := filepath.Join(t.TempDir(), "plain")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/plain").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "runtime/mongodebug") {
		t.Error("the page of package mongodebug is linked")
	}
	var linked []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "runtime/internal/encrypt/") && strings.Contains(line, " T ") && !strings.Contains(line, ".init") {
			linked = append(linked, strings.TrimSpace(line))
		}
	}
	if len(linked) > 0 {
		t.Errorf("%d functions of encryption are linked, such as %s", len(linked), linked[0])
	}
	if !strings.Contains(string(out), "runtime/mongo.Connect") {
		t.Error("the symbols of the program are not there")
	}
}
