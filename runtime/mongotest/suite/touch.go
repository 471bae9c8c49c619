package suite

import (
	"os"
	"sync"
)

// TouchedVariable names a file that Touch appends to; without it Touch does nothing.
const TouchedVariable = "ONION_TOUCHED"

// Touch notes that a case has made the driver look at a row of a table in specs. tools/conformance collects the notes
// to find rows that no case touches.
func Touch(table, row string) {
	if t := touched(); t != nil {
		t.note(table + "\t" + row + "\n")
	}
}

// touches are the notes of this process.
type touches struct {
	mu   sync.Mutex
	file *os.File
	seen map[string]bool
}

var touched = sync.OnceValue(func() *touches {
	name := os.Getenv(TouchedVariable)
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil
	}
	return &touches{file: file, seen: map[string]bool{}}
})

// note appends a line once; the processes of several packages append to one file, a line at a time.
func (t *touches) note(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.seen[line] {
		t.seen[line] = true
		_, _ = t.file.WriteString(line)
	}
}
