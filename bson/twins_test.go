package bson

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var resultsFile = flag.String("results", "", "`file` that TestWriteResults writes this build's results for many documents to")

func TestTwinHasNoUnsafe(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "purego", "-f", "{{.ImportPath}}: {{.Imports}}", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "unsafe") {
			t.Errorf("built with purego, %s", line)
		}
	}
}

// TestWriteResults writes the results that TestTwinsAgree compares. It does nothing unless TestTwinsAgree runs it.
func TestWriteResults(t *testing.T) {
	if *resultsFile == "" {
		t.Skip("TestTwinsAgree runs it")
	}
	if err := os.WriteFile(*resultsFile, []byte(strings.Join(results(t), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// results decodes documents, whole and damaged, into types of each kind, and encodes the values again.
func results(t *testing.T) (lines []string) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 19))
		z := randomZoo(r, 1)
		for part := z; part != nil; part = part.Self {
			part.Map = map[string]zooPart{"one": {Num: 1}} // more than one would be in any order
		}
		for _, raw := range []Raw{mustMarshal(t, randomDocument(r, 3)), mustMarshal(t, z), mustMarshal(t, sampleOrder())} {
			lines = append(lines, resultsOf(raw)...)
			for range 10 {
				damaged := bytes.Clone(raw)
				damaged[r.IntN(len(damaged))] ^= byte(1 << r.IntN(8))
				lines = append(lines, resultsOf(damaged)...)
			}
		}
	}
	return lines
}

func resultsOf(raw Raw) (lines []string) {
	_, err := raw.Elements()
	text, textErr := AppendExtJSON(nil, raw, false)
	lines = append(lines, fmt.Sprintf("%q", fmt.Sprint(raw.Validate(), err, textErr, string(text))))
	for _, into := range []any{new(D), new(M), new(any), new(zoo), new(order), map[string]any{}} {
		err := Unmarshal(raw, into)
		again, encodeErr := Marshal(into, &MarshalOptions{OmitEmpty: len(raw)%2 == 0})
		m := map[string]any{} // fmt prints it in the order of the keys
		decodeErr := Unmarshal(again, &m, &UnmarshalOptions{DefaultDocument: DocumentMap})
		lines = append(lines, fmt.Sprintf("%T: %q", into, fmt.Sprint(err, encodeErr, decodeErr, m)))
	}
	return lines
}
