package decide

import (
	"errors"

	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// Describe fills in what an error says. The caller adds what only it knows: the time left, and the server.
func Describe(e *operation.Event, err error) {
	if _, ok := errors.AsType[fault.EncryptionError](err); ok {
		e.Failure = operation.Encryption // the wrapped error belongs to another operation, such as the look-up of a key
		return
	}
	e.Failure, e.Class = failureOf(err)
	if fault.HasErrorLabel(err, fault.LabelRetryableWriteError) {
		e.Mark = operation.Marked
	}
	if fault.HasErrorLabel(err, fault.LabelSystemOverloadedError) {
		e.Overload = operation.Overloaded
		if fault.HasErrorLabel(err, fault.LabelRetryableError) {
			e.Overload = operation.OverloadedRetryable
		}
	}
	if fault.HasErrorLabel(err, fault.LabelNoWritesPerformed) {
		e.Writes = operation.NothingWritten
	}
	if fault.HasErrorLabel(err, fault.LabelTransientTransactionError) {
		e.Transience = operation.Transient
	}
	if fault.HasErrorLabel(err, fault.LabelUnknownTransactionCommitResult) {
		e.Result = operation.ResultUnknown
	}
	if fault.IsTimeout(err) {
		e.Expiry = operation.Expired
	}
}

// failureOf returns the kind of an error and the class of its code. The order matters, because an error may wrap
// others: a failed check-out wraps the error of the handshake.
func failureOf(err error) (operation.Failure, operation.Class) {
	if _, ok := errors.AsType[fault.PoolClosedError](err); ok {
		return operation.PoolGone, operation.OtherCode
	}
	if fault.IsNetworkError(err) {
		return operation.Network, operation.OtherCode
	}
	if _, ok := errors.AsType[fault.ServerSelectionError](err); ok {
		return operation.NoServer, operation.OtherCode
	}
	if _, ok := errors.AsType[fault.WaitQueueTimeoutError](err); ok {
		return operation.NoConnection, operation.OtherCode
	}
	if _, ok := errors.AsType[fault.CommandError](err); ok {
		return operation.CommandFailed, classOf(err)
	}
	if w, ok := errors.AsType[fault.WriteException](err); ok && w.WriteConcernError == nil {
		return operation.WritesFailed, operation.OtherCode
	}
	if _, ok := errors.AsType[fault.WriteConcernError](err); ok {
		return operation.WriteConcernFailed, classOf(err)
	}
	return operation.Refusal, operation.OtherCode
}

func classOf(err error) operation.Class {
	code := codeOf(err)
	switch {
	case code == errcode.ReauthenticationRequired:
		return operation.ReauthenticationCode
	case code.IsRetryableWrite():
		return operation.WriteCode
	case code.IsRetryableRead():
		return operation.ReadCode
	case code.IsWriteConcernRefused():
		return operation.RefusedConcernCode
	}
	return operation.OtherCode
}

// codeOf returns the code that a server sent, or 0 when there is none.
func codeOf(err error) errcode.Code {
	if c, ok := errors.AsType[fault.CommandError](err); ok {
		return c.Code
	}
	if w, ok := errors.AsType[fault.WriteConcernError](err); ok {
		return w.Code
	}
	return 0
}
