package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestOverlay checks that what a file of ours declares takes the place of a package's declarations, and nothing else does.
func TestOverlay(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	moved := `package shop

import "fmt"

const (
	low  = 1
	high = 2
)

type order struct{ id int }

// print is documented.
func (o *order) print() { fmt.Println(o.id) }

func (o *order) size() int { return high }

func print() {}

var limit = low
`
	path := filepath.Join(folder, "shop", "order.go")
	if err := os.WriteFile(path, []byte(moved), 0o644); err != nil {
		t.Fatal(err)
	}
	ours := "package shop\n\nconst high = 3\n\nvar limit = high\n\nfunc (o *order) print() {}\n"
	if err := placeOverlay(folder, fstest.MapFS{"shop/ours.go.txt": {Data: []byte(ours)}, "other/ours.go.txt": {}}, []string{"./shop"}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"low  = 1": true, "high = 2": false, "type order": true, "o.id": false, "size() int": true, "func print()": true,
		"var limit": false, `import "fmt"`: true,
	} {
		if strings.Contains(string(left), text) != want {
			t.Errorf("%q is to be there: %v\n%s", text, want, left)
		}
	}
	if got, err := os.ReadFile(filepath.Join(folder, "shop", "ours.go")); err != nil || string(got) != ours {
		t.Errorf("%s, %v", got, err)
	}
}
