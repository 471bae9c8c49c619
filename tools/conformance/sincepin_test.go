package main

import (
	"testing"
	"testing/fstest"

	"github.com/specdrivers/onion/gen/suite"
)

// TestNewCasesAreNamed: a case that the pins do not have, or have with another content.
func TestNewCasesAreNamed(t *testing.T) {
	find := func(text string) []*suite.File {
		files, err := suite.Find(fstest.MapFS{"source/till/tests/till.json": {Data: []byte(text)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	const before = `{"description": "till", "schemaVersion": "1.0", "tests": [{"description": "opens", "operations": []}, {"description": "closes", "operations": []}]}`
	const after = `{"description": "till", "schemaVersion": "1.0", "tests": [{"description": "opens", "operations": []}, {"description": "closes", "operations": [1]}, {"description": "rings", "operations": []}]}`
	pins := suite.PinFiles(find(before))
	pins.Files["till/tests/till.json"] = pins.Files["source/till/tests/till.json"]
	for text, want := range map[string][]newCase{
		before: nil,
		after: {
			{Suite: "till", File: "source/till/tests/till.json", Case: "closes", Changed: true},
			{Suite: "till", File: "source/till/tests/till.json", Case: "rings"},
		},
	} {
		compiled := &suite.Result{}
		for _, f := range find(text) {
			for _, c := range f.NamedCases() {
				compiled.Cases = append(compiled.Cases, &suite.Case{File: f, Name: c.Name})
			}
		}
		got := sincePins(pins, compiled)
		if len(got) != len(want) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("got %+v, want %+v", got[i], want[i])
			}
		}
	}
}
