package mongotest

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongotest/internal/status"
)

// replSetStepDown makes the primary a secondary for the seconds that it names; another member is elected. Servers
// before 4.2 cut all connections; none of those is simulated. Left out: waiting for secondaries to catch up, which they
// always have.
func replSetStepDown(r *request) (bson.Raw, error) {
	s := r.d.set
	if s == nil {
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	seconds, ok := r.body.Lookup("replSetStepDown").AsInt64OK()
	if !ok || seconds < 0 {
		return nil, status.Errorf(errcode.BadValue, "stepdown period must be a positive integer")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary != r.node.index {
		return nil, status.Errorf(errcode.NotWritablePrimary, "not primary so can't step down")
	}
	if !s.othersEligible(r.node.index) && !r.flag("force") {
		return nil, status.Errorf(errcode.ExceededTimeLimit,
			"No electable secondaries caught up as of %s. Please use the replSetStepDown command with the argument {force: true} to force node to step down.",
			time.Now().Format(time.RFC3339))
	}
	s.loseLocked(map[int]time.Duration{r.node.index: time.Duration(seconds) * time.Second})
	return newReply().done(), nil
}

// replSetFreeze keeps a secondary from standing for election for the seconds that it names; 0 ends that, and lets a set
// without a primary elect one at once.
func replSetFreeze(r *request) (bson.Raw, error) {
	s := r.d.set
	if s == nil {
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	seconds, ok := r.body.Lookup("replSetFreeze").AsInt64OK()
	if !ok || seconds < 0 {
		return nil, status.Errorf(errcode.BadValue, "the freeze time must be a number of seconds")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary == r.node.index {
		return nil, status.Errorf(errcode.NotSecondary, "cannot freeze node when primary or running for election. state: Primary")
	}
	if seconds == 0 {
		delete(s.frozen, r.node.index)
		if s.primary < 0 {
			s.elect()
		}
		return newReply().str("info", "unfreezing").done(), nil
	}
	s.frozen[r.node.index] = time.Now().Add(time.Duration(seconds) * time.Second)
	return newReply().done(), nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
