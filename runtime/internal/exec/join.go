package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/timeout"
	"github.com/specdrivers/onion/generated/core/txn"
	"github.com/specdrivers/onion/generated/options"
)

// These errors report misuse of sessions.
var (
	errSessionEnded        = errors.New("mongo: the session has ended: start another one")
	errSessionsUnsupported = errors.New("mongo: the server has no sessions: leave the session out of the context")
	errUnacknowledged      = errors.New(
		"mongo: an unacknowledged write cannot be part of a session: " +
			"use a write concern that the server answers, or a context without the session")
)

// join adds the operation to its session, and to the session's transaction if there is one. It also describes the
// operation for the state machine.
func (e *execution) join(ctx context.Context) error {
	s := &e.course.State
	s.SessionKind = operation.MaySession
	if e.op.Implicit == NoSession {
		s.SessionKind = operation.WithoutSession
	}
	if !e.isAcknowledged() {
		s.Reply = operation.Unacknowledged
	}
	if e.op.Server != nil {
		s.Role = operation.OnCursor
	}
	if err := e.joinSession(ctx); err != nil {
		return err
	}
	e.describe()
	return nil
}

func (e *execution) joinSession(ctx context.Context) error {
	own := e.op.Session
	if own == nil {
		return nil
	}
	if err := own.Await(ctx); err != nil {
		return e.markTimedOut(ctx, fmt.Errorf("mongo: %s: nothing was sent: the session is still ending a cursor or a transaction: %w",
			e.meta.Operation, err))
	}
	switch {
	case own.Ended():
		return errSessionEnded
	case !own.IsImplicit() && !e.isAcknowledged():
		return errUnacknowledged
	}
	e.session = own
	e.course.State.SessionKind = own.Kind()
	if own.IsImplicit() {
		return nil
	}
	return e.joinTransaction()
}

// joinTransaction finds out where the operation stands in the transaction of its session.
func (e *execution) joinTransaction() error {
	state, t := &e.course.State, e.session.Transaction()
	if e.op.endsTransaction() {
		state.Role = operation.Abort
		if t.State == txn.Committed {
			state.Role, state.Commits, state.CommitBefore = operation.Commit, t.Commits, t.CommitBefore
		}
		return nil
	}
	if !t.Active() {
		if t.State != txn.None {
			e.session.Leave()
		}
		return nil
	}
	if _, kills := e.op.Command.(*command.KillCursors); kills && t.State == txn.Starting {
		return nil // the cursor is older than the transaction, which begins with the next command
	}
	if rp := e.op.ReadPreference; rp != nil && e.meta.Access == 0 && readPreferenceMode(rp) != options.Primary {
		return errors.New("mongo: " + txn.ReadPreferenceNotPrimary())
	}
	if e.meta.ReadPreference && readPreferenceMode(t.ReadPreference) != options.Primary {
		return errors.New("mongo: " + txn.ReadPreferenceNotPrimary())
	}
	state.Role = operation.InTransaction
	if t.State == txn.Starting {
		state.Role = operation.FirstInTransaction
	}
	return nil
}

// describe fills in what the state machine has to know about the command and the settings.
func (e *execution) describe() {
	s := &e.course.State
	switch e.meta.Access {
	case command.Read:
		s.Access = operation.Reading
	case command.Write:
		s.Access = operation.Writing
	}
	switch e.meta.Retry {
	case command.RetryRead:
		s.Support = operation.ReadRetries
	case command.RetryWrite:
		s.Support = operation.WriteRetries
	}
	if e.x.RetryReads {
		s.ReadSetting = operation.RetryReadsOn
	}
	if e.x.RetryWrites {
		s.WriteSetting = operation.RetryWritesOn
	}
	if e.op.timing.Clock != timeout.WithoutTimeout {
		s.Clock = operation.UnderTimeout
	}
	if e.x.Retarget {
		s.Retargeting = operation.RetargetingOn
	}
	if e.x.Auth != nil {
		s.Credential = operation.HasCredential
	}
	switch {
	case e.meta.ReadConcern:
		s.ReadConcernUse = operation.ReadConcernTaken
	case e.meta.AfterClusterTime:
		s.ReadConcernUse = operation.AfterClusterTimeTaken
	}
	if _, kills := e.op.Command.(*command.KillCursors); kills {
		s.ReadConcernUse = operation.ReadConcernRefused
	}
	if e.meta.WriteConcern {
		s.WriteConcernUse = operation.WriteConcernTaken
	}
}
