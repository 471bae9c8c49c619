package mongo

import (
	"context"

	"github.com/specdrivers/onion/runtime/fault"
)

// What keeps a call from starting: no context, or a handle that is nil because the error beside it was not looked at. Methods
// that cannot return an error do nothing, or return what an empty handle has.

// The errors that every call may return are made once, so that the compiler inlines what checks for them.
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

// nilHandleError says that a handle is nil, and from where a program gets one.
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
