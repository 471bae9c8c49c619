package exec

import (
	"bytes"
	"testing"
)

// An item that did not fit stays behind the end of the command, and may have made its buffer large.
func TestKeptBuffersAreSmallAndCleared(t *testing.T) {
	for name, tt := range map[string]struct {
		room int
		kept bool
	}{
		"small": {1 << 10, true},
		"large": {2 * maxKeptCommand, false},
	} {
		buffer := bytes.Repeat([]byte("secret"), tt.room/6)
		buffer = buffer[:5:len(buffer)]
		var kept []byte
		new(Executor).keepCommand(&kept, buffer)
		if got := kept != nil; got != tt.kept {
			t.Errorf("%s: kept: %t, want %t", name, got, tt.kept)
		}
		if bytes.Contains(kept[:cap(kept)], []byte("s")) {
			t.Errorf("%s: the next command finds what this one was", name)
		}
	}
}
