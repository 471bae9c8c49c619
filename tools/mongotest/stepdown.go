// The commands replSetStepDown and replSetFreeze: the primary makes room for another member, a member does not stand for
// election.
//
// Left out: connections stay open, as on servers from 4.2 on.

package mongotest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The times of replSetStepDown in seconds, when the command does not name them.
const (
	stepDownSeconds = 60
	catchUpSeconds  = 10 // 0 with force
)

// replSetStepDown makes the primary a secondary for the seconds that it names; another member is elected. Connections stay
// open, as from 4.2 on. It waits until secondaries have caught up; when nobody could take the primary's place even then, it
// fails at once.
func replSetStepDown(r *request) (bson.Raw, error) {
	s, err := r.memberSet()
	if err != nil {
		return nil, err
	}
	period, catchUp, err := r.stepDownPeriod()
	if err != nil {
		return nil, err
	}
	if err := r.awaitCatchUp(s, catchUp); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary != r.node.index {
		message := "not primary so can't step down"
		if !r.d.wireAtLeast("5.0") {
			message = "not master so can't step down"
		}
		return nil, status.Errorf(errcode.NotWritablePrimary, "%s", message)
	}
	if !r.flag("force") && !s.caughtUp() {
		return nil, status.Errorf(errcode.ExceededTimeLimit,
			"No electable secondaries caught up as of %s. Please use the replSetStepDown command with the argument {force: true} to force node to step down.",
			r.d.config.now().Format("2006-01-02T15:04:05.000-0700"))
	}
	s.frozen[r.node.index] = time.Now().Add(period)
	s.loseLocked()
	return newReply().done(), nil
}

// memberSet is the replica set that a command is about. A mongos does not know such commands.
func (r *request) memberSet() (*memberSet, error) {
	switch {
	case r.d.isRouter():
		return nil, status.Errorf(errcode.CommandNotFound, "no such command: '%s'", r.name)
	case r.d.set == nil:
		return nil, status.Errorf(errcode.NoReplicationEnabled, "not running with --replSet")
	}
	return r.d.set, nil
}

// awaitCatchUp gives lagging members time to get what the primary has.
func (r *request) awaitCatchUp(s *memberSet, length time.Duration) error {
	ctx, cancel := context.WithTimeout(r.ctx, length)
	defer cancel()
	err := await(ctx, func() (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.primary != r.node.index || s.caughtUp() || !s.follower(0), nil
	})
	if status.Is(err, errcode.MaxTimeMSExpired) {
		return nil // what then depends on force
	}
	return err
}

// stepDownPeriod is how long the node may not be elected again, and how long it waits for others to catch up. What is no
// number counts as none, as servers have it.
func (r *request) stepDownPeriod() (period, wait time.Duration, err error) {
	named, _ := r.body.Lookup(r.name).AsFloat64OK()
	seconds, catchUp := int64(named), int64(catchUpSeconds)
	switch {
	case seconds == 0:
		seconds = stepDownSeconds
	case seconds < 0:
		return 0, 0, status.Errorf(errcode.BadValue, "stepdown period must be a positive integer")
	}
	if r.flag("force") {
		catchUp = 0
	}
	if value := r.body.Lookup("secondaryCatchUpPeriodSecs"); !value.IsZero() {
		n, ok := value.AsInt64OK()
		if !ok {
			return 0, 0, status.Errorf(errcode.TypeMismatch, "\"secondaryCatchUpPeriodSecs\" had the wrong type. Expected number, found %s", value.Type)
		}
		catchUp = n
	}
	switch {
	case catchUp < 0:
		return 0, 0, status.Errorf(errcode.BadValue, "secondaryCatchUpPeriodSecs period must be a positive or absent")
	case seconds < catchUp:
		return 0, 0, status.Errorf(errcode.BadValue, "stepdown period must be longer than secondaryCatchUpPeriodSecs")
	}
	return time.Duration(seconds) * time.Second, time.Duration(catchUp) * time.Second, nil
}

// replSetFreeze keeps a secondary from standing for election for the seconds that it names; 0 ends that, and lets a set
// without a primary elect one at once.
func replSetFreeze(r *request) (bson.Raw, error) {
	s, err := r.memberSet()
	if err != nil {
		return nil, err
	}
	named, _ := r.body.Lookup(r.name).AsFloat64OK()
	seconds := int64(named)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary == r.node.index {
		message := "Cannot freeze node when primary or running for election, state: Primary"
		if !r.d.wireAtLeast("4.4") {
			message = "cannot freeze node when primary or running for election. state: Primary"
		}
		return nil, status.Errorf(errcode.NotSecondary, "%s", message)
	}
	f := newReply()
	switch {
	case seconds == 0:
		delete(s.frozen, r.node.index)
		if s.primary < 0 {
			s.elect()
		}
		return f.str("info", "unfreezing").done(), nil
	case seconds == 1:
		f.str("warning", "you really want to freeze for only 1 second?")
	}
	if until := time.Now().Add(time.Duration(seconds) * time.Second); until.After(s.frozen[r.node.index]) {
		s.frozen[r.node.index] = until
	}
	return f.done(), nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
