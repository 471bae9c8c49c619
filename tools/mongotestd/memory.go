package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// memoryTick is how often the program looks whether it can give memory back.
const memoryTick = time.Second

// giveBackMemory returns memory to the system when the program has become idle after it used much. By itself, the Go runtime keeps the
// memory of the largest collections for minutes, and never returns all of it.
func giveBackMemory(ctx context.Context) {
	var m memory
	ticker := time.NewTicker(memoryTick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			m.giveBackIfIdle()
		}
	}
}

const (
	idleBytes  = 1 << 20  // a program that allocates less between two looks is idle
	spareBytes = 32 << 20 // less is not worth the work
)

// memory is what the program knew of its memory at the last look.
type memory struct {
	allocated uint64 // in total
	kept      uint64 // what was left after memory was given back
}

// giveBackIfIdle gives memory back if the program is idle and has grown since it last did so. It reports whether it did.
func (m *memory) giveBackIfIdle() bool {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	allocated := samples[0].Value.Uint64()
	held := samples[1].Value.Uint64() - samples[2].Value.Uint64()
	idle := allocated-m.allocated < idleBytes
	m.allocated = allocated
	if !idle || held < m.kept+spareBytes {
		return false
	}
	debug.FreeOSMemory()
	metrics.Read(samples)
	m.allocated = samples[0].Value.Uint64()
	m.kept = samples[1].Value.Uint64() - samples[2].Value.Uint64()
	return true
}
