package upstream_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/specdrivers/onion/gen/upstream"
)

func TestCheckout(t *testing.T) {
	elsewhere := t.TempDir()
	if err := os.Mkdir(filepath.Join(elsewhere, "source"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(root, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for name, specs := range map[string]string{"absolute": elsewhere, "relative to the repository": relative} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SPECS", specs)
			if got, err := upstream.Checkout(); err != nil || got != elsewhere {
				t.Errorf("got %s and %v, want %s", got, err, elsewhere)
			}
			if got, want := upstream.Path(t, "source", "crud"), filepath.Join(elsewhere, "source", "crud"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Setenv("SPECS", t.TempDir())
		if got, err := upstream.Checkout(); err == nil {
			t.Errorf("%s has no specifications", got)
		}
		t.Setenv("SPECS_REQUIRED", "1")
		said := &failure{TB: t}
		done := make(chan struct{})
		go func() { defer close(done); upstream.Path(said) }()
		<-done
		if !said.failed {
			t.Error("a required checkout is missing, and the test goes on")
		}
	})
	t.Run("from nowhere", func(t *testing.T) {
		t.Setenv("SPECS", "specifications")
		t.Chdir(t.TempDir())
		if got, err := upstream.Checkout(); err == nil {
			t.Errorf("found %s outside the repository", got)
		}
	})
}

// failure notes that a test has failed fatally.
type failure struct {
	testing.TB
	failed bool
}

func (f *failure) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}
