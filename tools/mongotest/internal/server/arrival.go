package server

import (
	"runtime"

	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// order prevents a write from overtaking a change stream whose aggregate arrived before it on another connection. An
// aggregate notes the last write at its arrival, so its stream begins there however long the command takes. When
// data comes on several connections at once, the runtime may wake the last one first; so a write lets the others go on.
func (r *request) order() {
	if r.Name == "aggregate" {
		r.arrived = r.node.latestSnapshot().Time()
		return
	}
	if row := r.cluster.commands[r.Name]; row != nil && row.access == writes {
		runtime.Gosched()
	}
}

// streamStart returns the last write before the command arrived, or the one that its read concern asks for. It is 0 if the command
// is no aggregate.
func (r *request) streamStart() store.Timestamp {
	if r.arrived == 0 {
		return 0
	}
	return max(r.arrived, r.read.After)
}
