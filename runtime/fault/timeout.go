package fault

import (
	"context"
	"strings"

	"github.com/specdrivers/onion/bson/emitted"
)

// ErrNegativeTimeout refuses a timeout below 0.
var ErrNegativeTimeout = emitted.ErrNegativeTimeout

// TimeoutError says that timeoutMS, or the deadline of the context, ended an operation. What failed when the time ran
// out is inside.
//
// Client Side Operations Timeout, "Errors".
type TimeoutError struct {
	Operation string // such as find; empty when it is not known
	Doing     string // what was under way, when Err does not say it
	Err       error
}

// Error describes the operation and what it was doing.
func (e TimeoutError) Error() string {
	text := "mongo: "
	if e.Operation != "" {
		text += e.Operation + ": "
	}
	text += "the operation timed out"
	if e.Doing != "" {
		text += ": " + e.Doing
	}
	if e.Err != nil {
		inner := strings.TrimPrefix(e.Err.Error(), "mongo: ") // what this text has said once
		if e.Operation != "" {
			inner = strings.TrimPrefix(inner, e.Operation+": ")
		}
		text += ": " + inner
	}
	return text
}

// As fills a target of type *TimeoutError or **TimeoutError; errors.As and errors.AsType call it.
func (e TimeoutError) As(target any) bool { return fill(e, target) }

// Unwrap returns what failed when the time ran out.
func (e TimeoutError) Unwrap() error { return e.Err }

// Is makes the error match context.DeadlineExceeded, so callers need not know how the deadline was set.
func (e TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout reports true.
func (e TimeoutError) Timeout() bool { return true }
