package mongotest

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
	"github.com/specdrivers/onion/tools/mongotest/internal/store"
)

// replicationTick is how often a command that waits for other members looks at what they have.
const replicationTick = 2 * time.Millisecond

// errWriteTimeout is the cause of the end of a wait that wtimeout bounds.
var errWriteTimeout = errors.New("wtimeout")

// awaitWriteConcern waits until the members that the write concern names have the write, and returns why they have not.
func (r *request) awaitWriteConcern(ctx context.Context, at store.Timestamp) error {
	wc := &r.concerns.write
	if r.d.set == nil {
		return r.d.shardSatisfies(wc)
	}
	if wc.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wc.timeout, errWriteTimeout)
		defer cancel()
	}
	err := await(ctx, func() (bool, error) { return r.d.set.satisfied(r, at) })
	if err != nil && errors.Is(context.Cause(ctx), errWriteTimeout) && ctx.Err() != nil {
		if e := status.From(err); e.Code == errcode.MaxTimeMSExpired {
			return status.Errorf(errcode.WriteConcernTimeout, "waiting for replication timed out")
		}
	}
	return err
}

// await asks again and again until done or the context ends.
func await(ctx context.Context, done func() (bool, error)) error {
	if ok, err := done(); ok || err != nil {
		return err
	}
	ticker := time.NewTicker(replicationTick)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return interrupted(ctx)
		}
		if ok, err := done(); ok || err != nil {
			return err
		}
	}
}

// satisfied reports whether a write has its write concern. One that a majority has cannot be lost from then on. A node that
// is not the primary any more, or was another time, does not know: another one may have rolled the write back.
func (s *memberSet) satisfied(r *request, at store.Timestamp) (bool, error) {
	wc := &r.concerns.write
	if wc.mode == "" && wc.tags == nil && wc.w <= 1 {
		return true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.holds(r.concerns.office) {
		return false, status.Errorf(errcode.PrimarySteppedDown, "Primary stepped down while waiting for replication")
	}
	most := s.writeMajority()
	want, tags := int(wc.w), wc.tags
	if wc.mode == majority {
		want = most
	} else if wc.mode != "" {
		var known bool
		if tags, known = s.d.config.modes[wc.mode]; !known {
			return false, unknownMode(wc.mode)
		}
	}
	for _, n := range tags {
		want = max(want, n)
	}
	if !s.among(want, tags, 0) {
		return false, unsatisfiable(wc.mode)
	}
	if !s.among(want, tags, at) {
		return false, nil
	}
	if want >= most {
		s.d.data.acknowledge(at)
	}
	return true, nil
}

// among reports whether the members that have a write are as many as wanted, with as many values of each tag.
func (s *memberSet) among(want int, tags map[string]int, at store.Timestamp) bool {
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

// shardMembers is how many members each shard behind a router has. They are always up and up to date.
const shardMembers = 3

// shardSatisfies is the answer of a router's shard, or of a standalone server, which waits for nobody.
func (d *Deployment) shardSatisfies(wc *writeConcern) error {
	switch {
	case !d.isRouter():
		return nil
	case wc.w > shardMembers:
		return unsatisfiable("")
	case wc.tags != nil:
		return unsatisfiable("")
	case wc.mode != "" && wc.mode != majority:
		return unknownMode(wc.mode)
	}
	return nil
}
