package decide

import (
	"errors"

	"github.com/specdrivers/onion/generated/core/changestream"
	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/fault"
)

// DescribeStream describes the error of a change stream.
func DescribeStream(e *changestream.Event, err error) {
	command, answered := errors.AsType[fault.CommandError](err)
	switch {
	case fault.IsCanceled(err): // whatever the answer to an earlier try was
		e.Failure = changestream.NoAnswer
	case answered && command.Code == errcode.CursorNotFound:
		e.Failure = changestream.CursorMissing
	case answered:
		e.Failure = changestream.ServerError
	case fault.IsNetworkError(err) || fault.IsTimeout(err):
		e.Failure = changestream.NoAnswer
	}
	if command.Code.IsResumable() {
		e.Code = changestream.ListedCode
	}
	if command.HasErrorLabel(errcode.LabelResumableChangeStreamError) {
		e.Label = changestream.Labelled
	}
	if _, ok := errors.AsType[fault.TimeoutError](err); ok {
		e.Expiry = changestream.DriverExpired
	} else if fault.IsTimeout(err) {
		e.Expiry = changestream.ServerExpired
	}
}
