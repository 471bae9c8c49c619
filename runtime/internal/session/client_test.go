package session

import (
	"errors"
	"testing"
	"time"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/options"
)

func at(t uint32) bson.Timestamp { return bson.Timestamp{T: t, I: 1} }

// newExplicitSession returns a session of a program, without causal consistency.
func newExplicitSession() *Client {
	return NewExplicit(newServer(start), operation.ExplicitSession, bson.Timestamp{})
}

func TestNewSessions(t *testing.T) {
	s := newServer(start)
	for _, kind := range []operation.SessionKind{operation.ExplicitSession, operation.CausalSession, operation.SnapshotSession} {
		c := NewExplicit(s, kind, at(7))
		if c.IsImplicit() || c.Server() != s || c.Kind() != kind || c.Snapshot() != (kind == operation.SnapshotSession) || c.SnapshotTime() != at(7) {
			t.Errorf("%v: %+v", kind, c)
		}
	}
	if c := NewImplicit(s); !c.IsImplicit() || c.Server() != s || !c.IsFree() {
		t.Errorf("implicit: %+v", c)
	}
}

// The next implicit session reuses the memory of the last one, and must not see anything of it.
func TestAnImplicitSessionBeginsEmpty(t *testing.T) {
	s := newServer(start)
	c := NewImplicit(s)
	c.AdvanceOperationTime(at(3))
	c.Clock().Advance(clusterTimeAt(3, 1, ""))
	c.BeginKill()
	next := NewImplicit(s)
	if next.OperationTime() != (bson.Timestamp{}) || next.Clock().ClusterTime() != nil || !next.IsFree() {
		t.Errorf("it begins with %v, %v, free %v", next.OperationTime(), next.Clock().ClusterTime(), next.IsFree())
	}
}

func TestASessionEndsOnce(t *testing.T) {
	c := newExplicitSession()
	if c.Ended() {
		t.Error("it begins ended")
	}
	if first, second := c.End(), c.End(); !first || second || !c.Ended() {
		t.Errorf("ends: %v, %v; ended %v", first, second, c.Ended())
	}
}

func TestOperationTimeOnlyMovesForwards(t *testing.T) {
	c := newExplicitSession()
	for _, tt := range []struct{ seen, want uint32 }{{2, 2}, {1, 2}, {2, 2}, {3, 3}} {
		if c.AdvanceOperationTime(at(tt.seen)); c.OperationTime() != at(tt.want) {
			t.Errorf("after %d it is %v", tt.seen, c.OperationTime())
		}
	}
}

func TestTheFirstReadChoosesTheSnapshot(t *testing.T) {
	c := NewExplicit(newServer(start), operation.SnapshotSession, bson.Timestamp{})
	c.SetSnapshotTime(at(5))
	c.SetSnapshotTime(at(6))
	if c.SnapshotTime() != at(5) {
		t.Errorf("it is %v", c.SnapshotTime())
	}
}

func TestDeadlineOfWithTransaction(t *testing.T) {
	var none *Client
	if none.Limit() != timeout.NoSessionTime {
		t.Error("no session has a deadline")
	}
	c := newExplicitSession()
	if c.Limit() != timeout.NoSessionTime {
		t.Error("it begins with a deadline")
	}
	if c.SetDeadline(time.Time{}); c.Limit() != timeout.SessionEndless || !c.Deadline().IsZero() {
		t.Error("no limit is a deadline, too")
	}
	if c.SetDeadline(start); c.Limit() != timeout.SessionLimited || !c.Deadline().Equal(start) {
		t.Errorf("deadline %v", c.Deadline())
	}
	if c.ClearDeadline(); c.Limit() != timeout.NoSessionTime || !c.Deadline().IsZero() {
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
	c, s, why := newExplicitSession(), &span{}, errors.New("why")
	c.EndSpan(nil) // there is none
	c.Span = s
	c.EndSpan(why)
	c.EndSpan(nil)
	if len(s.ends) != 1 || s.ends[0] != why || c.Span != nil {
		t.Errorf("it ended %v", s.ends)
	}
}
