package mongo_test

import (
	"debug/elf"
	"os"
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
	build := exec.Command("go", "build", "-o", binary, "./testdata/plain")
	build.Env = append(os.Environ(), "GOOS=linux") // what package elf reads
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var linked []string
	connects := false
	for _, s := range symbols {
		switch {
		case strings.Contains(s.Name, "runtime/mongodebug"):
			t.Errorf("the page of package mongodebug is linked: %s", s.Name)
		case strings.Contains(s.Name, "runtime/internal/encrypt/"):
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && !strings.Contains(s.Name, ".init") {
				linked = append(linked, s.Name)
			}
		}
		connects = connects || strings.HasSuffix(s.Name, "runtime/mongo.Connect")
	}
	if len(linked) > 0 {
		t.Errorf("%d functions of encryption are linked, such as %s", len(linked), linked[0])
	}
	if !connects {
		t.Error("the symbols of the program are not there")
	}
}
