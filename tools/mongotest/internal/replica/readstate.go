package replica

import (
	"context"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// AwaitLinearizable waits until a majority has everything that the primary has now, and returns that state. No other primary can have
// more. What is written during the wait is not part of it: a rollback could still lose it.
func (s *Set) AwaitLinearizable(ctx context.Context, node int, in Term) (*store.Snapshot, error) {
	if role, _ := s.RoleOf(node); role != Primary {
		return nil, status.Errorf(errcode.NotWritablePrimary, "cannot satisfy linearizable read concern on non-primary node")
	}
	state := s.Store.Latest()
	at := state.Time()
	err := Await(ctx, func() (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.inTerm(in) {
			return false, status.Errorf(errcode.InterruptedDueToReplStateChange, "operation was interrupted")
		}
		if _, majority := s.positions(node); majority < at {
			return false, nil
		}
		s.Clock.Acknowledge(at)
		return true, nil
	})
	return state, err
}

// VisibleSnapshot returns the newest state that a node may show at a read concern level. nil means the latest of all.
func (s *Set) VisibleSnapshot(node int, level string) *store.Snapshot {
	committed := level == concern.Majority || level == concern.Snapshot
	if !committed && !s.Processes[node].Lagging.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, majority := s.positions(node)
	if committed {
		own = min(own, majority)
	}
	snapshot := s.Clock.At(own)
	if committed {
		s.Clock.Acknowledge(snapshot.Time()) // a rollback must not lose what this read has seen
	}
	return snapshot
}

// CommittedSnapshot returns the newest state that a majority has, as far as a node can tell. A rollback cannot undo what a change
// stream shows of it.
func (s *Set) CommittedSnapshot(node int) *store.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, majority := s.positions(node)
	snapshot := s.Clock.At(min(own, majority))
	s.Clock.Acknowledge(snapshot.Time())
	return snapshot
}
