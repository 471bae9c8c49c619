package exec

import (
	"errors"

	"github.com/specdrivers/onion/bson"
	"github.com/specdrivers/onion/generated/core/wire"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// Failures counts the operations that failed, by their kind. Each is counted once.
type Failures [failureKinds]int64

// An operation failed in one of these ways.
const (
	FailureServer       = iota // the server refused the command
	FailureDuplicateKey        // a write error: a unique index has the key already
	FailureWrite               // another write error
	FailureWriteConcern        // the write was made, and its write concern was not satisfied
	FailureNetwork
	FailureTimeout
	FailureCanceled
	FailureOther
	failureKinds
)

// failureKind returns the kind of an error. The order matters: a timeout may also be a network error.
func failureKind(err error) int {
	if fault.IsTimeout(err) {
		return FailureTimeout
	}
	if fault.IsCanceled(err) {
		return FailureCanceled
	}
	if e, ok := errors.AsType[fault.WriteException](err); ok {
		return writeFailureKind(e.WriteErrors)
	}
	if _, ok := errors.AsType[fault.CommandError](err); ok {
		return FailureServer
	}
	if fault.IsNetworkError(err) {
		return FailureNetwork
	}
	return FailureOther
}

// writeFailureKind returns the kind of write errors; without any, the write concern failed.
func writeFailureKind(list fault.WriteErrors) int {
	if len(list) == 0 {
		return FailureWriteConcern
	}
	if list[0].Code == errcode.DuplicateKey {
		return FailureDuplicateKey
	}
	return FailureWrite
}

// failedWrites looks for failed writes in a reply with ok: 1. The operation itself succeeded: the method that ran it
// reports them.
func failedWrites(reply bson.Raw) (kind int, failed bool) {
	if list := fault.NewWriteErrors(reply, 0); len(list) > 0 {
		return writeFailureKind(list), true
	}
	if n, _ := reply.Lookup(wire.FieldNErrors).AsInt64OK(); n > 0 { // a reply to bulkWrite
		batch, _ := reply.Lookup(wire.FieldCursor, wire.FieldFirstBatch).ArrayOK()
		for _, v := range batch.All() {
			result, _ := v.DocumentOK()
			if code := fault.CodeOf(result.Lookup(wire.FieldCode)); code == errcode.DuplicateKey {
				return FailureDuplicateKey, true
			} else if code != 0 {
				break
			}
		}
		return FailureWrite, true
	}
	return FailureWriteConcern, !reply.Lookup(wire.FieldWriteConcernError).IsZero()
}
