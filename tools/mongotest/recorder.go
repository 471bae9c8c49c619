package mongotest

import "sync"

// The commands that a deployment remembers are kept in blocks, so that adding one moves no others; the oldest block is
// forgotten for the first command beyond the last one.
const (
	recordedBlock  = 1000
	recordedBlocks = 100
)

// recorder remembers what was received.
type recorder struct {
	mu     sync.Mutex
	blocks [][]Command
}

func (r *recorder) add(req *request) {
	if req.d.config.unrecorded {
		return
	}
	c := req.command()
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
	r.blocks[last] = append(r.blocks[last], c)
}

func (r *recorder) all() []Command {
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
