package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// TestLineEditsOfManyChanges changes every third of a thousand lines: no edit may touch another line.
func TestLineEditsOfManyChanges(t *testing.T) {
	var before, after strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&before, "line %d\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&after, "other %d\nmore\n", i)
			continue
		}
		fmt.Fprintf(&after, "line %d\n", i)
	}
	edits := lineEdits(before.String(), after.String())
	if got, err := udiff.Apply(before.String(), edits); err != nil || got != after.String() {
		t.Fatal("the edits do not lead from one text to the other", err)
	}
	for _, e := range edits {
		if strings.Count(e.New, "\n") > 2 || strings.Count(before.String()[e.Start:e.End], "\n") > 1 {
			t.Fatalf("one edit has %q for %q", e.New, before.String()[e.Start:e.End])
		}
	}
}

// TestImportsAreSorted adds an import to a file that was not formatted.
func TestImportsAreSorted(t *testing.T) {
	before := "package a\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nvar  a = fmt.Sprint(strings.ToUpper(\"a\"))\n"
	after := strings.Replace(before, "\t\"fmt\"", "\t\"reflect\"\n\t\"fmt\"", 1)
	got, err := formatText([]byte(before), []byte(after))
	want := strings.Replace(before, "\t\"fmt\"\n", "\t\"fmt\"\n\t\"reflect\"\n", 1)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
