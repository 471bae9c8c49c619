package exec

import (
	"errors"
	"strings"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/command"
	"github.com/specdrivers/onion/generated/core/retry"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// facts is the result of one walk over a reply.
type facts struct {
	ok                bool
	writeConcernError bool
	writeErrors       bool
	errorLabels       bool
}

// read walks over a reply once. It finds out whether the reply is whole and ok, the cluster time, and whether a write
// concern failed.
func (t *try) read(reply bson.Raw) (facts, error) {
	if !intact(reply, bson.DefaultMaxDepth) {
		return facts{}, t.malformed(errMalformed)
	}
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
			if at, ok := timestampOf(value); ok && t.session != nil {
				t.session.AdvanceOperationTime(at)
			}
		case "recoveryToken":
			if t.inTxn {
				t.noteRecoveryToken(value)
			}
		case "atClusterTime":
			t.noteSnapshot(value)
		case "cursor":
			if t.session != nil && t.session.Snapshot() {
				cursor, _ := value.DocumentOK()
				t.noteSnapshot(cursor.Lookup("atClusterTime"))
			}
		case "writeConcernError":
			f.writeConcernError = true
		case "writeErrors":
			f.writeErrors = true
		case "errorLabels":
			f.errorLabels = true
		}
	}
	if clusterTime != nil {
		t.x.Clock.Advance(clusterTime)
		if t.session != nil && !t.session.Implicit() { // an implicit session never knows more than the client
			t.session.Clock().Advance(clusterTime)
		}
	}
	if f.ok {
		return f, nil
	}
	reply, err := fault.ReadReply(reply)
	if err != nil {
		return f, t.malformed(err)
	}
	return f, fault.NewCommandError(t.meta.Command, t.server.Address(), reply)
}

// noteSnapshot keeps the point in time that the first read of a snapshot session saw.
//
// Snapshot Sessions, "Sending readConcern to the server on all commands".
func (t *try) noteSnapshot(value bson.RawValue) {
	if at, ok := timestampOf(value); ok && t.session != nil && t.session.Snapshot() {
		t.session.SetSnapshotTime(at)
	}
}

func timestampOf(value bson.RawValue) (bson.Timestamp, bool) {
	t, i, ok := value.TimestampOK()
	return bson.Timestamp{T: t, I: i}, ok
}

// judgeReply handles the failures that a reply with ok: 1 reports. It returns an error if the write may be retried because of
// one, and for a commit. Otherwise the failure stays in the reply for the operation's result.
func (t *try) judgeReply(reply bson.Raw, f facts) error {
	switch {
	case f.writeConcernError:
		return t.judgeWriteConcern(reply)
	case f.writeErrors && f.errorLabels && t.retry == command.RetryWrite:
		return t.judgeWriteErrors(reply)
	}
	return nil
}

// judgeWriteErrors retries a write whose statements have failed if the server says that it may be.
//
// Retryable Writes, "Determining Retryable Write Errors": every error with the label is retryable.
func (t *try) judgeWriteErrors(reply bson.Raw) error {
	failed := fault.WriteException{
		WriteErrors: fault.NewWriteErrors(reply, 0), Labels: fault.LabelsOf(reply), Address: t.server.Address(), Raw: reply,
	}
	if !failed.HasErrorLabel(fault.LabelRetryableWriteError) {
		return nil
	}
	t.applied = &appliedWrite{out: t.outcome(reply), from: t.retries}
	return failed
}

// judgeWriteConcern handles a write that was applied but whose write concern was not satisfied. It tells the topology.
func (t *try) judgeWriteConcern(reply bson.Raw) error {
	wce := fault.NewWriteConcernError(reply)
	if wce == nil {
		return nil
	}
	failed := fault.WriteException{WriteConcernError: wce, Labels: wce.Labels, Address: t.server.Address(), Raw: reply}
	labelled := t.labelled(failed).(fault.WriteException) // labels are added to a copy of the same type
	t.labels = labelled.Labels
	if t.op.EndsTransaction {
		return labelled
	}
	if t.retry == command.RetryWrite && fault.HasLabel(labelled, fault.LabelRetryableWriteError) {
		t.applied = &appliedWrite{out: t.outcome(reply), from: t.retries}
		return labelled
	}
	t.server.HandleError(t.pooled, failed) // most of these errors say nothing about the server
	return nil
}

// labelled adds the driver's labels to an error. Retryable writes, "RetryableWriteError Labels".
func (t *try) labelled(err error) error {
	if t.retry == command.RetryWrite {
		err = actionable(err)
		if t.deservesRetry(err) {
			err = fault.AddLabels(err, fault.LabelRetryableWriteError)
		}
	}
	return t.transactionLabels(err)
}

// actionable says what to do if a storage engine has no retryable writes. Only the server's text identifies this error.
// Retryable Writes, "Behavioral Changes for Write Commands".
func actionable(err error) error {
	c, ok := errors.AsType[fault.CommandError](err)
	if ok && c.Code == errcode.IllegalOperation && strings.HasPrefix(c.Message, retry.TransactionNumbers()) {
		c.Message = retry.RetryableWritesUnsupported()
		return c
	}
	return err
}

// deservesRetry reports whether the driver has to add the label RetryableWriteError.
func (t *try) deservesRetry(err error) bool {
	if fault.IsNetworkError(err) {
		return true
	}
	// A server labels its replies to a write, but not its replies in the handshake.
	if t.wire != nil && t.wire.Hello().MaxWireVersion >= int32(wire.RetryableWriteLabel) {
		return false
	}
	return codeOf(err).IsRetryableWrite() && !isRouterWriteConcern(t, err)
}

// isRouterWriteConcern reports whether err is a failed write concern from a mongos, which has already retried by
// itself.
func isRouterWriteConcern(t *try, err error) bool {
	var e fault.WriteException
	return errors.As(err, &e) && e.WriteConcernError != nil && t.server.IsRouter()
}

// codeOf returns the code that a server sent, or 0 when there is none.
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

func wantsReauthentication(err error) bool {
	return fault.HasCode(err, errcode.ReauthenticationRequired)
}
