package world

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/specdrivers/onion/generated/errcode"
	"github.com/specdrivers/onion/runtime/mongo"
)

// faultCodes are the codes that the faults of a world can cause.
var faultCodes = []errcode.Code{
	errcode.HostUnreachable, errcode.HostNotFound, errcode.NetworkTimeout, errcode.ShutdownInProgress, errcode.PrimarySteppedDown,
	errcode.InterruptedAtShutdown, errcode.InterruptedDueToReplStateChange, errcode.NotWritablePrimary, errcode.NotPrimaryNoSecondaryOk,
	errcode.NotPrimaryOrSecondary, errcode.MaxTimeMSExpired, errcode.WriteConcernTimeout, errcode.IngressRequestRateLimitExceeded,
	errcode.ExceededTimeLimit, errcode.SocketException, errcode.Interrupted,
	errcode.ReauthenticationRequired, // of a command that fails again after the new login
}

// isExpected reports whether an operation that began at some time may end with an error. A login may fail when its token is
// revoked on the way to the server: MONGODB-OIDC has the client ask for a new token once, and raise the error that this one
// gets. The operation may have waited for a connection whose login began before it.
func (c *client) isExpected(err error, began time.Time) bool {
	if c.world.login.revokedSince(began.Add(-c.connectTimeout())) {
		return isExpected(err, errcode.AuthenticationFailed)
	}
	return isExpected(err)
}

// isExpected reports whether the faults of a world can cause an error. Everything else is a bug: a duplicate key for a document
// that was inserted once, a transaction number that is too old, a reply that cannot be read. more are further
// codes that the operation may end with.
func isExpected(err error, more ...errcode.Code) bool {
	switch {
	case errors.Is(err, ErrNothing), errors.Is(err, mongo.ErrClientClosed), errors.Is(err, context.DeadlineExceeded):
		return true
	case mongo.IsNetworkError(err), mongo.IsTimeout(err):
		return true
	}
	codes := mongo.ErrorCodes(err)
	if len(codes) > 0 {
		return !slices.ContainsFunc(codes, func(c errcode.Code) bool {
			return !slices.Contains(faultCodes, c) && !slices.Contains(more, c)
		})
	}
	return errors.As(err, new(*mongo.ServerSelectionError)) || errors.As(err, new(*mongo.PoolClearedError)) ||
		errors.As(err, new(*mongo.WaitQueueTimeoutError)) || errors.As(err, new(*mongo.AuthError))
}

// markExpected joins ErrNothing to an error with one of the codes, which the operation may end with.
func markExpected(err error, codes ...errcode.Code) error {
	if slices.ContainsFunc(mongo.ErrorCodes(err), func(c errcode.Code) bool { return slices.Contains(codes, c) }) {
		return errors.Join(ErrNothing, err)
	}
	return err
}
