package exec

import (
	"context"
	"errors"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/runtime/fault"
	"github.com/specdrivers/onion/runtime/internal/decide"
)

// tell passes an event to the state machine and keeps its verdict.
func (e *execution) tell(what operation.What) {
	event := e.try.known
	event.What = what
	if what == operation.Encoded {
		if items, ok := e.op.Command.(retryableItems); ok {
			event.Items = itemsOf(items, e.op.From, e.try.sent)
		}
	}
	e.ask(&event)
	e.repin()
}

func (e *execution) ask(event *operation.Event) {
	e.course.Step(event, &e.verdict, e.x.MaxAdaptiveRetries)
	if e.explains && event.What != operation.Replied {
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

// finishStep reports that a step has succeeded or failed.
func (e *execution) finishStep(ctx context.Context, what operation.What, err error) {
	if err == nil {
		e.tell(what)
		if what == operation.Replied {
			e.finishReply()
		}
		return
	}
	event := e.try.known
	event.What = operation.Stumbled
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

// fail carries out the verdict on a try that has failed.
func (e *execution) fail(err error) {
	err = e.addLabels(err)
	if e.verdict.Wait == operation.Backoff {
		e.baseBackoff = baseBackoff(err)
	}
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
		e.takeOutcome()
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

// addLabels adds the labels of the verdict to an error.
func (e *execution) addLabels(err error) error {
	if e.course.State.Policy == operation.AsWrite {
		err = adviseOnEngine(err)
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
