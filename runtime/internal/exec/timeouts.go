package exec

import (
	"errors"

	"github.com/specdrivers/onion/runtime/fault"
)

// Timeouts counts the operations whose time ran out, by what they were waiting for.
type Timeouts [timeoutKinds]int64

// What an operation was waiting for when its time ran out.
const (
	TimeoutSelection = iota // a suitable server
	TimeoutCheckOut         // a connection of the pool
	TimeoutNetwork          // connecting, or the server's reply
	TimeoutServer           // nothing: the server gave the command up
	TimeoutOther            // anything else, such as the pause before a retry, or too little time to send anything
	timeoutKinds
)

// timeoutKind says what an error that is a timeout was waiting for. The order matters: a check-out that fails while it
// connects has both errors in its chain.
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
