package exec

import (
	"context"
	"errors"
	"time"

	"github.com/specdrivers/onion/generated/core/logmsg"
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/description"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
)

// tell says what has happened, and keeps the verdict.
func (e *execution) tell(what operation.What) {
	event := e.event(what)
	e.ask(&event)
	e.repin()
	if e.verdict.Message == operation.EncodeAgain && e.course.State.Policy != operation.AsWrite {
		e.txnNumber = 0 // it was never sent
	}
}

func (e *execution) ask(event *operation.Event) {
	e.verdict = e.course.Step(event, e.x.MaxAdaptiveRetries)
	if event.What != operation.Replied && e.x.Commands.Events.Log.Enabled(logmsg.Operation, logmsg.Trace) {
		e.explain(event.What)
	}
	if e.course.State.Role == operation.Commit {
		t := e.session.Transaction()
		t.Commits, t.CommitBefore = e.course.State.Commits, e.course.State.CommitBefore
	}
	if e.verdict.Do == operation.Select && (e.verdict.Again == operation.Retry || event.What == operation.Waited) {
		e.x.counters.retries.Add(1)
	}
}

// done says that a step has ended, well or with an error.
func (e *execution) done(ctx context.Context, what operation.What, err error) {
	if err == nil {
		e.tell(what)
		if what == operation.Replied {
			e.finishReply()
		}
		return
	}
	event := e.event(operation.Stumbled)
	decide.Describe(&event, err)
	event.Time = e.timeLeft(ctx)
	e.ask(&event)
	if e.verdict.Do == operation.Fail {
		event.What = operation.Failed
		e.foresee(&event)
		if e.pacer.Failed(e.x.Topology.Changes()) {
			event.Pace = operation.Spinning
		}
		e.ask(&event)
		e.fail(err)
	}
}

// fail carries out what the decisions say about a try that has failed.
func (e *execution) fail(err error) {
	err = e.labelled(err)
	e.last = err
	if e.verdict.Session == operation.DirtySession && e.session != nil {
		e.session.Server().MarkDirty()
	}
	if e.verdict.Blame == operation.TellTopology {
		e.try.server.HandleError(e.try.pooled, err)
	}
	if e.verdict.Avoid == operation.AvoidServer {
		e.avoid = append(e.avoid, e.try.server.Address())
	}
	e.checkIn()
	switch e.verdict.Report {
	case operation.TakeError:
		e.out, e.err = Outcome{}, err
	case operation.TakeOutcome:
		e.out, e.err = e.outcome(), nil
		if failed, ok := errors.AsType[fault.WriteException](err); ok && failed.WriteConcernError != nil {
			e.out.Labels = failed.Labels
		}
	}
	e.repin()
}

// repin binds the transaction to a server or connection, or releases it.
func (e *execution) repin() {
	t := &e.try
	switch e.verdict.Pin {
	case operation.PinServer:
		e.session.Pin(t.server, nil)
	case operation.PinConnection:
		e.session.Pin(t.server, t.pooled)
		t.owned = false
	case operation.Unpin:
		e.session.Unpin()
	}
}

// labelled adds the labels of the verdict to an error.
func (e *execution) labelled(err error) error {
	if e.course.State.Policy == operation.AsWrite {
		err = actionable(err)
	}
	if e.verdict.WriteLabel == operation.AddWriteLabel {
		err = fault.AddLabels(err, fault.LabelRetryableWriteError)
	}
	switch e.verdict.TransactionLabel {
	case operation.AddTransient:
		err = fault.AddLabels(err, fault.LabelTransientTransactionError)
	case operation.AddUnknownResult:
		err = fault.AddLabels(err, fault.LabelUnknownTransactionCommitResult)
	}
	return err
}

// event describes where the operation is.
func (e *execution) event(what operation.What) operation.Event {
	event := operation.Event{What: what, Kind: e.kind(), Binding: e.binding()}
	wireVersion, t := int32(0), &e.try
	if t.wire != nil {
		wireVersion = t.wire.Hello().MaxWireVersion
		if t.sessionsSupported() {
			event.Sessions = operation.HasSessions
			if event.Kind != operation.StandaloneServer {
				event.Numbers = operation.TakesNumbers
			}
		}
	}
	if wire.RetryableWriteLabel.In(wireVersion) {
		event.Labelling = operation.ServerLabels
	}
	if wire.SnapshotReads.In(wireVersion) {
		event.Snapshots = operation.HasSnapshots
	}
	if items, ok := e.op.Command.(retryables); ok && what == operation.Encoded {
		event.Items = itemsOf(items, e.op.From, t.sent)
	}
	return event
}

// kind says what the server is, or was before it became Unknown.
func (e *execution) kind() operation.Kind {
	if e.try.server == nil {
		return operation.MemberServer // there is none yet, and nothing that depends on it
	}
	switch e.try.server.Type() {
	case description.Mongos:
		return operation.RouterServer
	case description.LoadBalancer:
		return operation.BalancedRouter
	case description.Standalone:
		return operation.StandaloneServer
	}
	return operation.MemberServer
}

// binding says who has chosen the server.
func (e *execution) binding() operation.Binding {
	switch {
	case e.joined() && e.session.PinnedServer() != nil:
		return operation.TransactionPin
	case e.op.Conn != nil:
		return operation.CursorConnection
	case e.op.Server != nil:
		return operation.CursorServer
	}
	return operation.Unbound
}

// timeLeft says what is left of the operation's time.
func (e *execution) timeLeft(ctx context.Context) operation.Time {
	switch {
	case Expired(ctx):
		return operation.TimeOver
	case e.course.State.Stage == operation.AtCheckOut && !e.try.searchEnds.IsZero() && !time.Now().Before(e.try.searchEnds):
		return operation.SearchOver
	}
	return operation.TimeLeft
}
