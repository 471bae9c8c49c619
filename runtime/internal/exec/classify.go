package exec

import (
	"errors"
	"fmt"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// facts is what one walk over a reply finds out.
type facts struct {
	ok                bool
	writeConcernError bool
}

// read walks over a reply once: is it ok, what time is it there, did a write concern fail.
func (a *attempt) read(reply bson.Raw) (facts, error) {
	var f facts
	var clusterTime bson.Raw
	for key, value := range reply.All() {
		switch key {
		case "ok":
			n, _ := value.AsFloat64OK()
			f.ok = n == 1
		case "$clusterTime":
			clusterTime, _ = value.DocumentOK()
		case "operationTime":
			if t, i, ok := value.TimestampOK(); ok && a.session != nil {
				a.session.AdvanceOperationTime(bson.Timestamp{T: t, I: i})
			}
		case "writeConcernError":
			f.writeConcernError = true
		}
	}
	if clusterTime != nil {
		a.x.Clock.Advance(clusterTime)
		if a.session != nil {
			a.session.Clock().Advance(clusterTime)
		}
	}
	if f.ok {
		return f, nil
	}
	if err := reply.Validate(); err != nil {
		return f, fault.NetworkError{Address: a.server.Address(), Doing: "reading a reply from", Err: fmt.Errorf("the reply is not a document: %w", err)}
	}
	return f, fault.NewCommandError(a.meta.Command, a.server.Address(), reply)
}

// judgeWriteConcern looks at a write that was applied and whose write concern was not satisfied. The topology learns of
// it; and it is an error here, to be retried, if the write may be retried for it. Otherwise it is left in the reply for
// the operation's result.
func (a *attempt) judgeWriteConcern(reply bson.Raw, f facts) error {
	if !f.writeConcernError {
		return nil
	}
	wce := fault.NewWriteConcernError(reply)
	if wce == nil {
		return nil
	}
	failed := fault.WriteException{WriteConcernError: wce, Labels: wce.Labels, Address: a.server.Address(), Raw: reply}
	labelled := a.labelled(failed).(fault.WriteException) // labels are added to a copy of the same type
	a.labels = labelled.Labels
	if a.retry == command.RetryWrite && a.number == 0 && fault.HasLabel(labelled, fault.LabelRetryableWriteError) {
		a.applied = &appliedWrite{out: a.outcome(reply)}
		return labelled
	}
	if wce.Code.IsStateChange() {
		a.server.HandleError(a.pooled, failed)
	}
	return nil
}

// retryKind is as what the operation may be retried, given the client's settings.
func (a *attempt) retryKind() command.Retry {
	switch a.meta.Retry {
	case command.RetryRead:
		if a.x.RetryReads {
			return command.RetryRead
		}
	case command.RetryWrite:
		if a.x.RetryWrites && a.acknowledged() {
			return command.RetryWrite
		}
	}
	return command.RetryNone
}

// labelled adds the labels that the driver gives to an error. Retryable writes, "RetryableWriteError Labels".
func (a *attempt) labelled(err error) error {
	if a.retry != command.RetryWrite {
		return err
	}
	if fault.IsNetworkError(err) {
		return fault.AddLabels(err, fault.LabelRetryableWriteError)
	}
	// A server labels what it replies to a write, not what it replies in the handshake.
	if a.wire != nil && a.wire.Hello().MaxWireVersion >= labelsFromServer {
		return err
	}
	if code := codeOf(err); code.IsRetryableWrite() && !(isRouterWriteConcern(a, err)) {
		return fault.AddLabels(err, fault.LabelRetryableWriteError)
	}
	return err
}

// labelsFromServer is the wire version from which on servers add RetryableWriteError themselves, that of MongoDB 4.4.
var labelsFromServer = mustWireVersion("4.4")

func mustWireVersion(release string) int32 {
	v, ok := wire.WireVersionOf(release)
	if !ok {
		panic("exec: the table of wire versions lacks " + release)
	}
	return v
}

// isRouterWriteConcern: a mongos has retried by itself before it reports a failed write concern.
func isRouterWriteConcern(a *attempt, err error) bool {
	var e fault.WriteException
	return errors.As(err, &e) && e.WriteConcernError != nil && a.server.IsRouter()
}

// codeOf is the code that a server gave, 0 when there is none.
func codeOf(err error) errcode.Code {
	var c fault.CommandError
	if errors.As(err, &c) {
		return c.Code
	}
	var w fault.WriteConcernError
	if errors.As(err, &w) {
		return w.Code
	}
	return 0
}

// fromServer reports whether an error came over the network, or for want of it, rather than from the driver itself.
func fromServer(err error) bool {
	return codeOf(err) != 0 || isCommandError(err) || fault.IsNetworkError(err)
}

func isCommandError(err error) bool {
	_, ok := errors.AsType[fault.CommandError](err)
	return ok
}

func hasLabelNoWrites(err error) bool { return fault.HasLabel(err, fault.LabelNoWritesPerformed) }

func wantsReauthentication(err error) bool {
	return fault.HasCode(err, errcode.ReauthenticationRequired)
}
