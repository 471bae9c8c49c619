package replica

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/concern"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// replicationTick is how often a command that waits for other members checks their progress.
const replicationTick = 2 * time.Millisecond

// errWriteTimeout is the cause of a wait that wtimeout ended.
var errWriteTimeout = errors.New("wtimeout")

// AwaitWrite waits until the members that the write concern names have the write, or returns why they do not. in is the
// term of the write.
func (s *Set) AwaitWrite(ctx context.Context, wc *concern.Write, in Term, at store.Timestamp) error {
	if wc.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wc.Timeout, errWriteTimeout)
		defer cancel()
	}
	err := Await(ctx, func() (bool, error) { return s.isSatisfied(wc, in, at) })
	if err != nil && errors.Is(context.Cause(ctx), errWriteTimeout) && ctx.Err() != nil {
		if e := status.From(err); e.Code == errcode.MaxTimeMSExpired {
			return status.Errorf(errcode.WriteConcernTimeout, "waiting for replication timed out")
		}
	}
	return err
}

// Await calls done until it returns true or an error, or the context ends.
func Await(ctx context.Context, done func() (bool, error)) error {
	if ok, err := done(); ok || err != nil {
		return err
	}
	ticker := time.NewTicker(replicationTick)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return errInterrupted(ctx)
		}
		if ok, err := done(); ok || err != nil {
			return err
		}
	}
}

// errInterrupted is the error of a wait whose context ended: the time limit passed, or the operation was killed.
func errInterrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
	}
	return status.Errorf(errcode.Interrupted, "operation was interrupted")
}

// isSatisfied reports whether a write meets its write concern. Once a majority has a write, it cannot be lost. After the
// term ends the result is an error, because another primary may have rolled the write back.
func (s *Set) isSatisfied(wc *concern.Write, in Term, at store.Timestamp) (bool, error) {
	if wc.Mode == "" && wc.Tags == nil && wc.W <= 1 {
		return true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.inTerm(in) {
		return false, status.Errorf(errcode.PrimarySteppedDown, "Primary stepped down while waiting for replication")
	}
	majority := s.writeMajority()
	want, tags := int(wc.W), wc.Tags
	if wc.Mode == concern.Majority {
		want = majority
	} else if wc.Mode != "" {
		var known bool
		if tags, known = s.Modes[wc.Mode]; !known {
			return false, concern.UnknownModeError(wc.Mode)
		}
	}
	for _, n := range tags {
		want = max(want, n)
	}
	if !s.hasEnough(want, tags, 0) {
		return false, concern.UnsatisfiableError(wc.Mode)
	}
	if !s.hasEnough(want, tags, at) {
		return false, nil
	}
	if want >= majority {
		s.Clock.Acknowledge(at)
	}
	return true, nil
}

// hasEnough reports whether enough members have a write, with enough different values of each tag.
func (s *Set) hasEnough(want int, tags map[string]int, at store.Timestamp) bool {
	n, values := 0, map[string]map[string]bool{}
	for _, m := range s.members {
		if m.Arbiter || at > 0 && s.position(m.Node) < at {
			continue
		}
		n++
		for tag, v := range m.Tags {
			if values[tag] == nil {
				values[tag] = map[string]bool{}
			}
			values[tag][v] = true
		}
	}
	for tag, k := range tags {
		if len(values[tag]) < k {
			return false
		}
	}
	return n >= want
}
