package exec

import (
	"errors"

	"github.com/specdrivers/onion/runtime/fault"
)

// Timeouts counts the operations that ran out of time, by what they were waiting for.
type Timeouts [timeoutKinds]int64

// An operation was waiting for one of these when its time ran out.
const (
	TimeoutSelection = iota // a suitable server
	TimeoutCheckOut         // a connection from the pool
	TimeoutNetwork          // connecting, or the server's reply
	TimeoutServer           // the server ended the command
	TimeoutOther            // anything else, such as the pause before a retry, or too little time to send anything
	timeoutKinds
)

// timeoutKind returns what the operation was waiting for when it failed with a timeout. The order matters: a check-out
// that fails during connecting has both errors in its chain.
func timeoutKind(err error) int {
	if _, ok := errors.AsType[fault.ServerSelectionError](err); ok {
		return TimeoutSelection
	}
	if _, ok := errors.AsType[fault.WaitQueueTimeoutError](err); ok {
		return TimeoutCheckOut
	}
	if _, ok := errors.AsType[fault.NetworkError](err); ok {
		return TimeoutNetwork
	}
	if _, ok := errors.AsType[fault.ServerError](err); ok {
		return TimeoutServer
	}
	return TimeoutOther
}
