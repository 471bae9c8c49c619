package decide

import (
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
)

// Operation is one operation in progress: the generated state, and the one number beside it.
type Operation struct {
	State   operation.State
	Retries int // tries after the first one
}

// Step tells the operation what has happened, and returns what to do. maxAdaptive is maxAdaptiveRetries.
func (o *Operation) Step(e *operation.Event, maxAdaptive int) operation.Verdict {
	if o.Retries >= retry.Retries {
		e.SmallBudget = operation.SmallSpent
	}
	if o.Retries >= maxAdaptive {
		e.AdaptiveBudget = operation.AdaptiveSpent
	}
	var v operation.Verdict
	o.State, v = operation.Step(o.State, *e)
	if v.Again == operation.Retry {
		o.Retries++
	}
	return v
}
