package fault

import (
	"context"
	"errors"
)

// Errors that carry no data. They may arrive wrapped.
var (
	// ErrNoDocuments is returned when an operation that yields one document matched none.
	ErrNoDocuments = errors.New("mongo: no documents in result")

	// ErrClientClosed is returned by every operation of a client that has been closed.
	ErrClientClosed = errors.New("mongo: the client is closed: call Connect to make another one")
)

// IsTimeout reports whether err, or an error that it wraps, says that time ran out: the deadline of a context, a
// timeout of the driver or of the network, or the server's time limit.
func IsTimeout(err error) bool {
	return find(err, func(err error) bool {
		t, ok := err.(interface{ Timeout() bool }) // context.DeadlineExceeded and net.Error have it too
		return ok && t.Timeout()
	})
}

// IsNetworkError reports whether err, or an error that it wraps, is a network error. A cleared pool counts as one, of
// the kind that is not a timeout: the operation never reached the server. So does a closed one: its server has left the
// topology, or the client was closed.
func IsNetworkError(err error) bool {
	return find(err, func(err error) bool {
		_, network := as[NetworkError](err)
		_, cleared := as[PoolClearedError](err)
		_, closed := as[PoolClosedError](err)
		return network || cleared || closed
	})
}

// IsCanceled reports whether err says that the caller canceled the operation.
func IsCanceled(err error) bool { return errors.Is(err, context.Canceled) }
