package scenario

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestSameSeedSameScenario(t *testing.T) {
	for seed := range uint64(50) {
		a, b := Generate(seed), Generate(seed)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d gave two scenarios", seed)
		}
		if reflect.DeepEqual(a.Faults, Generate(seed+1).Faults) {
			t.Fatalf("seeds %d and %d have the same faults", seed, seed+1)
		}
	}
}

func TestWriteAndRead(t *testing.T) {
	for seed := range uint64(50) {
		var text bytes.Buffer
		want := Generate(seed)
		if err := Write(&text, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(strings.NewReader("# a comment\n\n" + text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: a file holds something else", seed)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown word": "earthquake at=1s", "an unknown name": "fault depth=3", "no value": "fault at", "no time": "fault at=x",
		"no number": "op key=x", "no step": "op steps=[a]",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// A fault names the node or client that it hits, or neither. Every kind of fault occurs.
func TestFaultsNameWhatTheyHit(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(100) {
		s := Generate(seed)
		for _, f := range s.Faults {
			seen[f.Kind] = true
			node, client := f.concerns()
			if (f.Node >= 0) != node || !client && f.Client >= 0 || f.Node >= s.World.Nodes || f.Client >= len(s.Clients) {
				t.Fatalf("seed %d: %s is for node %d and client %d", seed, f.Kind, f.Node, f.Client)
			}
		}
	}
	for _, kind := range Kinds {
		if !seen[kind] {
			t.Errorf("no seed has the fault %s", kind)
		}
	}
}
