package mongo

import (
	"context"

	"github.com/specdrivers/onion/runtime/fault"
)

// A call does not start without a context, or with a handle that is nil because the program did not look at the error
// that came with it. A method that cannot return an error does nothing then, or returns what an empty handle would.

// The errors that every call may return are made once, so that the compiler inlines the functions that check for them.
var (
	errNilContext    = fault.Misuse(fault.ErrNilValue, "the context is nil: pass context.Background(), or one with a deadline")
	errNilClient     = nilHandleError("client", "Connect returns")
	errNilDatabase   = fault.Misuse(fault.ErrNilValue, "the database is nil: use what the method Database of a client returns")
	errNilCollection = fault.Misuse(fault.ErrNilValue, "the collection is nil: use what the method Collection of a database returns")
)

func checkContext(ctx context.Context) error {
	if ctx == nil {
		return errNilContext
	}
	return nil
}

// nilHandleError says that a handle is nil, and where a program gets one.
func nilHandleError(what, from string) error {
	return fault.Misuse(fault.ErrNilValue, "the %s is nil: use what %s, and look at its error first", what, from)
}

// checkFunction says that a callback is missing.
func checkFunction(missing bool) error {
	if missing {
		return fault.Misuse(fault.ErrNilValue, "the function is nil: pass what is to be done with the session")
	}
	return nil
}
