package suite

import (
	"os"
	"strings"
	"sync"
)

// TouchedVariable makes Touch print its notes; without it Touch does nothing.
const TouchedVariable = "ONION_TOUCHED"

// TouchedPrefix begins each line that Touch prints.
const TouchedPrefix = "touched\t"

// Touch notes that a case has made the driver look at a row of a table in specs. tools/conformance collects the notes
// from the output of the tests, which go test keeps with their results, to find rows that no case touches.
func Touch(table, row string) {
	if t := touched(); t != nil {
		t.note(TouchedPrefix + table + "\t" + strings.ReplaceAll(row, "\n", " ") + "\n")
	}
}

// touches are the notes of this process.
type touches struct {
	mu   sync.Mutex
	seen map[string]bool
}

var touched = sync.OnceValue(func() *touches {
	if os.Getenv(TouchedVariable) == "" {
		return nil
	}
	return &touches{seen: map[string]bool{}}
})

// note prints a line once, in one write, so the lines of parallel cases stay whole.
func (t *touches) note(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.seen[line] {
		t.seen[line] = true
		_, _ = os.Stdout.WriteString("\n" + line)
	}
}
