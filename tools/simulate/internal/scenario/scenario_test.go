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
