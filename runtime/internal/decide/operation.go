package decide

import (
	"github.com/specdrivers/onion/generated/core/operation"
	"github.com/specdrivers/onion/generated/core/retry"
)

// Operation is one operation in progress: the generated state, and the only number that the tables cannot hold.
type Operation struct {
	State   operation.State
	Retries int // tries after the first one
}

// Step tells the operation what has happened, and returns in v what to do. maxAdaptive is maxAdaptiveRetries.
func (o *Operation) Step(e *operation.Event, v *operation.Verdict, maxAdaptive int) {
	if o.Retries >= retry.Retries {
		e.SmallBudget = operation.SmallSpent
	}
	if o.Retries >= maxAdaptive {
		e.AdaptiveBudget = operation.AdaptiveSpent
	}
	*v = operation.Verdict{}
	o.State.Advance(e, v)
	if v.Again == operation.Retry {
		o.Retries++
	}
}
