package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/specdrivers/onion/gen/suite"
)

// someCases are cases of one file that failed with the messages given, or passed where these are empty.
func someCases(messages map[string]string) (*suite.Result, map[*suite.Case]*outcome) {
	f := &suite.File{Path: "source/crud/tests/find.json", Suite: "crud", Base: "find"}
	compiled, results := &suite.Result{}, map[*suite.Case]*outcome{}
	for _, name := range []string{"a", "b", "c"} {
		if message, ok := messages[name]; ok {
			c := &suite.Case{File: f, Name: name}
			compiled.Cases = append(compiled.Cases, c)
			results[c] = &outcome{done: true, passed: message == "", message: message}
		}
	}
	return compiled, results
}

func TestPendingListsExactlyWhatFails(t *testing.T) {
	before, failed := someCases(map[string]string{"a": "x_test.go:3: no 127.0.0.1:99 here\nmore", "b": "", "c": "other"})
	p := &pending{}
	p.update(before, failed)
	name := filepath.Join(t.TempDir(), "pending.yaml")
	if err := p.write(name); err != nil {
		t.Fatal(err)
	}
	p, err := readPending(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 2 || p.Rows[0].Reason != "no ... here" || !slices.Equal(p.Rows[1].Cases, []string{"c"}) {
		t.Fatalf("rows %+v %+v", *p.Rows[0], *p.Rows[1])
	}
	tests := map[string]struct {
		messages      map[string]string
		fails, passes []string
	}{
		"the same fail": {map[string]string{"a": "x", "b": "", "c": "y"}, nil, nil},
		"a new failure": {map[string]string{"a": "x", "b": "z", "c": "y"}, []string{"crud/find: b"}, nil},
		"one repaired":  {map[string]string{"a": "", "b": "", "c": "y"}, nil, []string{"crud/find: a"}},
		"not all run":   {map[string]string{"b": ""}, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fails, passes := p.judge(someCases(tt.messages))
			if !slices.Equal(fails, tt.fails) || !slices.Equal(passes, tt.passes) {
				t.Errorf("fails %v, passes %v", fails, passes)
			}
		})
	}
}

func TestPendingNamesNoCaseWhenAllFail(t *testing.T) {
	p := &pending{Rows: []*pendingRow{{Suite: "crud", File: "find", Reason: "old", Cases: []string{"a"}},
		{Suite: "crud", File: "other", Reason: "kept", Cases: []string{"a"}}}}
	compiled, results := someCases(map[string]string{"a": "same", "c": "same"})
	p.update(compiled, results)
	if len(p.Rows) != 2 || p.Rows[0].Reason != "same" || p.Rows[0].Cases != nil {
		t.Fatalf("rows %+v", p.Rows)
	}
}
