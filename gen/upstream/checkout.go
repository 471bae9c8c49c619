// Package upstream serves tests, not users: it finds the checkout of the upstream specifications that they read.
package upstream

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Path joins names to the folder of the checkout. SPECS names the checkout, relative to the repository; otherwise it lies
// beside the repository. Where it is missing, the test is skipped, or fails if SPECS_REQUIRED is set.
func Path(t testing.TB, names ...string) string {
	t.Helper()
	checkout, err := Checkout()
	if err != nil {
		if os.Getenv("SPECS_REQUIRED") != "" {
			t.Fatalf("%v, and SPECS_REQUIRED requires one", err)
		}
		fmt.Fprintf(os.Stderr, "SKIPPED %s: %v\n", t.Name(), err)
		t.SkipNow()
	}
	return filepath.Join(append([]string{checkout}, names...)...)
}

// Checkout is the folder of the checkout, or says where there is none.
func Checkout() (string, error) {
	dir := cmp.Or(os.Getenv("SPECS"), "../shared/specifications")
	if !filepath.IsAbs(dir) {
		root, err := repository()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "source")); err != nil {
		return "", fmt.Errorf("there is no checkout of the specifications in %s: set SPECS to one", dir)
	}
	return dir, nil
}

// repository is the folder of the root module, wherever below it a test runs. A test must not count the folders between:
// when its package moved, it would look elsewhere, find nothing and skip.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(mod), "module github.com/specdrivers/onion\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in a checkout of the driver", start)
		}
	}
}
