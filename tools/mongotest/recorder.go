package mongotest

import (
	"sync"

	"github.com/specdrivers/onion/tools/mongotest/internal/server"
)

// A deployment stores the commands that it received in blocks, so adding one never moves the others. When all
// blocks are full, it drops the oldest one.
const (
	recordedBlock  = 1000
	recordedBlocks = 100
)

// recorder remembers the commands received.
type recorder struct {
	mu     sync.Mutex
	blocks [][]Command
	heard  chan struct{} // closed when the next command arrives; nil while nothing waits
}

// next returns a channel that closes when the next command arrives.
func (r *recorder) next() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heard == nil {
		r.heard = make(chan struct{})
	}
	return r.heard
}

func (r *recorder) add(c server.Command) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.blocks) - 1
	if last < 0 || len(r.blocks[last]) == recordedBlock {
		if len(r.blocks) == recordedBlocks {
			r.blocks = append(r.blocks[:0:0], r.blocks[1:]...)
		}
		r.blocks = append(r.blocks, nil)
		last = len(r.blocks) - 1
	}
	r.blocks[last] = append(r.blocks[last], Command(c))
	if r.heard != nil {
		close(r.heard)
		r.heard = nil
	}
}

func (r *recorder) commands() []Command {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Command
	for _, block := range r.blocks {
		all = append(all, block...)
	}
	return all
}

func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blocks = nil
}
