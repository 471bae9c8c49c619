// The commands replSetStepDown and replSetFreeze: make the primary step down, or keep a member from running for
// election.

package replica

import (
	"context"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/tools/mongotest/internal/call"
	"github.com/specdrivers/onion/tools/mongotest/internal/reply"
	"github.com/specdrivers/onion/tools/mongotest/internal/status"
)

// The defaults of replSetStepDown, in seconds.
const (
	stepDownSeconds = 60
	catchUpSeconds  = 10 // 0 with force
)

// RunStepDown makes the primary a secondary for the number of seconds in the command. It waits for secondaries to catch
// up, and fails if none of them could be elected. Connections stay open, as on servers from version 4.2 on.
func (s *Set) RunStepDown(ctx context.Context, c *call.Call, node int) (bson.Raw, error) {
	period, catchUp, err := stepDownPeriod(c)
	if err != nil {
		return nil, err
	}
	if err := s.awaitCatchUp(ctx, node, catchUp); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary != node {
		message := "not primary so can't step down"
		if c.Wire < wire.Server50 {
			message = "not master so can't step down"
		}
		return nil, status.Errorf(errcode.NotWritablePrimary, "%s", message)
	}
	if !c.Flag("force") && !s.hasCaughtUp() {
		return nil, status.Errorf(errcode.ExceededTimeLimit,
			"No electable secondaries caught up as of %s. Please use the replSetStepDown command with the argument {force: "+
				"true} to force node to step down.",
			s.Now().Format("2006-01-02T15:04:05.000-0700"))
	}
	s.frozen[node] = time.Now().Add(period)
	s.lose()
	return reply.OK(), nil
}

// awaitCatchUp gives lagging members time to catch up with the primary.
func (s *Set) awaitCatchUp(ctx context.Context, node int, length time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	err := Await(ctx, func() (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.primary != node || s.hasCaughtUp() || !s.hasSuccessor(0), nil
	})
	if status.Is(err, errcode.MaxTimeMSExpired) {
		return nil // the time is over, and force decides what happens next
	}
	return err
}

// stepDownPeriod returns how long the node cannot be elected again, and how long it waits for others to catch up. Like a
// server it treats a value that is not a number as absent.
func stepDownPeriod(c *call.Call) (period, wait time.Duration, err error) {
	named, _ := c.Value().AsFloat64OK()
	seconds, catchUp := int64(named), int64(catchUpSeconds)
	switch {
	case seconds == 0:
		seconds = stepDownSeconds
	case seconds < 0:
		return 0, 0, status.Errorf(errcode.BadValue, "stepdown period must be a positive integer")
	}
	if c.Flag("force") {
		catchUp = 0
	}
	if value := c.Body.Lookup("secondaryCatchUpPeriodSecs"); !value.IsZero() {
		n, ok := value.AsInt64OK()
		if !ok {
			return 0, 0, status.Errorf(errcode.TypeMismatch,
				"\"secondaryCatchUpPeriodSecs\" had the wrong type. Expected number, found %s", value.Type)
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

// RunFreeze keeps a secondary from being elected for the number of seconds in the command. 0 ends the freeze, and a set
// without a primary then elects one at once.
func (s *Set) RunFreeze(c *call.Call, node int) (bson.Raw, error) {
	named, _ := c.Value().AsFloat64OK()
	seconds := int64(named)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.primary == node {
		message := "Cannot freeze node when primary or running for election, state: Primary"
		if c.Wire < wire.Server44 {
			message = "cannot freeze node when primary or running for election. state: Primary"
		}
		return nil, status.Errorf(errcode.NotSecondary, "%s", message)
	}
	f := reply.New()
	switch {
	case seconds == 0:
		delete(s.frozen, node)
		if s.primary < 0 {
			s.elect()
		}
		return f.String("info", "unfreezing").Done(), nil
	case seconds == 1:
		f.String("warning", "you really want to freeze for only 1 second?")
	}
	if until := time.Now().Add(time.Duration(seconds) * time.Second); until.After(s.frozen[node]) {
		s.frozen[node] = until
	}
	return f.Done(), nil
}
