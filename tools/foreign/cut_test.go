package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCutFiles checks that as little as possible is cut: a subtest rather than its test, a test rather than its package, and then what
// nothing uses any more.
func TestCutFiles(t *testing.T) {
	const before = `package p

import (
	"fmt"
	"testing"
)

func TestOne(t *testing.T) {
	x := 1
	t.Run("good", func(t *testing.T) { fmt.Println() })
	t.Run("bad", func(t *testing.T) {
		gone()
	})
}

func TestTwo(_ *testing.T) {
	gone()
}

func helper() int { return gone() }

func assertHelper(t *testing.T) int { return gone() }
`
	const complaints = `# p
p/p_test.go:4:2: "fmt" imported and not used
p/p_test.go:9:2: declared and not used: x
p/p_test.go:12:3: undefined: gone
p/p_test.go:17:2: undefined: gone
p/p_test.go:20:29: undefined: gone
p/p_test.go:22:47: undefined: gone
elsewhere/e.go:1:1: undefined: gone
`
	folder := t.TempDir()
	path := filepath.Join(folder, "p", "p_test.go")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cutFiles(folder, []string{"./p"}, complaints); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	after := string(src)
	for _, want := range []string{
		`_ "fmt"`, "_ = x", `t.Run("good", func(t *testing.T) { fmt.Println() })`,
		`t.Run("bad", func(t *testing.T) { t.Fatal("does not compile: undefined: gone") })`,
		`func TestTwo(t *testing.T) { t.Fatal("does not compile: undefined: gone") }`,
		`func assertHelper(t *testing.T) int { t.Fatal("does not compile: undefined: gone"); panic(0) }`,
	} {
		if !strings.Contains(after, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(after, "func helper") || t.Failed() {
		t.Errorf("the file is\n%s", after)
	}
	if err := cutFiles(folder, []string{"./p"}, "elsewhere/e.go:1:1: undefined: gone\n"); err == nil {
		t.Error("a mistake in another package cannot be cut")
	}
}
