// Package guide_test holds the code of the guides in this folder, as examples that run.
package guide_test

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/specdrivers/onion/generated/options"
	"github.com/specdrivers/onion/runtime/mongo"
	"github.com/specdrivers/onion/tools/mongotest"
)

// TestGuidesShowTestedCode checks that each block of Go in the guides is in an example.
func TestGuidesShowTestedCode(t *testing.T) {
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range sources {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(flatten(string(src)))
	}
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("%d guides, %v", len(guides), err)
	}
	for _, path := range guides {
		if path == firstHour {
			continue // the test below compares it from its first line to its last
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(text), "```go\n")[1:] {
			block, _, _ := strings.Cut(part, "```")
			if !strings.Contains(all.String(), flatten(block)) {
				t.Errorf("%s, block %d is not part of an example:\n%s", path, i+1, block)
			}
		}
	}
}

const firstHour = "firsthour.md"

// TestFirstHourIsOneProgram compares all blocks of the guide, in their order, with the example that runs: a reader who types the
// page from its beginning has the same program.
func TestFirstHourIsOneProgram(t *testing.T) {
	page, err := os.ReadFile(firstHour)
	if err != nil {
		t.Fatal(err)
	}
	var program strings.Builder
	for _, part := range strings.Split(string(page), "```go\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		program.WriteString(block)
	}
	example, err := os.ReadFile("firsthour_test.go")
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := strings.Cut(string(example), "// Output:")
	asMain := strings.NewReplacer("package guide_test", "package main", "func Example_firstHour()", "func main()")
	typed, tested := strings.Split(flatten(program.String()), "\n"), strings.Split(flatten(asMain.Replace(body)+"}\n"), "\n")
	for i := range min(len(typed), len(tested)) {
		if typed[i] != tested[i] {
			t.Fatalf("line %d of the page's program is\n%s\nand of the example's\n%s", i+1, typed[i], tested[i])
		}
	}
	if len(typed) != len(tested) {
		t.Errorf("the page's program has %d lines, the example %d", len(typed), len(tested))
	}
}

// flatten removes the indentation, because a block in a guide has less of it than the same lines in a function.
func flatten(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// connect starts a replica set in memory and a client of it. The set stops with the program.
func connect(opts ...*options.Client) (context.Context, *mongo.Client) {
	server, err := mongotest.New(mongotest.ReplicaSet(3))
	if err != nil {
		log.Fatal(err)
	}
	client, err := mongo.Connect(context.Background(), server.URI(), opts...)
	if err != nil {
		log.Fatal(err)
	}
	return context.Background(), client
}
