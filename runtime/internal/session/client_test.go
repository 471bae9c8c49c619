package session

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/options"
)

func at(t uint32) bson.Timestamp { return bson.Timestamp{T: t, I: 1} }

func TestNewSessions(t *testing.T) {
	s := newServer(start)
	if c := NewExplicit(s, Config{}); c.Implicit() || c.Server() != s || c.Snapshot() || c.SnapshotTime() != (bson.Timestamp{}) {
		t.Errorf("explicit: %+v", c)
	}
	if c := NewExplicit(s, Config{Snapshot: true, SnapshotTime: at(7)}); !c.Snapshot() || c.SnapshotTime() != at(7) {
		t.Errorf("with a snapshot: %v, %v", c.Snapshot(), c.SnapshotTime())
	}
	if c := NewImplicit(s); !c.Implicit() || c.Server() != s || !c.Free() {
		t.Errorf("implicit: %+v", c)
	}
}

// An implicit session is the next one's memory. Nothing of an operation may reach the next one.
func TestAnImplicitSessionBeginsEmpty(t *testing.T) {
	s := newServer(start)
	c := NewImplicit(s)
	c.AdvanceOperationTime(at(3))
	c.Clock().Advance(clusterTimeAt(3, 1, ""))
	c.BeginKill()
	next := NewImplicit(s)
	if next.OperationTime() != (bson.Timestamp{}) || next.Clock().Now() != nil || !next.Free() {
		t.Errorf("it begins with %v, %v, free %v", next.OperationTime(), next.Clock().Now(), next.Free())
	}
}

func TestASessionEndsOnce(t *testing.T) {
	c := NewExplicit(newServer(start), Config{})
	if c.Ended() {
		t.Error("it begins ended")
	}
	if first, second := c.End(), c.End(); !first || second || !c.Ended() {
		t.Errorf("ends: %v, %v; ended %v", first, second, c.Ended())
	}
}

func TestOperationTimeOnlyMovesForwards(t *testing.T) {
	c := NewExplicit(newServer(start), Config{})
	for _, tt := range []struct{ seen, want uint32 }{{2, 2}, {1, 2}, {2, 2}, {3, 3}} {
		if c.AdvanceOperationTime(at(tt.seen)); c.OperationTime() != at(tt.want) {
			t.Errorf("after %d it is %v", tt.seen, c.OperationTime())
		}
	}
}

func TestCausal(t *testing.T) {
	for _, causal := range []bool{true, false} {
		if c := NewExplicit(newServer(start), Config{Causal: causal}); c.Causal() != causal {
			t.Errorf("causal %v: %v", causal, c.Causal())
		}
	}
}

func TestTheFirstReadChoosesTheSnapshot(t *testing.T) {
	c := NewExplicit(newServer(start), Config{Snapshot: true})
	c.SetSnapshotTime(at(5))
	c.SetSnapshotTime(at(6))
	if c.SnapshotTime() != at(5) {
		t.Errorf("it is %v", c.SnapshotTime())
	}
}

func TestDeadlineOfWithTransaction(t *testing.T) {
	var none *Client
	if none.HasDeadline() {
		t.Error("no session has a deadline")
	}
	c := NewExplicit(newServer(start), Config{})
	if c.HasDeadline() {
		t.Error("it begins with a deadline")
	}
	if c.SetDeadline(time.Time{}); !c.HasDeadline() || !c.Deadline().IsZero() {
		t.Error("no limit is a deadline, too")
	}
	if c.SetDeadline(start); !c.HasDeadline() || !c.Deadline().Equal(start) {
		t.Errorf("deadline %v", c.Deadline())
	}
	if c.ClearDeadline(); c.HasDeadline() || !c.Deadline().IsZero() {
		t.Errorf("it is still %v", c.Deadline())
	}
}

// span counts how often it ends.
type span struct {
	options.Span
	ends []error
}

func (s *span) End(err error) { s.ends = append(s.ends, err) }

func TestTheSpanOfATransactionEndsOnce(t *testing.T) {
	c, s, why := NewExplicit(newServer(start), Config{}), &span{}, errors.New("why")
	c.EndSpan(nil) // there is none
	c.Span = s
	c.EndSpan(why)
	c.EndSpan(nil)
	if len(s.ends) != 1 || s.ends[0] != why || c.Span != nil {
		t.Errorf("it ended %v", s.ends)
	}
}
