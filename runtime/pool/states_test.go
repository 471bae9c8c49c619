package pool_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/specdrivers/onion/generated/core/cmap"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/pool"
)

// CMAP, "Connection Pool": a pool begins paused, and closed is final.
func TestStatesOfPools(t *testing.T) {
	const paused, ready, closed = cmap.PoolPaused, cmap.PoolReady, cmap.PoolClosed
	inputs := []cmap.PoolInput{cmap.PoolMarkReady, cmap.PoolClear, cmap.PoolClose}
	for from, want := range map[cmap.PoolState][]cmap.PoolState{
		paused: {ready, paused, closed},
		ready:  {ready, paused, closed},
		closed: {closed, closed, closed},
	} {
		for i, input := range inputs {
			if got, err := cmap.NextPool(from, input); got != want[i] || err != nil {
				t.Errorf("%v on %v: %v, %v, want %v", from, input, got, err, want[i])
			}
		}
	}
	var initial cmap.PoolState
	if initial != paused {
		t.Errorf("a pool begins %v", initial)
	}
	compareTexts(t, "paused", paused.String(), "ready", ready.String(), "closed", closed.String(),
		"ready", inputs[0].String(), "clear", inputs[1].String(), "close", inputs[2].String())
}

// CMAP, "Connection": a transition without a state is a mistake of the driver.
func TestStatesOfConnections(t *testing.T) {
	const pending, available, inUse, closed = cmap.ConnectionPending, cmap.ConnectionAvailable, cmap.ConnectionInUse, cmap.ConnectionClosed
	const mistake = cmap.ConnectionState(99)
	inputs := []cmap.ConnectionInput{cmap.ConnectionEstablish, cmap.ConnectionCheckOut, cmap.ConnectionCheckIn, cmap.ConnectionClose}
	for from, want := range map[cmap.ConnectionState][]cmap.ConnectionState{
		pending:   {available, inUse, mistake, closed},
		available: {mistake, inUse, mistake, closed},
		inUse:     {mistake, mistake, available, closed},
		closed:    {mistake, mistake, mistake, closed},
	} {
		for i, input := range inputs {
			got, err := cmap.NextConnection(from, input)
			switch {
			case want[i] == mistake && (err == nil || got != from):
				t.Errorf("%v on %v: %v, %v, want a mistake", from, input, got, err)
			case want[i] != mistake && (err != nil || got != want[i]):
				t.Errorf("%v on %v: %v, %v, want %v", from, input, got, err, want[i])
			}
		}
	}
	var initial cmap.ConnectionState
	if initial != pending {
		t.Errorf("a connection begins %v", initial)
	}
	compareTexts(t, "pending", pending.String(), "available", available.String(), "in use", inUse.String(), "closed", closed.String(),
		"establish", inputs[0].String(), "checkOut", inputs[1].String(), "checkIn", inputs[2].String(), "close", inputs[3].String())
}

// The error of an invalid transition says what state the connection was in.
func TestMistakesOfConnections(t *testing.T) {
	for _, tt := range []struct {
		from  cmap.ConnectionState
		input cmap.ConnectionInput
		want  string
	}{
		{cmap.ConnectionPending, cmap.ConnectionCheckIn, "a connection that is being established cannot be checked in"},
		{cmap.ConnectionAvailable, cmap.ConnectionEstablish, "an available connection is established already"},
		{cmap.ConnectionAvailable, cmap.ConnectionCheckIn, "an available connection cannot be checked in"},
		{cmap.ConnectionInUse, cmap.ConnectionEstablish, "a connection in use is established already"},
		{cmap.ConnectionInUse, cmap.ConnectionCheckOut, "a connection in use cannot be checked out"},
		{cmap.ConnectionClosed, cmap.ConnectionEstablish, "a closed connection cannot be established"},
		{cmap.ConnectionClosed, cmap.ConnectionCheckOut, "a closed connection cannot be checked out"},
		{cmap.ConnectionClosed, cmap.ConnectionCheckIn, "a closed connection cannot be checked in"},
	} {
		if _, err := cmap.NextConnection(tt.from, tt.input); err == nil || err.Error() != tt.want {
			t.Errorf("%v on %v: %v, want %s", tt.from, tt.input, err, tt.want)
		}
	}
}

// compareTexts compares pairs of a wanted and a given text.
func compareTexts(t *testing.T, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			t.Errorf("text %q, want %q", pairs[i+1], pairs[i])
		}
	}
}

// CMAP, "Connection Pool Errors", and load balancers, "Connection Pooling".
func TestTextsOfErrors(t *testing.T) {
	compareTexts(t,
		"Attempted to check out a Connection from closed connection pool", cmap.PoolClosedError(),
		"Connection pool for a:1 was cleared because another operation failed with: reset", cmap.PoolClearedError("a:1", "reset"),
		"Timed out while checking out a Connection from connection pool", cmap.WaitQueueTimeoutError(),
		"Connection to a:1 interrupted due to server monitor timeout", cmap.InterruptedError("a:1"),
		"Timeout waiting for connection from the connection pool. maxPoolSize: 1, connections in use by cursors: 2, "+
			"connections in use by transactions: 3, connections in use by other operations: 4",
		cmap.LoadBalancedTimeoutError(1, 2, 3, 4),
	)
}

// A paused pool reports the first cause that cleared it since it was ready, because later causes may follow from it.
func TestAPausedPoolKnowsItsFirstCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPool(t, pool.Config[pool.Conn]{})
		for _, round := range []string{"once", "once more"} {
			p.Ready()
			want := errors.New(round)
			p.Clear(want)
			p.Clear(errors.New("and another one"))
			_, err := p.CheckOut(t.Context())
			if cleared, ok := errors.AsType[fault.PoolClearedError](err); !ok || cleared.Err != want {
				t.Errorf("%s: %v", round, err)
			}
		}
	})
}
