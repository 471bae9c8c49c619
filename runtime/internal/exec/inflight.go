package exec

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/specdrivers/onion/runtime/internal/poison"
)

// maxSlots limits how many running operations Stats can describe. Operations beyond that are only counted.
const maxSlots = 128

// runningOperations lists the running operations. Each slot has its own lock. An operation only tries to take that lock
// when it starts, so no operation ever waits for another.
type runningOperations struct {
	next  atomic.Uint32
	slots [maxSlots]slot
}

type slot struct {
	mu   sync.Mutex
	used bool
	free poison.Mark
	info RunningOperation
}

// RunningOperation describes a running operation.
type RunningOperation struct {
	ID         int64 // the same as in the events of its commands
	Operation  string
	Database   string
	Collection string // empty for a command on no collection
	Began      time.Time
	Server     string // the server of the current try, empty during server selection
	Try        int    // 1 for the first one
}

// enter takes a slot for an operation. It tries only a few slots and returns nil if none of them is free.
func (f *runningOperations) enter(info RunningOperation) *slot {
	first := f.next.Add(1)
	for i := range uint32(4) {
		s := &f.slots[(first+i)%maxSlots]
		if !s.mu.TryLock() {
			continue
		}
		if !s.used {
			s.used, s.info = true, info
			s.free.ComesOut()
			s.mu.Unlock()
			return s
		}
		s.mu.Unlock()
	}
	return nil
}

// update records the server and the number of the current try.
func (s *slot) update(server string, try int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.free.InUse()
	s.info.Server, s.info.Try = server, try
	s.mu.Unlock()
}

func (s *slot) leave() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.used = false
	s.free.GoesBack()
	s.mu.Unlock()
}

// list copies the operations in the slots.
func (f *runningOperations) list() []RunningOperation {
	var out []RunningOperation
	for i := range f.slots {
		s := &f.slots[i]
		s.mu.Lock()
		if s.used {
			out = append(out, s.info)
		}
		s.mu.Unlock()
	}
	return out
}
