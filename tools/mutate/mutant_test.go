package main

import (
	"slices"
	"testing"
)

func TestMutantsChangeFactsAndNotProse(t *testing.T) {
	const table = `# a: true
rows:
  - {name: A, on: true, cell: [One, Two], min: 3, doc: "it is: true [x]", spec: 'S, min: 4'}
  - name: B
    doc: "max: 5"
    duration: 15ms
`
	var got []string
	for _, m := range mutants(&target{file: "f.yaml"}, table) {
		got = append(got, m.String())
	}
	want := []string{
		"specs/f.yaml:3: true -> false",
		"specs/f.yaml:3: One, Two -> Two",
		"specs/f.yaml:3: One, Two -> One",
		"specs/f.yaml:3: 3 -> 4",
		"specs/f.yaml:6: 15 -> 16",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestMutantKeepsTheRestOfTheTable(t *testing.T) {
	m := mutants(&target{}, "a: 1\nb: true\nc: 2\n")
	if len(m) != 1 || m[0].text != "a: 1\nb: false\nc: 2\n" {
		t.Errorf("%+v", m)
	}
}
