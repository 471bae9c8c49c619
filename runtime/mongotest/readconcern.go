package mongotest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/engine"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
	"github.com/specdrivers/onion/runtime/mongotest/internal/store"
)

// Lag makes member i of a replica set lack the last writes, as many as behind says, while it is a secondary: it reads
// an older state, and does not count towards write concerns and the majority. 0 ends it. A member that becomes primary
// catches up first.
func (d *Deployment) Lag(i, behind int) { d.node(i).behind.Store(int64(max(behind, 0))) }

// readLevels are the read concern levels that a command may name.
var readLevels = []string{"local", "available", "majority", "linearizable", "snapshot"}

// readState is the state that a read of a replica set's member sees, nil for the latest. Left out: members that are down
// count as up to date when the majority's state is worked out.
func (r *request) readState(ctx context.Context, c engine.Command) (*store.Snapshot, error) {
	concern, _ := r.body.Lookup("readConcern").DocumentOK()
	level, err := readLevel(concern)
	if err != nil || c.Write || unchecked[c.Name] || r.d.set == nil {
		return nil, err
	}
	switch level {
	case "linearizable":
		if r.d.set.roleOf(r.node) != rolePrimary {
			return nil, status.Errorf(errcode.NotWritablePrimary, "cannot satisfy linearizable read concern on non-primary node")
		}
		return nil, nil
	case "snapshot":
		if t, i, ok := concern.Lookup("atClusterTime").TimestampOK(); ok {
			return r.d.data.store.At(store.MakeTimestamp(t, i))
		}
	}
	for {
		snap := r.visible(level)
		t, i, _ := concern.Lookup("afterClusterTime").TimestampOK()
		if snap == nil || level == "available" || snap.Time() >= min(store.MakeTimestamp(t, i), r.d.data.store.Latest().Time()) {
			return snap, nil
		}
		if err := r.awaitReplication(ctx); err != nil {
			return nil, err
		}
	}
}

func readLevel(concern bson.Raw) (string, error) {
	v := concern.Lookup("level")
	if v.IsZero() {
		return "local", nil
	}
	level, _ := v.StringOK()
	if !slices.Contains(readLevels, level) {
		return "", status.Errorf(errcode.BadValue, "Enumeration value '%s' for field 'readConcern.level' is not a valid value.", level)
	}
	return level, nil
}

// visible is the newest state that the node may show at a level.
func (r *request) visible(level string) *store.Snapshot {
	behind, majority := r.d.set.lag(r.node)
	if level == "majority" || level == "snapshot" {
		behind = max(behind, majority)
	}
	if behind == 0 && level != "snapshot" {
		return nil
	}
	return r.d.data.store.Behind(behind)
}

// awaitReplication gives a lagging member a little time.
func (r *request) awaitReplication(ctx context.Context) error {
	timer := time.NewTimer(2 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return status.Errorf(errcode.MaxTimeMSExpired, "operation exceeded time limit")
		}
		return errDrop
	}
}

// lag is how many writes a node lacks, and how many are not on a majority of the members.
func (s *memberSet) lag(n *node) (own, majority int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lagLocked(n)
}

func (s *memberSet) lagLocked(n *node) (own, majority int) {
	var all []int
	for i := range s.members {
		m := &s.members[i]
		if m.Arbiter {
			continue
		}
		behind := s.behindLocked(m.Node)
		if m.Node == n.index {
			own = behind
		}
		all = append(all, behind)
	}
	if len(all) == 0 {
		return own, 0
	}
	slices.Sort(all)
	return own, all[len(all)/2]
}

// behindLocked is how many writes a member lacks; s.mu is held.
func (s *memberSet) behindLocked(i int) int {
	if s.primary == i {
		return 0
	}
	return int(s.d.nodes[i].behind.Load())
}

// withReadTime adds the time of a snapshot to the reply of a read at it: to the cursor, or else to the reply itself. The
// reply has no end yet.
func withReadTime(reply []byte, at store.Timestamp) []byte {
	body := bson.Raw(bson.AppendDocumentEnd(slices.Clone(reply), 0))
	cursor, ok := body.Lookup("cursor").DocumentOK()
	if !ok {
		return bson.AppendTimestampElement(reply, "atClusterTime", at.T(), at.I())
	}
	dst, _ := bson.AppendDocumentStart(make([]byte, 0, len(body)+32))
	for key, value := range body.All() {
		if key != "cursor" {
			dst = bson.AppendRawValueElement(dst, key, value)
			continue
		}
		var inner int
		dst, inner = bson.AppendDocumentElementStart(dst, key)
		dst = append(dst, cursor[4:len(cursor)-1]...)
		dst = bson.AppendTimestampElement(dst, "atClusterTime", at.T(), at.I())
		dst = bson.AppendDocumentEnd(dst, inner)
	}
	return dst
}
